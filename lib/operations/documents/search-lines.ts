import { isMarkdown, type Document } from '../../domain/document.js';
import { rootLocation, type Location } from '../../domain/location.js';
import { invalidRequest } from '../../domain/refusal.js';
import { fileOf } from '../../indexing/file-texts.js';
import { maxIndexedBytes } from '../../indexing/indexed-texts.js';
import { sourceOf } from '../../limits/work-limits.js';
import { startOfText, type FoundLine, type LinesFound, type TextPosition } from '../../lines/find-lines.js';
import type { LineSearch } from '../../lines/line-finder.js';
import type { LineQuery } from '../../lines/line-query.js';
import { Rests } from '../../scheduling/rests.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { ReadContext, ReadOperation } from '../operation.js';
import { walkAfter } from './walk-after.js';

/** Where the next page goes on. */
export interface LinePosition {
  /** Of the last document that was looked at; '' for none. */
  readonly location: string;
  /** A place in that document, as it was then. Null behind it. */
  readonly inside: (TextPosition & { readonly id: string; readonly version: string }) | null;
}

export interface SearchLinesInput {
  /** In one line, of at most 500 characters. */
  readonly query: string;
  readonly match: LineQuery['match'];
  /** A folder, with everything below, or a document. */
  readonly location: Location;
  /** Only documents that have all of them. */
  readonly labels: readonly string[];
  /** Lines shown on either side of one. */
  readonly context: number;
  readonly limit: number;
  readonly position: LinePosition | null;
  /** Characters for all lines together; at least one is found. Left out: no bound but the limit. */
  readonly room?: number | undefined;
  /** Aborted when nobody waits for the answer any more. */
  readonly departure?: (() => AbortSignal) | undefined;
  /** Takes further requests from the caller's rate. Left out: they are not counted. */
  readonly charge?: ((requests: number) => void) | undefined;
}

/** A line that was found, or in its place that the rest of a document was passed over because it has changed. */
export interface LineItem {
  readonly document: Document;
  readonly found: FoundLine | 'changed';
}

export interface LineResults {
  /** The newest commit when the search began. Null in an empty workspace. */
  readonly commit: string | null;
  readonly items: readonly LineItem[];
  readonly position: LinePosition | null;
}

/** Lines of one document on a page. */
const mostOfOne = 20;
/** Texts that a page looks through, and their bytes; a larger text is the only one. */
const mostTexts = 500;
const mostBytes = 8 * 1024 * 1024;
/** Documents of any kind that a page passes. */
const mostPassed = 10_000;
/** Milliseconds of the thread for a page, and for each request that it counts as. */
const mostTime = 1000;
const timeOfRequest = 50;
/** Documents listed before the event loop takes other requests. */
const listedAtOnce = 50;

/**
 * Lines of texts in the caller's reach that hold the very characters, or fit the pattern: in the order of a list of
 * everything in a folder, then of their lines. No role is needed: without one there is nothing to find.
 *
 * A page depends on documents of the reach alone, and on how busy the machine is and which texts it knows from earlier
 * searches. It may be empty and not the last.
 * @throws Refusal INVALID_REQUEST `bad_pattern`, `bad_field`, `query_too_long`; `not_text`, `content_too_large` where
 * the location is a document that is not searched
 */
export const searchLines: ReadOperation<SearchLinesInput, LineResults> = {
  kind: 'read',
  name: 'document.search',
  needs: () => [],
  note: ({ query, match, location }) => ({
    target: query,
    detail: { match, ...(location === rootLocation ? {} : { folder: location }) },
  }),
  async run(context, input) {
    const { workspace, caller, view } = context;
    requireQuery(input.query);
    const named = input.location === rootLocation ? undefined : view.document(input.location);
    const source = sourceOf(workspace.name, caller);
    // Only then one of the key's computations: those who wait for the one thread hold none that others need.
    const leave = await workspace.workLimits.lineSearches.take(source);
    try {
      const release = await workspace.workLimits.computations.take(source);
      try {
        if (named !== undefined) await requireSearched(workspace, named);
        const searching = {
          query: { match: input.match, text: input.query },
          signal: input.departure?.(),
          spend: (milliseconds: number) => input.charge?.(Math.ceil(milliseconds / timeOfRequest)),
        };
        return await workspace.lines.search(searching, (search) =>
          new LinePage(context, input, search).fill(named !== undefined),
        );
      } finally {
        release();
      }
    } finally {
      leave();
    }
  },
  // As with every search, the record does not name them (decision 0260).
  noteResult: ({ commit, items }) => {
    const shown = items.filter(({ found }) => found !== 'changed').map(({ document }) => document.number);
    return { ...(commit === null ? {} : { version: commit }), extent: { touched: [...new Set(shown)] } };
  },
};

