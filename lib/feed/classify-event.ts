import type { Change, ChangeKind } from '../domain/change.js';
import type { Location } from '../domain/location.js';
import type { DocumentEvent } from '../sidecar/tables/feed-table.js';
import type { FeedEvent } from './feed-event.js';

/** What an event was for the caller. */
export interface ClassifiedEvent extends Pick<Change, 'kind' | 'at' | 'version' | 'actor' | 'message' | 'from'> {
  /** The last place that the caller could see, of `deleted` and `left`. Null for other kinds. */
  readonly location: Location | null;
}

interface Side {
  /** Null while it was deleted, or not made yet. */
  readonly place: Location | null;
  readonly isReadable: boolean;
}

/** Around an event: whether the caller could read the document just before and just after it, and can now. */
export interface Around {
  readonly before: Side;
  readonly after: Side;
  readonly isNow: boolean;
  /** Whether the caller's present reach holds the place before the event. */
  readonly isLeftInReach: boolean;
}

const none = { version: null, actor: null, message: null, location: null, from: null } as const;

/** The items of an event about one document: several where a commit moved and wrote it. */
export function classifyEvent(event: FeedEvent, did: readonly DocumentEvent[], around: Around): ClassifiedEvent[] {
  const { before, after, isNow, isLeftInReach } = around;
  if (!isNow) {
    if (!before.isReadable || after.isReadable) return [];
    const deletion = isLeftInReach ? did.find((each) => each.did.type === 'deleted') : undefined;
    if (deletion === undefined) return [{ ...none, kind: 'left', at: timeOf(event, did), location: before.place }];
    return [{ ...describe(deletion, 'deleted'), location: before.place }];
  }
  if (!after.isReadable) {
    // It is there again by now, and a later item says so. Who deleted it is reported whenever the page is read.
    const undone = before.isReadable && isLeftInReach ? did.find((each) => each.did.type === 'deleted') : undefined;
    return undone === undefined ? [] : [{ ...describe(undone, 'deleted'), location: before.place }];
  }
  if (!before.isReadable) {
    const written = before.place === null ? did.find((each) => each.did.type === 'written') : undefined;
    if (written !== undefined) return [describe(written, kindOf(written, true))];
    return [{ ...none, kind: 'entered', at: timeOf(event, did) }];
  }
  if (event.type === 'activity') {
    const { kind, at, actor } = event.row;
    return [{ ...none, kind, at, actor }];
  }
  const from = isLeftInReach ? before.place : null;
  if (event.type === 'commit' && event.folderMove !== undefined) {
    // Documents are looked at that the move may concern. One that it left where it was is none of its.
    if (before.place === after.place) return [];
    const { operation, at, author } = event.folderMove;
    return [{ ...none, kind: operation === 'rename' ? 'renamed' : 'moved', at, actor: author, from }];
  }
  return did
    .filter((each) => each.did.type !== 'deleted')
    .map((each) => ({ ...describe(each, kindOf(each, false)), from: each.did.type === 'written' ? null : from }));
}

function timeOf(event: FeedEvent, did: readonly DocumentEvent[]): number {
  if (event.type === 'access' || event.type === 'activity') return event.row.at;
  if (event.type === 'commit' && event.folderMove !== undefined) return event.folderMove.at;
  return did[0]?.at ?? 0;
}

function describe({ author, at, did }: DocumentEvent, kind: ChangeKind): ClassifiedEvent {
  const version = did.type === 'written' ? did.versionId : null;
  const message = did.type === 'written' ? did.message : null;
  return { ...none, kind, at, actor: author, version, message };
}

/** @param isNew whether the event made the document, or made it live again */
function kindOf({ did }: DocumentEvent, isNew: boolean): ChangeKind {
  if (did.type !== 'written') return did.type;
  switch (did.operation) {
    case 'mirror':
      return 'mirrored';
    case 'restore':
    case 'revert':
      return 'restored';
    case 'undelete':
      return 'undeleted';
    case 'create':
    case 'import':
    case 'update':
    case 'push':
      return isNew ? 'created' : 'updated';
  }
}
