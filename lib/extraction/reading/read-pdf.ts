import type * as PdfjsModule from 'pdfjs-dist/legacy/build/pdf.min.mjs';
import type { TextItem, PdfPage } from 'pdfjs-dist/legacy/build/pdf.min.mjs';
import { maxPageItems, maxPages } from '../bounds.js';
import type { TextWriter } from './text-writer.js';
import { reasonOf, Unreadable } from './unreadable.js';

type Pdfjs = typeof PdfjsModule;

let loading: Promise<Pdfjs> | undefined;

/** Nothing is drawn, so a class without members will do. */
function DrawnNowhere(): void {}

/** pdf.js, within this thread. */
async function loadPdfjs(): Promise<Pdfjs> {
  const places = globalThis as unknown as Record<string, unknown>;
  places['DOMMatrix'] ??= DrawnNowhere;
  places['Path2D'] ??= DrawnNowhere;
  places['ImageData'] ??= DrawnNowhere;
  places['pdfjsWorker'] = await import('pdfjs-dist/legacy/build/pdf.worker.min.mjs');
  return import('pdfjs-dist/legacy/build/pdf.min.mjs');
}

/**
 * A PDF: each page is a part.
 * @param maps folder of the character maps, with a separator at its end
 * @throws Unreadable `encrypted`, `damaged`
 */
export async function readPdf(bytes: Buffer, writer: TextWriter, maps: string): Promise<void> {
  const { getDocument } = await (loading ??= loadPdfjs());
  const opening = getDocument({
    data: new Uint8Array(bytes),
    cMapUrl: maps,
    cMapPacked: true,
    isEvalSupported: false,
    useSystemFonts: false,
    disableFontFace: true,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    useWasm: false,
    enableXfa: false,
    maxImageSize: 0,
    verbosity: 0,
  });
  try {
    const document = await opening.promise.catch((error: unknown) => {
      const isLocked = error instanceof Error && error.name === 'PasswordException';
      throw isLocked ? new Unreadable('encrypted') : error;
    });
    const pages = Math.min(document.numPages, maxPages);
    if (pages < document.numPages) writer.noteCut();
    let bad = 0;
    for (let number = 1; number <= pages; number += 1) {
      writer.beginPart(`Page ${number}`);
      const isGood = await document.getPage(number).then(
        (page) => readPage(page, writer),
        (error: unknown) => passOver(error),
      );
      if (!isGood) bad += 1;
      // One that promises many pages and has none.
      if (bad === number && bad === maxBadPages) break;
    }
    if (bad === pages || bad === maxBadPages) throw new Unreadable('damaged');
  } finally {
    await opening.destroy();
  }
}

/** Bad pages at the start, after which no good one is expected. */
const maxBadPages = 100;

/** One bad page leaves the others. @returns false @throws the error, where it is none of the page */
function passOver(error: unknown): false {
  if (error instanceof Error && error.name === 'TextIsFull') throw error;
  if (error instanceof Unreadable || reasonOf(error) === 'too_much_memory') throw error;
  return false;
}

/** @returns whether the page could be read */
async function readPage(page: PdfPage, writer: TextWriter): Promise<boolean> {
  const reader = page.streamTextContent().getReader();
  const items = new ItemWriter(writer);
  let left = maxPageItems;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || value === undefined) return true;
      for (const item of value.items) {
        if (left === 0) {
          writer.noteCut();
          await reader.cancel(new Error('enough'));
          return true;
        }
        left -= 1;
        items.write(item);
      }
    }
  } catch (error) {
    await reader.cancel(new Error('ended')).catch(() => undefined);
    return passOver(error);
  } finally {
    items.end();
    page.cleanup();
  }
}

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const digitOrLatin = /[0-9A-Za-z\u00c0-\u024f]/;

/** A part of a word at the end of a line, with its hyphen: `optimi-`. */
const divided = /\p{Ll}[-\u00ad\u2010]$/u;
const goesOn = /^\p{Ll}/u;

/**
 * Writes the pieces of a page, with blanks where pdf.js leaves them out. A word that is divided between two lines is
 * written as one, or nobody would find it: most of such hyphens are no part of their word.
 */
class ItemWriter {
  readonly #writer: TextWriter;
  #last = '';
  /** A hyphen that is not written yet, and whether its line has ended. */
  #hyphen = '';
  #isLineOver = false;

  constructor(writer: TextWriter) {
    this.#writer = writer;
  }

  write({ str = '', hasEOL = false }: TextItem): void {
    if (str !== '') {
      if (this.#isLineOver && goesOn.test(str)) this.#dropHyphen();
      this.#writeHyphen();
      if (this.#changesScript(str)) this.#writer.write(' ');
      this.#hyphen = divided.test(str) ? str.slice(-1) : '';
      this.#writer.write(str.slice(0, str.length - this.#hyphen.length));
      this.#last = str.slice(-1);
    }
    if (!hasEOL) return;
    this.#last = '';
    if (this.#hyphen !== '' && !this.#isLineOver) this.#isLineOver = true;
    else {
      this.#writeHyphen();
      this.#writer.endLine();
    }
  }

  end(): void {
    this.#writeHyphen();
    this.#writer.endLine();
  }

  #writeHyphen(): void {
    if (this.#hyphen !== '') this.#writer.write(this.#hyphen);
    if (this.#isLineOver) this.#writer.endLine();
    this.#dropHyphen();
  }

  #dropHyphen(): void {
    this.#hyphen = '';
    this.#isLineOver = false;
  }

  /** Numbers and Latin words stand beside words of Hebrew and Arabic without a blank between them. */
  #changesScript(text: string): boolean {
    const first = text[0] ?? '';
    const [before, after] = [rightToLeft.test(this.#last), rightToLeft.test(first)];
    return (before && digitOrLatin.test(first)) || (after && digitOrLatin.test(this.#last));
  }
}
