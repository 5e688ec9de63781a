import { useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { Attempts } from '../../api/attempts.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { announce } from '../../design/announce.tsx';
import { KindBadge } from '../../design/badge.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { SelectField } from '../../design/field.tsx';
import { contains, meaningOfRole, nameOfRole, roles, type Role } from '../../design/roles.ts';
import { ProblemLine } from '../../design/state.tsx';
import { nameOf } from '../../navigation/addresses.ts';
import { changeRole, grant } from './change-share.ts';
import { sharingKey, useShares, type Found, type Share, type Sharing } from './share-queries.ts';
import { SubjectPicker } from './subject-picker.tsx';

interface ShareFormProps {
  readonly workspace: string;
  readonly sharing: Sharing;
}

/** Gives a role at the place to people, agents and groups. */
export function ShareForm({ workspace, sharing }: ShareFormProps): ReactNode {
  const { location, scope_type } = sharing;
  const [chosen, setChosen] = useState<readonly Found[]>([]);
  const [role, setRole] = useState<Role>('reader');
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [isLacking, setLacking] = useState(false);
  const queries = useQueryClient();
  const attempts = useAttempts();
  const shares = useShares(workspace, sharing);
  const here = shares.data?.pages.flatMap(({ items }) => items).filter((each) => each.inherited_from === undefined);

  const share = async (): Promise<void> => {
    setError(null);
    setLacking(chosen.length === 0);
    if (chosen.length === 0) return;
    setPending(true);
    const done: string[] = [];
    try {
      for (const subject of chosen) {
        await give(workspace, here ?? [], { scope_type, scope_id: location, subject, role }, attempts);
        done.push(subject.display_name);
        setChosen((left) => left.filter(({ id }) => id !== subject.id));
      }
    } catch (problem) {
      setError(problem);
    } finally {
      setPending(false);
      const place = location === '' ? workspace : nameOf(location);
      if (done.length > 0) announce(`Shared ${place} with ${done.join(', ')} as ${nameOfRole[role].toLowerCase()}.`);
      await queries.invalidateQueries({ queryKey: sharingKey(workspace, location) });
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isPending) void share();
  };
  return (
    <form className="share-form" noValidate onSubmit={submit}>
      <div className="share-add">
        <SubjectPicker
          workspace={workspace}
          chosen={chosen}
          error={isLacking && chosen.length === 0 ? 'Choose at least one person, agent or group.' : undefined}
          onPick={(subject) => setChosen((before) => [...before, subject])}
        />
        <SelectField label="Role" value={role} onChange={(event) => setRole(event.target.value as Role)}>
          {roles.map((each) => (
            <option key={each} value={each}>
              {nameOfRole[each]}
            </option>
          ))}
        </SelectField>
        <Button look="primary" type="submit" isPending={isPending}>
          Share
        </Button>
      </div>
      {chosen.length > 0 && (
        <ul className="share-chosen" aria-label="Chosen">
          {chosen.map((subject) => (
            <li key={subject.id} className="share-chip">
              <bdi className="truncate">{subject.display_name}</bdi>
              <KindBadge kind={subject.kind} />
              <IconButton
                label={`Leave out ${subject.display_name}`}
                icon={X}
                onClick={() => setChosen((before) => before.filter(({ id }) => id !== subject.id))}
              />
            </li>
          ))}
        </ul>
      )}
      <p className="soft small">
        <strong>{nameOfRole[role]}:</strong> {meaningOfRole[role]}{' '}
        {scope_type === 'folder' ? 'This holds for everything in the folder, now and later.' : ''} Grants only add: one
        here can widen what a folder gives, never narrow it.
      </p>
      <ProblemLine error={error} />
    </form>
  );
}

/** Someone who has a lesser role here already gets the new one in its place. A greater one stays. */
async function give(
  workspace: string,
  here: readonly Share[],
  wanted: { scope_type: Share['scope_type']; scope_id: string; subject: Found; role: Role },
  attempts: Attempts,
): Promise<void> {
  const before = here.filter(({ subject }) => subject.id === wanted.subject.id);
  if (before.some(({ role }) => contains(role, wanted.role))) return;
  const [lesser] = before;
  const { id } = wanted.subject;
  const key = attempts.keyFor([lesser?.role, wanted.role], id);
  if (lesser === undefined) await grant(workspace, wanted, key);
  else await changeRole(workspace, lesser, wanted.role, key);
  attempts.done(id);
}
