import { isMarkdown, type Document, type DocumentKind, type Folder } from '../../domain/document.js';
import { nameOf, rootLocation, type Location } from '../../domain/location.js';
import type { SearchReach } from '../../search/reachable.js';
import type { SearchPosition } from '../../search/ranking/search-position.js';
import type { SearchHit, SearchPage, SearchRequest } from '../../search/search-index.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import { Rests } from '../../scheduling/rests.js';
import type { View } from '../../view/view.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { ReadOperation } from '../operation.js';
import { findPlace, type TextPlace } from '../../text/find-place.js';

export interface SearchInput {
  readonly query: string;
  /** Only below this folder; the root for everywhere. Or in this document, whose places are the hits. */
  readonly location: Location;
  /** Only documents that have all of them. */
  readonly labels: readonly string[];
  readonly kind?: DocumentKind | undefined;
  /** Whether the query is still being typed: its last word is the beginning of words, too. */
  readonly isPartial?: boolean | undefined;
  readonly limit: number;
  readonly position: SearchPosition | null;
  /** Whether to find each hit's place in the text. */
  readonly withPlaces?: boolean | undefined;
  /** Characters for all hits together; at least one is found. Left out: no bound but the limit. */
  readonly room?: number | undefined;
}

/** A found document, with a piece of its text and the matches in it. */
export interface FoundText {
  readonly document: Document;
  readonly snippet: string;
  /** Pairs of start and end in UTF-16 code units. */
  readonly highlights: readonly (readonly [number, number])[];
  /** Whether the text was made of a file. */
  readonly isMade?: boolean;
  /** Its place in the text, only on request. */
  readonly place?: TextPlace;
}

/** A word that the caller may have meant, as a document in reach has it. */
export interface SuggestedWord {
  readonly word: string;
  readonly document: Document;
}

export interface SearchResults {
  /** The searched commit. Null in an empty workspace. */
  readonly commit: string | null;
  readonly hits: readonly FoundText[];
  /** Folders whose names have the words of the query, three at most; only with the first page. */
  readonly folders: readonly Folder[];
  /** Whether terms of a long question were left out. */
  readonly leavesOut: boolean;
  /** Where nothing was found: words that documents in reach have, and that the caller may have meant. */
  readonly didYouMean: readonly SuggestedWord[];
  /** The start of the next page. It reveals the size of the caller's reach, so it leaves the service only sealed. */
  readonly position: SearchPosition | null;
}

/** Characters of a hit beside its location, section and snippet. */
const hitFrame = 120;

const sizeOf = ({ document, snippet, place }: FoundText): number =>
  hitFrame + document.location.length + (place?.section?.length ?? 0) + JSON.stringify(snippet).length;

/**
 * Pages of the index that ended early, for one answer: as many times the documents of a phrase are read (decision 0014).
 * Else one of frequent words would have all of a workspace read.
 */
const mostCuts = 4;

/** Places of one document in an answer. */
const mostPlaces = 10;

/**
 * Documents in the caller's reach, best first; or the places in one of them, where its text is long. The reach is applied
 * before the ranking, so that nothing out of it has any effect (Operations 6, 9). No role is needed: without one there is
 * nothing to find.
 */
