import type { CommentAnchor, ListedComment, PlacedPassage } from '../domain/comment.js';
import { lineNumberer } from '../domain/line-number.js';
import type { Location } from '../domain/location.js';
import { makePage, type Page } from '../domain/page.js';
import { PassageFinder } from '../domain/passage.js';
import { invalidRequest, notFound } from '../domain/refusal.js';
import type { StoredComment, StoredThread } from '../sidecar/comment-table.js';
import { toComment } from './add-comment.js';
import type { ReadOperation } from './operation.js';
import { readVersionText } from './read-text.js';

export interface ListCommentsInput {
  readonly location: Location;
  /** `open`: only threads that are not resolved. */
  readonly which: 'all' | 'open';
  /** The version to find passages in; left out for the current one. */
  readonly versionId?: string | undefined;
  /** The position that the page before ended at; '' for the first page. */
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

/** Finds where threads' passages are in one text; each thread once. */
class Anchors {
  readonly #finder: PassageFinder | undefined;
  readonly #lineAt: (offset: number) => number;
  readonly #known = new Map<number, CommentAnchor>();

  /** @param text undefined for what is no text, or too large to look into: passages count as orphaned then */
  constructor(text: string | undefined) {
    this.#finder = text === undefined ? undefined : new PassageFinder(text);
    this.#lineAt = lineNumberer(text ?? '');
  }

  of(thread: StoredThread): CommentAnchor {
    let anchor = this.#known.get(thread.number);
    if (anchor === undefined) this.#known.set(thread.number, (anchor = this.#find(thread)));
    return anchor;
  }

  #find({ quote }: StoredThread): CommentAnchor {
    if (quote === null) return { type: 'document' };
    const passage = this.#finder?.find(quote);
    if (passage === undefined) return { type: 'orphaned', quote: quote.text };
    const place: PlacedPassage = {
      ...passage,
      line: this.#lineAt(passage.start),
      lastLine: this.#lineAt(Math.max(passage.start, passage.end - 1)),
    };
    return { type: 'passage', quote: quote.text, place };
  }
}

/**
 * Comments on a document, thread by thread in the order in which they were started, with where their passages are now.
 * Those whose passage is gone are there too, as orphaned. Reader.
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
    const list = (text: string | undefined): ListedComments => {
      const anchors = new Anchors(text);
      return {
        items: items.flatMap((item) => describe(item, threads.get(item.thread), anchors)),
        next,
        documentId: document.id,
      };
    };
    const hasQuotes = [...threads.values()].some(({ quote }) => quote !== null);
    return hasQuotes ? readVersionText(workspace, version).then(list) : list(undefined);
  },
  noteResult: ({ documentId }) => ({ documentId }),
};

function describe(item: StoredComment, thread: StoredThread | undefined, anchors: Anchors): ListedComment[] {
  if (thread === undefined) return [];
  return [{ comment: toComment(item), anchor: anchors.of(thread), resolved: thread.resolved }];
}
