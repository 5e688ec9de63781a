import { useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useAttempts } from '../../api/use-attempts.ts';
import { announce } from '../../design/announce.tsx';
import { Badge, Who } from '../../design/badge.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { ConfirmDialog } from '../../design/form-dialog.tsx';
import { SelectField } from '../../design/field.tsx';
import { contains, nameOfRole, roles, type Role } from '../../design/roles.ts';
import { ProblemLine, ProblemState, Skeleton } from '../../design/state.tsx';
import { showToast } from '../../design/toast.tsx';
import { addressOf, nameOf } from '../../navigation/addresses.ts';
import { changeRole, grant, isWithin, ownRoleAfter, revoke } from './change-share.ts';
import { sharingKey, useShares, type Share, type Sharing } from './share-queries.ts';
import { PlaceLink } from './reader-list.tsx';

interface GrantListProps {
  readonly workspace: string;
  readonly sharing: Sharing;
  readonly ownId: string;
  readonly onClose: () => void;
}

/** A change that takes something from the person who makes it, until it is confirmed. */
interface OwnLoss {
  readonly share: Share;
  /** Left out: the grant ends. */
  readonly toRole?: Role;
  readonly left: Role | null;
}

/** The grants on the place, to change and remove, and those that come from folders above. */
export function GrantList({ workspace, sharing, ownId, onClose }: GrantListProps): ReactNode {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useShares(workspace, sharing);
  const queries = useQueryClient();
  const attempts = useAttempts();
  const [removed, setRemoved] = useState<readonly Share[]>([]);
  const [pending, setPending] = useState<string | undefined>();
  const [failed, setFailed] = useState<{ readonly id: string; readonly problem: unknown } | undefined>();
  const [loss, setLoss] = useState<OwnLoss | undefined>();
  const [restored, setRestored] = useState<string | undefined>();

  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: sharingKey(workspace, sharing.location) });
  const change = async (share: Share, work: () => Promise<void>, sentence: string): Promise<boolean> => {
    setPending(share.id);
    setFailed(undefined);
    try {
      await work();
      attempts.done(share.id);
      announce(sentence);
      return true;
    } catch (problem) {
      setFailed({ id: share.id, problem });
      return false;
    } finally {
      setPending(undefined);
      await refresh();
    }
  };
  const apply = async ({ share, toRole }: Omit<OwnLoss, 'left'>): Promise<boolean> => {
    const name = share.subject.display_name;
    if (toRole !== undefined) {
      const sentence = `${name} is now ${nameOfRole[toRole].toLowerCase()}.`;
      return change(
        share,
        () => changeRole(workspace, share, toRole, attempts.keyFor([share.role, toRole], share.id)),
        sentence,
      );
    }
    const isDone = await change(share, () => revoke(workspace, share), `Removed ${name}.`);
    if (isDone) setRemoved((before) => [...before, share]);
    return isDone;
  };
  const ask = (share: Share, toRole?: Role): void => {
    const left = ownRoleAfter(sharing, share, toRole);
    const asked = { share, ...(toRole !== undefined && { toRole }) };
    if (left === undefined || (left !== null && contains(left, sharing.role))) void apply(asked);
    else setLoss({ ...asked, left });
  };
  const confirm = async (asked: OwnLoss): Promise<void> => {
    const isDone = await apply(asked);
    setLoss(undefined);
    if (!isDone) return;
    onClose();
    showToast({ text: sentenceOfLoss(asked, sharing, workspace) });
    await queries.invalidateQueries();
  };
  const undo = async (share: Share): Promise<void> => {
    const isDone = await change(
      share,
      () => grant(workspace, share, attempts.keyFor('undo', share.id)),
      `${share.subject.display_name} has access again.`,
    );
    if (!isDone) return;
    setRestored(share.subject.id);
    setRemoved((before) => before.filter(({ id }) => id !== share.id));
  };

  if (data === undefined) {
    return error === null ? <Skeleton /> : <ProblemState error={error} onRetry={() => void refetch()} />;
  }
  const shares = data.pages.flatMap(({ items }) => items);
  const here = withRemoved(
    shares.filter(({ inherited_from: from }) => from === undefined),
    removed,
  );
  const above = shares.filter(({ inherited_from: from }) => from !== undefined);
  return (
    <>
      {here.length === 0 ? (
        <p className="soft">No access has been given on this {sharing.scope_type} itself.</p>
      ) : (
        <ul className="share-rows" aria-label={`Shared on this ${sharing.scope_type}`}>
          {here.map((share) => {
            const isRemoved = removed.some(({ id }) => id === share.id);
            return (
              <li key={share.id} className="share-row">
                {isRemoved ? (
                  <RemovedRow share={share} isPending={pending === share.id} onUndo={() => void undo(share)} />
                ) : (
                  <GrantRow
                    share={share}
                    isOwn={share.subject.id === ownId}
                    isPending={pending === share.id}
                    takesFocus={restored === share.subject.id}
                    onChange={(role) => ask(share, role)}
                    onRemove={() => ask(share)}
                  />
                )}
                {failed?.id === share.id && <ProblemLine error={failed.problem} />}
              </li>
            );
          })}
        </ul>
      )}
      {above.length > 0 && (
        <section className="share-above">
          <h3>From folders above</h3>
          <ul className="share-rows" aria-label="From folders above">
            {above.map((share) => (
              <li key={share.id} className="share-row">
                <InheritedRow
                  workspace={workspace}
                  sharing={sharing}
                  share={share}
                  isOwn={share.subject.id === ownId}
                />
              </li>
            ))}
          </ul>
        </section>
      )}
      {hasNextPage && (
        <div className="cluster">
          <Button isPending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Load more
          </Button>
        </div>
      )}
      {loss !== undefined && (
        <ConfirmDialog
          title={loss.left === null ? 'Give up your own access?' : 'Give up your own role?'}
          action={loss.toRole === undefined ? 'Remove access' : 'Change role'}
          sending={{ isPending: pending !== undefined }}
          onConfirm={() => void confirm(loss)}
          onClose={() => setLoss(undefined)}
        >
          <p>
            {sentenceOfLoss(loss, sharing, workspace)} You cannot undo this yourself: another approver has to share it
            with you again.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** Removed rows stay where they were, so that nothing jumps and the way back is at hand. */
function withRemoved(shares: readonly Share[], removed: readonly Share[]): readonly Share[] {
  const gone = removed.filter(({ id }) => !shares.some((share) => share.id === id));
  const position = ({ subject, role }: Share): string => `${subject.display_name}\0${subject.id}\0${role}`;
  return [...shares, ...gone].toSorted((one, other) => (position(one) < position(other) ? -1 : 1));
}

function sentenceOfLoss({ left }: OwnLoss, { location }: Sharing, workspace: string): string {
  const name = location === '' ? workspace : nameOf(location);
  return left === null
    ? `You no longer have access to ${name}.`
    : `You are ${nameOfRole[left].toLowerCase()} of ${name}, and no longer share it.`;
}

interface RowProps {
  readonly share: Share;
  readonly isOwn: boolean;
  readonly isPending: boolean;
  /** It has just come back by a button that is gone, so it takes that button's focus. */
  readonly takesFocus: boolean;
  readonly onChange: (role: Role) => void;
  readonly onRemove: () => void;
}

function GrantRow({ share, isOwn, isPending, takesFocus, onChange, onRemove }: RowProps): ReactNode {
  const { subject, role } = share;
  const around = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (takesFocus) around.current?.querySelector('button')?.focus();
  }, [takesFocus]);
  return (
    <>
      <div className="share-who">
        <Who name={subject.display_name} kind={subject.kind} />
        {isOwn && <span className="soft small">you</span>}
      </div>
      <div className="share-role" ref={around}>
        <SelectField
          label={`Role of ${subject.display_name}`}
          isLabelHidden
          value={role}
          aria-busy={isPending}
          onChange={(event) => {
            if (!isPending) onChange(event.target.value as Role);
          }}
        >
          {roles.map((each) => (
            <option key={each} value={each}>
              {nameOfRole[each]}
            </option>
          ))}
        </SelectField>
        <IconButton
          label={`Remove access of ${subject.display_name}`}
          icon={Trash2}
          aria-disabled={isPending || undefined}
          onClick={() => {
            if (!isPending) onRemove();
          }}
        />
      </div>
    </>
  );
}

function RemovedRow({ share, isPending, onUndo }: { share: Share; isPending: boolean; onUndo: () => void }): ReactNode {
  const around = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The button that was pressed is gone; the way back takes its focus.
    around.current?.querySelector('button')?.focus();
  }, []);
  return (
    <>
      <span className="share-who soft">
        <span>
          Removed <bdi>{share.subject.display_name}</bdi>
        </span>
      </span>
      <div className="share-role" ref={around}>
        <Button size="small" isPending={isPending} onClick={onUndo}>
          Undo
        </Button>
      </div>
    </>
  );
}

function InheritedRow({
  workspace,
  sharing,
  share,
  isOwn,
}: {
  workspace: string;
  sharing: Sharing;
  share: Share;
  isOwn: boolean;
}): ReactNode {
  const from = share.inherited_from ?? '';
  const mayChange = sharing.shares_from !== null && isWithin(sharing.shares_from, from);
  return (
    <>
      <div className="share-who">
        <Who name={share.subject.display_name} kind={share.subject.kind} />
        {isOwn && <span className="soft small">you</span>}
      </div>
      <Badge>{nameOfRole[share.role]}</Badge>
      <p className="share-ways">
        {mayChange ? (
          <>
            From <PlaceLink workspace={workspace} location={from} href={`${addressOf.folder(workspace, from)}?share`} />
            , where you can change it
          </>
        ) : (
          <>
            From <PlaceLink workspace={workspace} location={from} href={addressOf.folder(workspace, from)} />, whose
            approvers can change it
          </>
        )}
      </p>
    </>
  );
}
