import type { SearchDocument } from '../search/analysis/analyze-document.js';
import type { Analysis, SearchIndex, SearchUpsert } from '../search/search-index.js';
import { keysFor, type DocumentToIndex } from './index-event.js';
import { maxIndexedBytes, type IndexedTexts } from './indexed-texts.js';

/** Bytes of text analysed on the spot, in less than 50 ms for any content and all languages; more goes to a worker. */
export const shortText = 8 * 1024;
/** Bytes of texts that are read together. */
const bytesTogether = 16 * 1024 * 1024;

export interface AnalysisMeans {
  /** Of the documents' contents. */
  readonly texts: Pick<IndexedTexts, 'read' | 'isMade'>;
  /** Whether the worker is about to end: then its end says nothing about a text. */
  isClosing(this: void): boolean;
  /** Gets the reason why a text is not in the analysis. */
  leaveOut(this: void, cause: unknown): void;
}

type Analyst = Pick<SearchIndex, 'analyze' | 'analyzeInWorker'>;

/**
 * Analyses documents, in pieces: their texts may be longer together than memory is large. A document whose text cannot
 * be read, or ends the worker, is analysed by its name alone. So no document keeps the others out of the index.
 */
export async function analyzeDocuments(
  documents: readonly DocumentToIndex[],
  index: Analyst,
  means: AnalysisMeans,
): Promise<SearchUpsert[]> {
  const pieces: SearchUpsert[] = [];
  for await (const { some, prepared, bytes } of inPieces(documents, means)) {
    const analysis = bytes > shortText ? await analyzeBeside(prepared, index, means) : index.analyze(...prepared);
    pieces.push({ analysis, keys: keysFor(analysis, some) });
  }
  return pieces;
}

/** Documents that are analysed in one go. */
interface Piece {
  readonly some: DocumentToIndex[];
  readonly prepared: SearchDocument[];
  /** Of their texts. */
  bytes: number;
}

/**
 * The documents in their order, with their texts, in pieces that are short enough to be in memory at once: how long the
 * text of a file is shows when it is read, so one may come on top.
 */
async function* inPieces(documents: readonly DocumentToIndex[], means: AnalysisMeans): AsyncGenerator<Piece> {
  let piece: Piece = { some: [], prepared: [], bytes: 0 };
  for (const document of documents) {
    const { location, size, kind, labels } = document;
    const isMade = means.texts.isMade(document);
    const known = kind === 'text' && size <= maxIndexedBytes ? size : 0;
    if (piece.some.length > 0 && piece.bytes + known > bytesTogether) {
      yield piece;
      piece = { some: [], prepared: [], bytes: 0 };
    }
    const text = kind === 'text' || isMade ? await readIfPossible(document, means) : null;
    piece.some.push(document);
    piece.prepared.push({ location, text, kind, labels, isMade });
    piece.bytes += text === null ? 0 : Math.max(known, text.length);
  }
  if (piece.some.length > 0) yield piece;
}

async function readIfPossible(document: DocumentToIndex, { texts, leaveOut }: AnalysisMeans): Promise<string | null> {
  try {
    return await texts.read(document);
  } catch (error) {
    leaveOut(error);
    return null;
  }
}

/** Analyses in the worker. Where that fails, each text is tried alone, and left out where it fails again. */
async function analyzeBeside(
  documents: readonly SearchDocument[],
  index: Analyst,
  means: AnalysisMeans,
): Promise<Analysis> {
  try {
    return await index.analyzeInWorker(documents);
  } catch (error) {
    if (means.isClosing()) throw error;
  }
  const fit: SearchDocument[] = [];
  for (const document of documents) {
    const fault = document.text === null ? null : await findFault(document, index, means);
    if (fault !== null) means.leaveOut(fault);
    fit.push(fault === null ? document : { ...document, text: null });
  }
  return fit.every(({ text }) => text === null) ? index.analyze(...fit) : index.analyzeInWorker(fit);
}

/** Why the document cannot be analysed, even alone. */
async function findFault(
  document: SearchDocument,
  index: Analyst,
  { isClosing }: AnalysisMeans,
): Promise<Error | null> {
  try {
    await index.analyzeInWorker([document]);
    return null;
  } catch (error) {
    if (isClosing()) throw error;
    return error instanceof Error ? error : new Error(String(error));
  }
}
