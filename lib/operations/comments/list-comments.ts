import type { CommentAnchor, ListedComment, PlacedPassage, Quote } from '../../domain/comment.js';
import type { Version } from '../../domain/document.js';
import { numberLines } from '../../text/line-number.js';
import type { Location } from '../../domain/location.js';
import { makePage, type Page } from '../../domain/page.js';
import { PassageFinder } from '../../text/passage.js';
import { invalidRequest, notFound } from '../../domain/refusal.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import type { StoredComment, StoredThread } from '../../sidecar/tables/comment-table.js';
import type { Workspace } from '../../workspace/workspace.js';
import { toComment } from './add-comment.js';
import type { ReadOperation } from '../operation.js';
import { readVersionText } from '../documents/read-text.js';

export interface ListCommentsInput {
  readonly location: Location;
  /** `open`: only threads that are not resolved. */
  readonly which: 'all' | 'open';
  /** The version in which to find passages. Left out: the current one. */
  readonly versionId?: string | undefined;
  /** The end position of the page before; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

export interface ListedComments extends Page<ListedComment> {
  readonly documentId: string;
}

const digits = 16;
const encodeNumbers = (...numbers: number[]): string =>
  numbers.map((number) => String(number).padStart(digits, '0')).join('');

/** @throws Refusal INVALID_REQUEST `bad_cursor` */
function decodeNumbers(position: string, count: number): number[] {
  if (!/^\d+$/.test(position) || position.length !== count * digits) {
    throw invalidRequest('bad_cursor', 'The cursor is not one for this query. Start again without it.', {
      field: 'cursor',
    });
  }
  return Array.from({ length: count }, (_, index) => Number(position.slice(index * digits, (index + 1) * digits)));
}

type Place = PlacedPassage | null;
type QuotedThread = StoredThread & { readonly quote: Quote };

const isQuoted = (thread: StoredThread): thread is QuotedThread => thread.quote !== null;

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
async function findPlaces(
  workspace: Workspace,
  version: Version,
  threads: readonly QuotedThread[],
): Promise<ReadonlyMap<string, Place>> {
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

function describeAnchor({ id, quote }: StoredThread, places: ReadonlyMap<string, Place>): CommentAnchor {
  if (quote === null) return { type: 'document' };
  const place = places.get(id) ?? null;
  return place === null ? { type: 'orphaned', quote: quote.text } : { type: 'passage', quote: quote.text, place };
}

/**
 * Comments on a document, thread by thread from the oldest, with the present positions of their passages. Comments
 * without their passage are there too, as orphaned. Reader.
 */
export const listComments: ReadOperation<ListCommentsInput, ListedComments> = {
  kind: 'read',
  name: 'comment.list',
  isHeavy: true,
  needs: ({ location }) => [{ role: 'reader', location }],
  note: ({ location, which }) => ({ target: location, detail: { which } }),
  run({ view, workspace }, { location, which, versionId, after, limit }) {
    const { comments } = view.tables;
    const document = view.document(location);
    if (document === undefined) throw notFound();
    const version = versionId === undefined ? document.current : view.version(document, versionId);
    if (version === undefined) throw notFound();
    const [thread = 0, comment = 0] = after === '' ? [] : decodeNumbers(after, 2);
    const found = comments.list(document.number, which, { thread, comment }, limit + 1);
    const { items, next } = makePage(found, limit, (each) => encodeNumbers(each.thread, each.number));
    const threads = new Map<number, StoredThread>();
    for (const item of items) {
      const known = threads.get(item.thread) ?? comments.findThread(item.threadId);
      if (known !== undefined) threads.set(item.thread, known);
    }
    const list = (places: ReadonlyMap<string, Place>): ListedComments => ({
      items: items.flatMap((item) => describe(item, threads.get(item.thread), places)),
      next,
      documentId: document.id,
    });
    return findPlaces(workspace, version, [...threads.values()].filter(isQuoted)).then(list);
  },
  noteResult: ({ documentId }) => ({ documentId }),
};

function describe(
  item: StoredComment,
  thread: StoredThread | undefined,
  places: ReadonlyMap<string, Place>,
): ListedComment[] {
  if (thread === undefined) return [];
  return [{ comment: toComment(item), anchor: describeAnchor(thread, places), resolved: thread.resolved }];
}
