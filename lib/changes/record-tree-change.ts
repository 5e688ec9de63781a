import type { Location } from '../domain/location.js';
import type { EventOf, MovedDocument } from '../history/event.js';
import type { KnownRows } from '../history/projection.js';
import type { IndexEvent } from '../indexing/index-event.js';
import type { Steps } from '../scheduling/in-steps.js';
import type { DocumentRow } from '../sidecar/tables/document-table.js';
import { noteAll, noteWritten } from './index-changes.js';
import { recordEvent, type DecidedFile, type Recorded } from './record-event.js';
import type { WriteContext } from './write-context.js';

/** What becomes of the documents by a mirror or a pushed commit, after all checks. */
export interface TreeChangePlan {
  readonly moved: readonly (MovedDocument & { readonly row: DocumentRow })[];
  /** One for each new version. */
  readonly files: readonly DecidedFile[];
  /** Where documents are deleted. */
  readonly gone: readonly Location[];
  readonly known: KnownRows;
}

/**
 * Writes the plan as one commit, and tells the search index. Claims are the caller's matter.
 * @throws Refusal INVALID_REQUEST `storage_quota`
 */
export function* recordTreeChange(
  context: WriteContext,
  event: EventOf<'mirror' | 'push'>,
  plan: TreeChangePlan,
  message: string | null,
): Steps<Recorded> {
  const { moved, files, gone, known } = plan;
  const carried = moved.map(({ to, row }) => ({ location: to, blobOid: row.current.blobOid }));
  yield;
  const recorded = yield* recordEvent(context, { event, files, gone, carried, message, known });
  const leaving = [...recorded.removed, ...moved.map(({ from }) => from)];
  const notes: IndexEvent[] = leaving.map((place) => ({ type: 'remove', location: place }));
  yield;
  for (const note of noteMoved(context, plan)) notes.push(note);
  for (const note of yield* noteWritten(context, recorded.written)) notes.push(note);
  noteAll(context, recorded.versionId, notes);
  return recorded;
}

/** The search finds a moved document in its new place. One with a new version is noted with that. */
function noteMoved({ transaction }: WriteContext, { moved, files }: TreeChangePlan): IndexEvent[] {
  const rewritten = new Set(files.map(({ location }) => location));
  const labels = transaction.tables.labels.ofThese(moved.map(({ row }) => row.number));
  return moved
    .filter(({ to }) => !rewritten.has(to))
    .map(({ to: location, row: { number, current } }) => {
      const { blobOid, size, kind, mediaType } = current;
      return {
        type: 'upsert',
        document: { number, location, blobOid, size, kind, mediaType, labels: labels.get(number) ?? [] },
      };
    });
}