export const searchDocuments: ReadOperation<SearchInput, SearchResults> = {
  kind: 'read',
  name: 'document.search',
  isHeavy: true,
  needs: () => [],
  note: ({ query, location }) => ({ target: query, detail: location === '' ? {} : { folder: location } }),
  async run({ view, workspace, caller }, input) {
    const named = input.location === rootLocation ? undefined : view.document(input.location);
    const reach = named === undefined ? view.searchReach() : reachOf(named);
    const filters = {
      folder: named === undefined ? input.location : rootLocation,
      labels: input.labels,
      ...(input.kind === undefined ? {} : { kind: input.kind }),
    };
    const { query, withPlaces = false, isPartial = false } = input;
    const asked = { reach, query, filters, isPartial, everyPlace: named !== undefined };
    const most = named === undefined ? input.limit : Math.min(input.limit, mostPlaces);
    const commit = workspace.journal.state.head;
    const hits: FoundText[] = [];
    let { position } = input;
    let taken = 0;
    let leavesOut = false;
    let folders: readonly Folder[] = [];
    let cuts = 0;
    const rests = new Rests();
    const readText = rememberLast((document) => readIfPossible(workspace, document));
    do {
      const limit = most - hits.length;
      const page = await workspace.search.search({ ...asked, limit, position });
      if (page.folders.length > 0) folders = readFolders(workspace.view(caller), page.folders);
      for (const [index, hit] of page.hits.entries()) {
        if (rests.isDue) await rests.take();
        const found = await describeHit(workspace.view(caller), workspace, hit, {
          query: page.query,
          withPlaces,
          readText,
        });
        if (found === undefined) continue;
        taken += sizeOf(found);
        if (input.room !== undefined && taken > input.room && hits.length > 0) {
          // The position behind the hits of this page that fit.
          const fits = { ...asked, limit: index, position };
          const behind = index === 0 || named !== undefined ? position : (await workspace.search.search(fits)).position;
          return { commit, hits, folders, leavesOut: page.leavesOut, didYouMean: [], position: behind };
        }
        hits.push(found);
      }
      ({ position, leavesOut } = page);
      if (page.hits.length < limit) cuts += 1;
      // Documents deleted since the index was read leave room, and the next page fills it.
    } while (hits.length < most && position !== null && cuts < mostCuts);
    const isNothing = input.position === null && hits.length === 0 && position === null;
    const didYouMean = isNothing
      ? await suggestWords(workspace, { ...asked, limit: 1 }, () => workspace.view(caller))
      : [];
    return { commit, hits, folders, leavesOut, didYouMean, position };
  },
  // A suggested word is shown, so its document counts as read. The record does not name documents: an erase would have to
  // remove the names, and the query with them (decision 0260).
  noteResult: ({ commit, hits, didYouMean }) => ({
    ...(commit === null ? {} : { version: commit }),
    extent: { touched: [...hits, ...didYouMean].map(({ document }) => document.number) },
  }),
};

function readFolders(view: View, locations: readonly Location[]): Folder[] {
  return locations.map((location) => view.folder(location)).filter((folder) => folder !== undefined);
}

const reachOf = ({ location }: Document): SearchReach => ({ everything: false, folders: [], documents: [location] });

type ReadText = (document: Document) => Promise<string | null>;

/** Several places of one document are shown from one text. */
function rememberLast(read: ReadText): ReadText {
  let last: { readonly version: string; readonly text: string | null } | undefined;
  return async (document) => {
    const version = `${document.id} ${document.current.id}`;
    if (last?.version !== version) last = { version, text: await read(document) };
    return last.text;
  };
}

/** How a hit is described. */
interface Describing {
  readonly query: SearchPage['query'];
  readonly withPlaces: boolean;
  readonly readText: ReadText;
}

async function describeHit(
  view: View,
  workspace: Workspace,
  hit: SearchHit,
  { query, withPlaces, readText }: Describing,
): Promise<FoundText | undefined> {
  const document = view.document(hit.location);
  if (document === undefined || document.number !== hit.key) return undefined;
  const text = await readText(document);
  if (text === null) return { document, snippet: '', highlights: [] };
  const isMade = workspace.texts.isMade({ ...document.current, location: document.location });
  const { place, ...shown } = await workspace.search.snippet({ ...hit, isMade }, text, query);
  const found = { document, ...shown, ...(isMade ? { isMade } : {}) };
  if (!withPlaces) return found;
  return { ...found, place: await runCooperatively(findPlace(text, place, isMade || isMarkdown(document.current))) };
}

/** For a search without a hit: what its words may have been, at most three. */
async function suggestWords(
  workspace: Workspace,
  request: SearchRequest,
  currentView: () => View,
): Promise<SuggestedWord[]> {
  const suggested: SuggestedWord[] = [];
  for (const { hit, query } of await workspace.search.suggest(request)) {
    const document = currentView().document(hit.location);
    if (document === undefined || document.number !== hit.key) continue;
    const text = await readIfPossible(workspace, document);
    for (const [place, shown] of [text, nameOf(hit.location)].entries()) {
      if (shown === null) continue;
      const chunkStart = place === 0 ? hit.chunkStart : 0;
      const { snippet, highlights } = await workspace.search.snippet({ ...hit, chunkStart }, shown, query);
      const [start, end] = highlights[0] ?? [0, 0];
      if (start === end) continue;
      suggested.push({ word: snippet.slice(start, end), document });
      break;
    }
  }
  return suggested;
}

/**
 * The text of a document that a search found; null where it has none, and for one that cannot be read: it takes the snippet
 * of its own hit away, and not the answer.
 */
async function readIfPossible(workspace: Workspace, { number, location, current }: Document): Promise<string | null> {
  try {
    return await workspace.texts.read({ ...current, number, location });
  } catch (error) {
    workspace.onFault('A text that a search found could not be read', error);
    return null;
  }
}
