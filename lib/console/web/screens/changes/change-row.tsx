import { Lock, MessageSquare, Tag, Undo2, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Badge, Who } from '../../design/badge.tsx';
import { formatClock } from '../../design/day.ts';
import { formatExact } from '../../design/time.tsx';
import { addressOf, folderOf, nameOf, viewOf } from '../../navigation/addresses.ts';
import { EntryIcon } from '../../design/entry-icon.tsx';
import type { Happened } from './gather.ts';
import type { Action } from './change-queries.ts';

interface ChangeRowProps {
  readonly workspace: string;
  readonly happened: Happened;
  /** Whether it is newer than the last visit. */
  readonly isNew: boolean;
}

const icons: Partial<Record<Action, LucideIcon>> = {
  comment_added: MessageSquare,
  comment_settled: MessageSquare,
  label_set: Tag,
  claimed: Lock,
  claim_ended: Lock,
};

const verbs: Readonly<Record<Action, string>> = {
  created: 'created',
  changed: 'edited',
  moved: 'moved or renamed',
  deleted: 'deleted',
  restored: 'restored',
  comment_added: 'commented',
  comment_settled: 'comment settled',
  label_set: 'labels changed',
  claimed: 'claimed',
  claim_ended: 'claim ended',
};

const often = (words: string, times: number): string => (times > 1 ? `${words} ${times} times` : words);

/** What was done, in a few words. */
function describe({ change, doings }: Happened): string {
  const { action, versions, documents, type } = change;
  if (doings.size > 0) return Array.from(doings, ([each, times]) => often(verbs[each], times)).join(', ');
  if (documents !== null) return `${documents} documents created`;
  if (action === 'changed') return often(verbs[action], versions);
  return type === 'folder' && action !== 'moved' ? `folder ${verbs[action]}` : verbs[action];
}

/** One change: what, where, by whom, and the way to its difference and to an undo. */
export function ChangeRow({ workspace, happened, isNew }: ChangeRowProps): ReactNode {
  const { change } = happened;
  const { type, action, location, version, by, at, message, from, may_revert: mayRevert } = change;
  const [author] = by;
  const folder = folderOf(location);
  const Icon = icons[action];
  const since = type === 'folder' ? location : folder;
  return (
    <li className={isNew ? 'change new' : 'change'}>
      {Icon === undefined ? <EntryIcon type={type} /> : <Icon className="entry-icon" aria-hidden />}
      <div className="change-main">
        <div className="change-line">
          {action === 'deleted' ? (
            <bdi className="change-name">{nameOf(location)}</bdi>
          ) : (
            <Link href={addressOf[type](workspace, location)} className="change-name">
              <bdi>{nameOf(location)}</bdi>
            </Link>
          )}
          <span className="soft small">{describe(happened)}</span>
          {isNew && <Badge tone="info">new</Badge>}
        </div>
        <div className="change-line soft small">
          {folder !== '' && (
            <span>
              in{' '}
              <Link href={addressOf.folder(workspace, folder)}>
                <bdi>{folder}</bdi>
              </Link>
            </span>
          )}
          {from !== null && (
            <span>
              before: <bdi>{from}</bdi>
            </span>
          )}
          {message !== null && <bdi className="change-note">{message}</bdi>}
        </div>
        <div className="change-line small">
          {by.slice(0, 3).map(({ id, display_name: name, kind }) => (
            <Who key={id} name={name} kind={kind} />
          ))}
          {by.length > 3 && <span className="soft">and others</span>}
          <time dateTime={at} title={formatExact(at)} className="soft">
            {formatClock(at)}
          </time>
        </div>
      </div>
      <div className="change-ways">
        {type === 'document' && version !== null && (action === 'changed' || action === 'restored') && (
          <Link href={viewOf.changes(workspace, location, version)} aria-label={`Show the difference in ${location}`}>
            Difference
          </Link>
        )}
        {mayRevert && author !== undefined && (
          <Link
            href={addressOf.undo(workspace, { folder: since, principal: author.id, since: at })}
            aria-label={`Undo what ${author.display_name} did in ${since === '' ? 'all documents' : since} since then`}
            title="Undo what was done since then"
            className="change-undo"
          >
            <Undo2 aria-hidden />
            Undo
          </Link>
        )}
      </div>
    </li>
  );
}
