import { useState, type ReactNode } from 'react';
import { Badge, KindBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { SelectField, TextField } from '../../design/field.tsx';
import { FormDialog } from '../../design/form-dialog.tsx';
import { takeFocus } from '../../design/take-focus.ts';
import { ProblemLine, Skeleton } from '../../design/state.tsx';
import { itemsOf } from '../../api/read.ts';
import { useGroups, usePrincipals, type Subject } from './access-queries.ts';
import { useRested } from './use-rested.ts';

export interface ChosenSubject extends Subject {
  readonly displayName: string;
}

/** Finds a principal or group by a part of its name, and chooses it. */
export function SubjectDialog({
  title,
  what,
  action,
  onChosen,
  onClose,
}: {
  title: string;
  /** What may be chosen. */
  what: 'groups' | 'members';
  action: string;
  onChosen: (chosen: ChosenSubject) => void;
  onClose: () => void;
}): ReactNode {
  const [text, setText] = useState('');
  const [type, setType] = useState<Subject['type']>(what === 'groups' ? 'group' : 'principal');
  const [chosen, setChosen] = useState<ChosenSubject>();
  const [isTried, setTried] = useState(false);
  const rested = useRested(text.trim());
  const groups = useGroups(rested, false, type === 'group');
  const principals = usePrincipals(rested, '', type === 'principal');
  const pages = type === 'group' ? groups : principals;
  const found =
    type === 'group'
      ? itemsOf(groups)?.map((item) => ({ ...item, kind: 'group' as const, disabled_at: null }))
      : itemsOf(principals);
  const submit = (): void => {
    setTried(true);
    if (chosen !== undefined) onChosen(chosen);
  };
  return (
    <FormDialog title={title} action={action} onSubmit={submit} onClose={onClose}>
      <div className="access-filters">
        <TextField
          label="Find by name"
          type="search"
          maxLength={200}
          ref={takeFocus}
          value={text}
          error={isTried && chosen === undefined ? 'Choose one from the list.' : undefined}
          onChange={(event) => setText(event.target.value)}
        />
        {what === 'members' && (
          <SelectField
            label="Kind"
            value={type}
            onChange={(event) => {
              setType(event.target.value as Subject['type']);
              setChosen(undefined);
            }}
          >
            <option value="principal">People and agents</option>
            <option value="group">Groups</option>
          </SelectField>
        )}
      </div>
      <ProblemLine error={pages.error} />
      {found === undefined ? (
        pages.error === null && <Skeleton lines={4} />
      ) : found.length === 0 ? (
        <p className="soft">{text === '' ? 'There are none yet.' : 'Nothing matches.'}</p>
      ) : (
        <fieldset className="pick-list">
          <legend className="visually-hidden">{type === 'group' ? 'Groups' : 'People and agents'}</legend>
          {found.map(({ id, kind, display_name: displayName, disabled_at: disabledAt }) => (
            <label key={id} className="pick">
              <input
                type="radio"
                name="subject"
                checked={chosen?.id === id}
                onChange={() => setChosen({ type, id, displayName })}
              />
              <bdi className="truncate">{displayName}</bdi>
              <KindBadge kind={kind} />
              {disabledAt !== null && <Badge tone="danger">disabled</Badge>}
            </label>
          ))}
          {pages.hasNextPage && (
            <Button size="small" isPending={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
              Load more
            </Button>
          )}
        </fieldset>
      )}
    </FormDialog>
  );
}
