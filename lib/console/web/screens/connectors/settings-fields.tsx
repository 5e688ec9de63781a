import type { ReactNode } from 'react';
import type { Problem } from '../../api/problem.ts';
import { SelectField, TextArea, TextField } from '../../design/field.tsx';
import type { DescribedKind } from './connector-queries.ts';
import { startWithCapital } from './connector-words.ts';
import { faultOf, fieldsOf, isSsh, isWanted, type SettingField, type Typed } from './settings.ts';

interface SettingsFieldsProps {
  readonly described: DescribedKind;
  readonly typed: Typed;
  readonly onType: (typed: Typed) => void;
  /** Shows what is missing, too. */
  readonly isTried: boolean;
  /** The last refusal: it names its field. */
  readonly problem: Problem | undefined;
}

/** The fields for the settings of a kind of source, with what is wrong with each. */
export function SettingsFields({ described, typed, onType, isTried, problem }: SettingsFieldsProps): ReactNode {
  return fieldsOf(described)
    .filter((field) => isWanted(field, typed))
    .map((field) => {
      const value = typed[field.name] ?? '';
      const refused = isAt(field, problem) ? problem?.sentence : undefined;
      return (
        <SettingInput
          key={field.name}
          field={field}
          value={value}
          error={isTried ? (faultOf(field, value) ?? refused) : refused}
          onChange={(text) => onType({ ...typed, [field.name]: text })}
        />
      );
    });
}

/** Whether a refusal is about this setting, or about something in it. */
export function isAt({ name }: Pick<SettingField, 'name'>, problem: Problem | undefined): boolean {
  return problem?.reason === 'bad_settings' && problem.field?.split('.', 1)[0] === name;
}

interface InputProps {
  readonly field: SettingField;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (text: string) => void;
}

function SettingInput({ field, value, error, onChange }: InputProps): ReactNode {
  const label = field.isRequired ? field.label : `${field.label} (optional)`;
  const frame = { label, hint: field.hint, error };
  if (field.form === 'choice') {
    return (
      <SelectField {...frame} value={value} onChange={(event) => onChange(event.target.value)}>
        {field.choices.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </SelectField>
    );
  }
  if (field.form === 'json') {
    return (
      <TextArea
        {...frame}
        className="mono"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  }
  return (
    <TextField
      {...frame}
      value={value}
      maxLength={field.maxLength}
      autoCapitalize="none"
      {...(field.form === 'number' && { inputMode: 'numeric' as const })}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

interface SecretFieldProps {
  readonly described: DescribedKind;
  readonly typed: Typed;
  readonly secret: string;
  readonly onType: (secret: string) => void;
  readonly isRequired?: boolean;
  readonly error?: string | undefined;
}

/** The field for the secret of a source. A key of ssh has lines; everything else is covered while it is typed. */
export function SecretField(props: SecretFieldProps): ReactNode {
  const { described, typed, secret, onType, isRequired = false, error } = props;
  if (described.secret === null) return null;
  const frame = {
    label: isRequired ? 'Credential' : 'Credential (optional)',
    hint: `${startWithCapital(described.secret)}. It is kept sealed, and never shown again.`,
    error,
  };
  if (described.kind === 'git' && isSsh(typed)) {
    return (
      <TextArea
        {...frame}
        className="mono"
        rows={4}
        spellCheck={false}
        autoComplete="off"
        value={secret}
        maxLength={16_384}
        onChange={(event) => onType(event.target.value)}
      />
    );
  }
  return (
    <TextField
      {...frame}
      type="password"
      autoComplete="new-password"
      value={secret}
      maxLength={16_384}
      onChange={(event) => onType(event.target.value)}
    />
  );
}
