import type { Archive } from './archive.js';
import { builtInForm, formOf, showNumber, type NumberForm } from './cell-value.js';
import { findMainPart, readRelations } from './relations.js';
import type { TextWriter } from './text-writer.js';
import { Unreadable } from './unreadable.js';
import { attributeOf, prefixedAttributeOf, readXmlEntry, type Attributes, type XmlHandler } from './xml.js';

/** Readings of words in Japanese, and what stands a second time. */
const left: ReadonlySet<string> = new Set(['rPh', 'Fallback']);
/** UTF-16 units of all texts that cells share. */
const maxShared = 32 * 1024 * 1024;

interface Book {
  readonly shared: readonly string[];
  /** By the number of a cell's style. */
  readonly forms: readonly NumberForm[];
  readonly countsFrom1904: boolean;
}

/** A spreadsheet (xlsx): each sheet is a part, each row a line. */
export async function readSheets(archive: Archive, writer: TextWriter): Promise<void> {
  const main = await findMainPart(archive);
  if (main === undefined) throw new Unreadable('damaged');
  const relations = await readRelations(archive, main);
  const sheets: { readonly name: string; readonly id: string }[] = [];
  let countsFrom1904 = false;
  const isThere = await readXmlEntry(archive, main, {
    open(name, attributes) {
      if (name === 'workbookPr') countsFrom1904 = /^(?:1|true)$/.test(attributeOf(attributes, 'date1904') ?? '');
      if (name !== 'sheet') return;
      sheets.push({ name: attributeOf(attributes, 'name') ?? '', id: prefixedAttributeOf(attributes, 'id') ?? '' });
    },
  });
  if (!isThere) throw new Unreadable('damaged');
  const targetOf = (kind: string): string => relations.find((each) => each.kind === kind)?.target ?? '';
  const shared = await readShared(archive, targetOf('sharedStrings'));
  const book = { shared, forms: await readForms(archive, targetOf('styles')), countsFrom1904 };
  for (const { name, id } of sheets) {
    const target = relations.find((each) => each.id === id && each.kind === 'worksheet')?.target;
    if (target === undefined) continue;
    writer.beginPart(`Sheet ${name}`);
    await readXmlEntry(archive, target, new SheetHandler(writer, book), left);
    writer.endLine();
  }
}

async function readShared(archive: Archive, entry: string): Promise<string[]> {
  const shared: string[] = [];
  let text = '';
  let isText = false;
  let length = 0;
  const handler: XmlHandler = {
    open(name) {
      if (name === 'si') text = '';
      if (name === 't') isText = true;
    },
    close(name) {
      if (name === 't') isText = false;
      if (name !== 'si') return;
      length += text.length;
      if (length > maxShared) throw new Unreadable('expands_too_far');
      shared.push(text);
    },
    text(piece) {
      if (isText) text += piece;
    },
  };
  await readXmlEntry(archive, entry, handler, left);
  return shared;
}

async function readForms(archive: Archive, entry: string): Promise<NumberForm[]> {
  const own = new Map<string, NumberForm>();
  const forms: NumberForm[] = [];
  let isOfCells = false;
  await readXmlEntry(archive, entry, {
    open(name, attributes) {
      const id = attributeOf(attributes, 'numFmtId') ?? '';
      if (name === 'numFmt') own.set(id, formOf(attributeOf(attributes, 'formatCode') ?? ''));
      if (name === 'cellXfs') isOfCells = true;
      if (name === 'xf' && isOfCells) forms.push(own.get(id) ?? builtInForm(Number(id)));
    },
    close(name) {
      if (name === 'cellXfs') isOfCells = false;
    },
  });
  return forms;
}

class SheetHandler implements XmlHandler {
  readonly #writer: TextWriter;
  readonly #book: Book;
  #type = '';
  #style = 0;
  #value = '';
  #isValue = false;

  constructor(writer: TextWriter, book: Book) {
    this.#writer = writer;
    this.#book = book;
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'c') {
      this.#type = attributeOf(attributes, 't') ?? 'n';
      this.#style = Number(attributeOf(attributes, 's') ?? '0');
      this.#value = '';
    } else if (name === 'v' || name === 't') this.#isValue = true;
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#isValue = false;
    else if (name === 'row') this.#writer.endLine();
    else if (name === 'c') {
      const shown = this.#show().trim();
      if (shown === '') return;
      if (this.#writer.isInLine) this.#writer.write('\t');
      this.#writer.write(shown.replaceAll(/[\n\r\t]/g, ' '));
    }
  }

  text(text: string): void {
    if (this.#isValue) this.#value += text;
  }

  #show(): string {
    const { shared, forms, countsFrom1904 } = this.#book;
    if (this.#type === 's') return shared[Number(this.#value)] ?? '';
    if (this.#type === 'b') return this.#value === '1' ? 'TRUE' : 'FALSE';
    if (this.#type !== 'n') return this.#value;
    const form = forms[this.#style];
    return form === undefined ? this.#value : showNumber(this.#value, form, countsFrom1904);
  }
}
