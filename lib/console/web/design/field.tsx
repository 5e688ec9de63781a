import { useId, type ComponentProps, type ReactNode } from 'react';

interface FieldFrame {
  readonly label: string;
  /** What the field is for, where its label does not say it. */
  readonly hint?: ReactNode;
  /** What is wrong with the value, and the way out. */
  readonly error?: ReactNode;
  /** Keeps the label for screen readers alone. */
  readonly isLabelHidden?: boolean;
}

/** The ids by which a control names its label, hint and error. */
function useField({ hint, error }: FieldFrame): {
  id: string;
  describedBy: string | undefined;
  hintId: string;
  errorId: string;
} {
  const id = useId();
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const described = [hint !== undefined && hintId, error !== undefined && errorId].filter(Boolean).join(' ');
  return { id, describedBy: described === '' ? undefined : described, hintId, errorId };
}

function Frame({
  frame,
  ids,
  children,
}: {
  frame: FieldFrame;
  ids: ReturnType<typeof useField>;
  children: ReactNode;
}): ReactNode {
  const { label, hint, error, isLabelHidden } = frame;
  return (
    <div className="field">
      <label htmlFor={ids.id} className={isLabelHidden === true ? 'visually-hidden' : 'field-label'}>
        {label}
      </label>
      {children}
      {hint !== undefined && (
        <span id={ids.hintId} className="field-hint">
          {hint}
        </span>
      )}
      {error !== undefined && (
        <span id={ids.errorId} className="field-error" role="alert">
          {error}
        </span>
      )}
    </div>
  );
}

/** A line of text with its label. */
export function TextField({
  label,
  hint,
  error,
  isLabelHidden,
  className = '',
  ...input
}: FieldFrame & ComponentProps<'input'>): ReactNode {
  const frame = { label, hint, error, ...(isLabelHidden && { isLabelHidden }) };
  const ids = useField(frame);
  return (
    <Frame frame={frame} ids={ids}>
      <input
        autoComplete="off"
        spellCheck={false}
        {...input}
        id={ids.id}
        className={`field-input ${className}`.trim()}
        aria-describedby={ids.describedBy}
        aria-invalid={error !== undefined || undefined}
      />
    </Frame>
  );
}

/** Several lines of text with their label. */
export function TextArea({
  label,
  hint,
  error,
  isLabelHidden,
  className = '',
  ...input
}: FieldFrame & ComponentProps<'textarea'>): ReactNode {
  const frame = { label, hint, error, ...(isLabelHidden && { isLabelHidden }) };
  const ids = useField(frame);
  return (
    <Frame frame={frame} ids={ids}>
      <textarea
        {...input}
        id={ids.id}
        className={`field-input ${className}`.trim()}
        aria-describedby={ids.describedBy}
        aria-invalid={error !== undefined || undefined}
      />
    </Frame>
  );
}

/** A choice of one among few, by the browser's own control. Its options are children. */
export function SelectField({
  label,
  hint,
  error,
  isLabelHidden,
  className = '',
  children,
  ...select
}: FieldFrame & ComponentProps<'select'>): ReactNode {
  const frame = { label, hint, error, ...(isLabelHidden && { isLabelHidden }) };
  const ids = useField(frame);
  return (
    <Frame frame={frame} ids={ids}>
      <select
        {...select}
        id={ids.id}
        className={`field-input ${className}`.trim()}
        aria-describedby={ids.describedBy}
        aria-invalid={error !== undefined || undefined}
      >
        {children}
      </select>
    </Frame>
  );
}

interface ChoiceProps extends Omit<ComponentProps<'input'>, 'type'> {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly type?: 'checkbox' | 'radio';
}

/** A checkbox, or a radio button, with its label and a sentence on what it means. */
export function Choice({ label, hint, type = 'checkbox', ...input }: ChoiceProps): ReactNode {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div className="choice">
      <input {...input} type={type} id={id} aria-describedby={hint === undefined ? undefined : hintId} />
      <div>
        <label htmlFor={id} className="choice-label">
          {label}
        </label>
        {hint !== undefined && (
          <div id={hintId} className="field-hint">
            {hint}
          </div>
        )}
      </div>
    </div>
  );
}