/** @throws Refusal INVALID_REQUEST `query_too_long`, `bad_field` */
function requireQuery(query: string): void {
  if (query.length > 500) {
    throw invalidRequest('query_too_long', 'Lines are searched for at most 500 characters.', { input: 'query' });
  }
  if (query.includes('\n')) {
    throw invalidRequest('bad_field', 'Each line is searched by itself, so no line end can be searched for.', {
      input: 'query',
    });
  }
}

/** Whether it is a text, or one is made of it. */
function isSearched({ texts }: Workspace, { location, current }: Document): boolean {
  return current.kind === 'text' ? current.size <= maxIndexedBytes : texts.isMade({ ...current, location });
}

/** @throws Refusal INVALID_REQUEST `not_text`, `content_too_large` */
async function requireSearched(workspace: Workspace, document: Document): Promise<void> {
  const { kind, size } = document.current;
  if (kind === 'text' && size > maxIndexedBytes) {
    throw invalidRequest('content_too_large', `Texts of up to ${maxIndexedBytes} bytes are searched.`, {
      field: 'location',
      limit: maxIndexedBytes,
      size,
    });
  }
  if (kind === 'text' || (await readLines(workspace, document)) !== null) return;
  throw invalidRequest('not_text', 'The document is not text: it has no lines.', { field: 'location' });
}

/** The bytes of a document's text; null where it has none, and where none is made of it yet. */
async function readLines(
  { objects, texts }: Workspace,
  { number, location, current }: Document,
): Promise<Buffer | null> {
  if (current.kind === 'text') return objects.readContent(current);
  const made = await texts.read({ ...current, number, location });
  return made === null ? null : Buffer.from(made);
}

/** Characters of an item beside its location and its lines. */
const itemFrame = 160;

function sizeOf({ document, found }: LineItem): number {
  const texts = found === 'changed' ? [] : [found.text, found.section, ...found.before, ...found.after];
  return itemFrame + document.location.length + JSON.stringify(texts).length;
}

/**
 * Of this very text: a document's alone, so that nothing is known of another with the same bytes. What is made of a file
 * can become another text.
 */
function keyOf({ texts }: Workspace, document: Document): string {
  const { id, current } = document;
  const way = current.kind === 'binary' ? texts.files.wayOf(fileOf(document, current)) : '';
  return `${id} ${current.id} ${way}`;
}

/** One page, from its first document to its last. */
class LinePage {
  readonly #context: ReadContext;
  readonly #input: SearchLinesInput;
  readonly #search: LineSearch;
  readonly #commit: string | null;
  readonly #items: LineItem[] = [];
  #texts = 0;
  #bytes = 0;
  #passed = 0;
  #taken = 0;

  constructor(context: ReadContext, input: SearchLinesInput, search: LineSearch) {
    this.#context = context;
    this.#input = input;
    this.#search = search;
    this.#commit = context.workspace.journal.state.head;
  }

  /** @param isNamed whether the location is a document */
  async fill(isNamed: boolean): Promise<LineResults> {
    const { location, position } = this.#input;
    const from = position?.location ?? '';
    const begun = position?.inside ?? null;
    if (begun !== null) {
      const stopped = await this.#goOn(from as Location, begun);
      if (stopped !== undefined) return this.#end(stopped);
    }
    if (isNamed) {
      const stopped = from === '' ? await this.#readAt(location, startOfText) : undefined;
      return this.#end(stopped ?? null);
    }
    return this.#end(await this.#walk(from));
  }

  #end(position: LinePosition | null): LineResults {
    return { commit: this.#commit, items: this.#items, position };
  }

