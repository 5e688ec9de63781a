import type { Attempts } from '../../api/attempts.ts';
import { apiOf, dataOf, newIdempotencyKey } from '../../api/client.ts';
import { forEachAtOnce, retryWhenLimited } from '../../api/retry-when-limited.ts';
import { keyOf, locationOf, type Entry } from './browser-queries.ts';

const atOnce = 4;

/** A thing that was not changed, and why. */
export interface Refused {
  readonly location: string;
  readonly error: unknown;
}

/** Deletes a document, if it is still the version in the list, or a folder with everything in it. @throws Problem */
async function discard(workspace: string, entry: Entry, attempts: Attempts): Promise<void> {
  const api = apiOf(workspace);
  if (entry.type === 'folder') {
    const body = { location: entry.folder.location };
    const header = { 'Idempotency-Key': attempts.keyFor(body, keyOf(entry)) };
    await retryWhenLimited(() => dataOf(api.POST('/folder-deletions', { params: { header }, body })));
    attempts.done(keyOf(entry));
    return;
  }
  const { location, etag } = entry.document;
  await retryWhenLimited(() =>
    dataOf(api.DELETE('/documents/{location}', { params: { path: { location }, header: { 'If-Match': etag } } })),
  );
}

/** Brings back what `discard` deleted. What asks for it goes away with the press, so each call is a deed. @throws Problem */
async function recall(workspace: string, entry: Entry): Promise<void> {
  const api = apiOf(workspace);
  const params = { header: { 'Idempotency-Key': newIdempotencyKey() } };
  if (entry.type === 'folder') {
    const body = { location: entry.folder.location };
    await retryWhenLimited(() => dataOf(api.POST('/folder-undeletes', { params, body })));
    return;
  }
  const body = { location: entry.document.location, document_id: entry.document.id };
  await retryWhenLimited(() => dataOf(api.POST('/trash/undeletes', { params, body })));
}

/** What became of several things. */
export interface Outcome {
  readonly done: readonly Entry[];
  readonly refused: readonly Refused[];
}

async function each(
  entries: readonly Entry[],
  work: (entry: Entry) => Promise<void>,
  onProgress: (done: number) => void,
): Promise<Outcome> {
  const done: Entry[] = [];
  const refused: Refused[] = [];
  await forEachAtOnce(entries, atOnce, async (entry) => {
    try {
      await work(entry);
      done.push(entry);
    } catch (error) {
      refused.push({ location: locationOf(entry), error });
    }
    onProgress(done.length + refused.length);
  });
  return { done, refused };
}

/** Deletes each. One that is refused does not keep the others. */
export function discardAll(
  workspace: string,
  entries: readonly Entry[],
  attempts: Attempts,
  onProgress: (done: number) => void = () => undefined,
): Promise<Outcome> {
  return each(entries, (entry) => discard(workspace, entry, attempts), onProgress);
}

/** Brings each back. */
export function recallAll(workspace: string, entries: readonly Entry[]): Promise<Outcome> {
  return each(
    entries,
    (entry) => recall(workspace, entry),
    () => undefined,
  );
}
