import type { Archive } from './archive.js';
import type { TextWriter } from './text-writer.js';
import { Unreadable } from './unreadable.js';
import { attributeOf, readXmlEntry, type Attributes, type XmlHandler } from './xml.js';

/** Text that was deleted, numbers of pages and slides, and forms of documents for machines. */
const left: ReadonlySet<string> = new Set(['tracked-changes', 'page-number', 'forms', 'sequence-decls', 'scripts']);
/** Blanks that one mark can stand for. */
const maxBlanks = 1000;

/** A text, spreadsheet or presentation of OpenDocument (odt, ods, odp). Sheets and slides are parts. */
export async function readOpenDocument(
  archive: Archive,
  writer: TextWriter,
  partsAre: 'sheets' | 'slides' | 'none',
): Promise<void> {
  const manifest = await archive.readWhole('META-INF/manifest.xml');
  if (manifest?.includes('encryption-data') === true) throw new Unreadable('encrypted');
  const handler = new ContentHandler(writer, partsAre);
  if (!(await readXmlEntry(archive, 'content.xml', handler, left))) throw new Unreadable('damaged');
}

class ContentHandler implements XmlHandler {
  readonly #writer: TextWriter;
  readonly #partsAre: 'sheets' | 'slides' | 'none';
  /** Paragraphs and headings within each other: a frame in a text, or a note. */
  #paragraphs = 0;
  #cells = 0;
  #slides = 0;
  #body = false;

  constructor(writer: TextWriter, partsAre: 'sheets' | 'slides' | 'none') {
    this.#writer = writer;
    this.#partsAre = partsAre;
  }

  open(name: string, attributes: Attributes): void {
    const writer = this.#writer;
    if (name === 'body') this.#body = true;
    if (!this.#body) return;
    if (name === 'p' || name === 'h') {
      this.#paragraphs += 1;
      const level = Number(attributeOf(attributes, 'outline-level') ?? '1');
      if (name === 'h' && this.#cells === 0) writer.beginHeading(Number.isInteger(level) ? level : 1);
    } else if (name === 's') {
      const count = Number(attributeOf(attributes, 'c') ?? '1');
      if (this.#paragraphs > 0) writer.write(' '.repeat(Math.min(Math.max(count || 1, 1), maxBlanks)));
    } else if (name === 'tab') writer.write('\t');
    else if (name === 'line-break') writer.endLine();
    else if (name === 'table-cell') this.#cells += 1;
    else if (name === 'table' && this.#partsAre === 'sheets' && this.#cells === 0) {
      writer.beginPart(`Sheet ${attributeOf(attributes, 'name') ?? ''}`);
    } else if (name === 'page' && this.#partsAre === 'slides') {
      this.#slides += 1;
      writer.beginPart(`Slide ${this.#slides}`);
    }
  }

  close(name: string): void {
    const writer = this.#writer;
    if (!this.#body) return;
    if (name === 'p' || name === 'h') {
      this.#paragraphs -= 1;
      if (this.#cells === 0) writer.endLine();
      else if (writer.isInLine) writer.write(' ');
    } else if (name === 'table-cell') {
      this.#cells -= 1;
      if (writer.isInLine) writer.write('\t');
    } else if (name === 'table-row' && this.#cells === 0) writer.endLine();
    else if (name === 'body') this.#body = false;
  }

  text(text: string): void {
    // Ends of lines between the words are blanks.
    if (this.#paragraphs > 0) this.#writer.write(text.includes('\n') ? text.replaceAll(/\s+/g, ' ') : text);
  }
}
