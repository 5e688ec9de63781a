import type { DocumentKind } from '../domain/document.js';
import { nameOf, type Location } from '../domain/location.js';
import { runCooperatively } from '../scheduling/run-cooperatively.js';
import { decodeTextInSteps } from '../text/charset.js';
import type { FileTexts, IndexedFile, WantedFile } from './file-texts.js';

/** Texts above this are found by their name alone. Bytes. */
export const maxIndexedBytes = 10 * 1024 * 1024;

/** A content of a document, as far as its text is concerned. */
export interface TextSource {
  readonly number: number;
  readonly location: Location;
  readonly blobOid: string;
  /** Bytes. */
  readonly size: number;
  readonly kind: DocumentKind;
  readonly mediaType: string;
}

export interface IndexedTextsOptions {
  readonly readBlob: (oid: string) => Promise<Buffer>;
  readonly files: FileTexts;
  /** A document's present content; undefined where it is not live. */
  readonly currentOf: (number: number) => (TextSource & Pick<WantedFile, 'author'>) | undefined;
  readonly onFault: (what: string, cause: unknown) => void;
}

/** The texts by which documents are found: their own, or those that were made of files. */
export class IndexedTexts {
  readonly files: FileTexts;
  readonly #options: IndexedTextsOptions;

  constructor(options: IndexedTextsOptions) {
    this.#options = options;
    this.files = options.files;
  }

  /** Whether its text is made of the file. */
  isMade({ kind, mediaType, location }: Pick<TextSource, 'kind' | 'mediaType' | 'location'>): boolean {
    return kind === 'binary' && this.files.makesText(mediaType, nameOf(location));
  }

  /**
   * The text of a content; null where it has none, or is too long. A text that has to be made comes later, as a change of
   * the document in the index.
   * @throws as reading a blob does
   */
  async read(source: TextSource): Promise<string | null> {
    if (source.kind === 'binary') return this.#readMade(source);
    if (source.size > maxIndexedBytes) return null;
    return runCooperatively(decodeTextInSteps(await this.#options.readBlob(source.blobOid), source.mediaType));
  }

  /** Has texts made that are missing, and those dropped that are not wanted, in the background. @param files in the index */
  catchUp(files: Iterable<IndexedFile>): void {
    void this.files
      .catchUp(files)
      .catch((error: unknown) => this.#options.onFault('Texts of files could not be looked for', error));
  }

  /** The text of the document's present content. */
  async readCurrent(number: number): Promise<string | null> {
    const current = this.#options.currentOf(number);
    return current === undefined ? null : this.read(current);
  }

  async #readMade(source: TextSource): Promise<string | null> {
    if (!this.isMade(source)) return null;
    const file = toFile(this.#options.currentOf(source.number));
    return file?.blobOid === source.blobOid ? this.files.readOrWant(file) : null;
  }
}

/** The file of a present content. */
export function toFile(current: (TextSource & Pick<WantedFile, 'author'>) | undefined): WantedFile | undefined {
  if (current === undefined) return undefined;
  const { number, blobOid, size, mediaType, location, author } = current;
  return { number, blobOid, size, mediaType, name: nameOf(location), author };
}
