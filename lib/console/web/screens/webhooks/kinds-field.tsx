import type { ReactNode } from 'react';
import { Choice } from '../../design/field.tsx';
import type { Kind } from './webhook-queries.ts';
import { wordsOfChange, wordsOfSecurity } from './webhook-words.ts';

/** What a webhook tells: every change, some kinds of changes, or kinds of security. */
export interface Told {
  readonly what: 'all' | 'some' | 'security';
  readonly kinds: readonly Kind[];
}

interface KindsFieldProps {
  readonly told: Told;
  readonly onChange: (told: Told) => void;
  /** Whether the webhook can follow the audit log: at the root alone. */
  readonly mayFollowSecurity: boolean;
  /** Whether it can follow the changes of documents. */
  readonly mayFollowChanges?: boolean;
  readonly error?: string | undefined;
}

/** The kinds for a request; null for every change. */
export const kindsOf = ({ what, kinds }: Told): Kind[] | null => (what === 'all' ? null : [...kinds]);

export function KindsField(props: KindsFieldProps): ReactNode {
  const { told, onChange, mayFollowSecurity, mayFollowChanges = true, error } = props;
  const words = told.what === 'security' ? wordsOfSecurity : wordsOfChange;
  const choose = (what: Told['what']): void => onChange({ what, kinds: [] });
  return (
    <fieldset className="choices">
      <legend className="field-label">It tells</legend>
      {mayFollowChanges && (
        <>
          <Choice
            type="radio"
            name="told"
            label="Every change of a document"
            checked={told.what === 'all'}
            onChange={() => choose('all')}
          />
          <Choice
            type="radio"
            name="told"
            label="Some kinds of changes"
            checked={told.what === 'some'}
            onChange={() => choose('some')}
          />
        </>
      )}
      {mayFollowSecurity && (
        <Choice
          type="radio"
          name="told"
          label="Security, from the audit log"
          checked={told.what === 'security'}
          onChange={() => choose('security')}
        />
      )}
      {told.what !== 'all' && (
        <div className="webhook-kinds" role="group" aria-label="Kinds">
          {Object.entries(words).map(([kind, name]) => (
            <Choice
              key={kind}
              label={name}
              checked={told.kinds.includes(kind as Kind)}
              onChange={({ target }) =>
                onChange({
                  what: told.what,
                  kinds: target.checked ? [...told.kinds, kind as Kind] : told.kinds.filter((each) => each !== kind),
                })
              }
            />
          ))}
        </div>
      )}
      {error !== undefined && (
        <span className="field-error" role="alert">
          {error}
        </span>
      )}
    </fieldset>
  );
}