  /** The document that the page before ended in. @returns where the page ends; undefined to go on behind it */
  async #goOn(location: Location, begun: NonNullable<LinePosition['inside']>): Promise<LinePosition | undefined> {
    const document = this.#documentAt(location);
    if (document === undefined) return undefined;
    // Another one has taken its place, and nobody has looked through that.
    if (document.id !== begun.id) return this.#readAt(location, startOfText);
    if (document.current.id === begun.version) return this.#readAt(location, begun);
    this.#items.push({ document, found: 'changed' });
    return undefined;
  }

  /** @returns where the page ends; null at the end of everything */
  async #walk(from: string): Promise<LinePosition | null> {
    const { location: folder } = this.#input;
    const rests = new Rests();
    for (let last = from; ;) {
      const batch = this.#list(folder, last);
      for (const document of batch) {
        const isKnown = this.#isKnown(document);
        if (this.#isFull(document, isKnown)) return { location: last, inside: null };
        this.#passed += 1;
        if (rests.isDue) await rests.take();
        const stopped = isKnown ? undefined : await this.#readAt(document.location, startOfText);
        if (stopped !== undefined) return stopped;
        last = document.location;
      }
      if (batch.length < listedAtOnce) return null;
      await rests.take();
    }
  }

  #list(folder: Location, after: string): Document[] {
    const { workspace, caller } = this.#context;
    const batch: Document[] = [];
    for (const document of walkAfter(workspace.view(caller), folder, after, true)) {
      batch.push(document);
      if (batch.length === listedAtOnce) break;
    }
    return batch;
  }

  /** What is there now, in the caller's reach of now. */
  #documentAt(location: Location): Document | undefined {
    const { workspace, caller } = this.#context;
    const document = workspace.view(caller).document(location);
    const isAsked = this.#input.labels.every((label) => document?.labels.includes(label));
    return isAsked ? document : undefined;
  }

  /** Whether it is known that the text has no such line. */
  #isKnown(document: Document): boolean {
    return !this.#search.mayHold(keyOf(this.#context.workspace, document));
  }

  /** Whether the page ends before this document. @param isKnown whether nothing of it would be read */
  #isFull({ current: { size } }: Document, isKnown: boolean): boolean {
    if (this.#items.length >= this.#input.limit || this.#passed >= mostPassed || this.#texts >= mostTexts) return true;
    if (this.#search.milliseconds >= mostTime) return true;
    return this.#bytes > 0 && !isKnown && size <= maxIndexedBytes && this.#bytes + size > mostBytes;
  }

  /** Looks through a document from a place on. @returns where the page ends; undefined to go on behind the document */
  async #readAt(location: Location, from: TextPosition): Promise<LinePosition | undefined> {
    const document = this.#documentAt(location);
    if (document === undefined || !isSearched(this.#context.workspace, document)) return undefined;
    const { id, current } = document;
    const found = await this.#find(document, from);
    if (found === undefined) return undefined;
    const inside = (at: TextPosition): LinePosition => ({ location, inside: { ...at, id, version: current.id } });
    for (const line of found.lines) {
      const item = { document, found: line };
      this.#taken += sizeOf(item);
      if (this.#taken > (this.#input.room ?? Number.POSITIVE_INFINITY) && this.#items.length > 0) {
        return inside({ line: line.line, window: 0 });
      }
      this.#items.push(item);
    }
    return found.next === null ? undefined : inside(found.next);
  }

  /** Undefined where the document went while it was read. @throws what reading throws */
  async #find(document: Document, from: TextPosition): Promise<LinesFound | undefined> {
    const { current } = document;
    this.#texts += 1;
    const key = keyOf(this.#context.workspace, document);
    let bytes: Buffer | null;
    try {
      bytes = await readLines(this.#context.workspace, document);
    } catch (error) {
      if (this.#documentAt(document.location)?.current.id !== current.id) return undefined;
      throw error;
    }
    if (bytes === null) return undefined;
    this.#bytes += bytes.length;
    const isText = current.kind === 'text';
    const mediaType = isText ? current.mediaType : 'text/markdown; charset=utf-8';
    const text = { bytes, mediaType, isMarkdown: !isText || isMarkdown(current) };
    const { context, limit } = this.#input;
    const most = Math.min(mostOfOne, limit - this.#items.length);
    return this.#search.read(key, text, { from, most, context }, mostTime - this.#search.milliseconds);
  }
}
