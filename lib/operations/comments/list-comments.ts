import type { ListedComment } from '../../domain/comment.js';
import type { Location } from '../../domain/location.js';
import { makePage, type Page } from '../../domain/page.js';
import { invalidRequest, notFound } from '../../domain/refusal.js';
import type { StoredComment, StoredThread } from '../../sidecar/tables/comment-table.js';
import { toComment } from './add-comment.js';
import { describeAnchor, findPlaces, isQuoted, type Places } from './find-places.js';
import type { ReadOperation } from '../operation.js';

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
    const list = (places: Places): ListedComments => ({
      items: items.flatMap((item) => describe(item, threads.get(item.thread), places)),
      next,
      documentId: document.id,
    });
    return findPlaces(workspace, version, [...threads.values()].filter(isQuoted)).then(list);
  },
  noteResult: ({ documentId }) => ({ documentId }),
};

function describe(item: StoredComment, thread: StoredThread | undefined, places: Places): ListedComment[] {
  if (thread === undefined) return [];
  return [{ comment: toComment(item), anchor: describeAnchor(thread, places), resolved: thread.resolved }];
}
