import type { CommentAnchor, PlacedPassage, Quote } from '../../domain/comment.js';
import type { Version } from '../../domain/document.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import type { StoredThread } from '../../sidecar/tables/comment-table.js';
import { numberLines } from '../../text/line-number.js';
import { PassageFinder } from '../../text/passage.js';
import type { Workspace } from '../../workspace/workspace.js';
import { readVersionText } from '../documents/read-text.js';

type Place = PlacedPassage | null;
/** Places of passages by the ids of their threads. */
export type Places = ReadonlyMap<string, Place>;
type QuotedThread = StoredThread & { readonly quote: Quote };

export const isQuoted = (thread: StoredThread): thread is QuotedThread => thread.quote !== null;

/** Positions of the threads' passages in one text, by the threads' ids. Null for passages not in it. */
function* placeThreads(text: string, threads: readonly QuotedThread[]): Generator<void, Map<string, Place>> {
  const places = new Map<string, Place>();
  const finder = new PassageFinder(text);
  const lineAt = yield* numberLines(text);
  for (const { id, quote } of threads) {
    yield;
    const passage = yield* finder.find(quote);
    const lines = passage && {
      line: lineAt(passage.start),
      lastLine: lineAt(Math.max(passage.start, passage.end - 1)),
    };
    places.set(id, passage && lines ? { ...passage, ...lines } : null);
  }
  return places;
}

/**
 * The same in one version of a document. A cache keeps the positions found, so that the next call costs nothing. Binary
 * content, or text too large to read, has no passages.
 */
export async function findPlaces(
  workspace: Workspace,
  version: Version,
  threads: readonly QuotedThread[],
): Promise<Places> {
  const { passages } = workspace;
  const places = new Map<string, Place>();
  const unknown: QuotedThread[] = [];
  for (const thread of threads) {
    const known = passages.recall(thread.id, version.id);
    if (known === undefined) unknown.push(thread);
    else places.set(thread.id, known);
  }
  if (unknown.length === 0) return places;
  const text = await readVersionText(workspace, version);
  const found = text === undefined ? new Map<string, Place>() : await runCooperatively(placeThreads(text, unknown));
  for (const { id } of unknown) {
    const place = found.get(id) ?? null;
    passages.remember(id, version.id, place);
    places.set(id, place);
  }
  return places;
}

export function describeAnchor({ id, quote }: StoredThread, places: Places): CommentAnchor {
  if (quote === null) return { type: 'document' };
  const place = places.get(id) ?? null;
  return place === null ? { type: 'orphaned', quote: quote.text } : { type: 'passage', quote: quote.text, place };
}
