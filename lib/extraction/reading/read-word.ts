import type { Archive } from './archive.js';
import { findMainPart, readRelations } from './relations.js';
import type { TextWriter } from './text-writer.js';
import { Unreadable } from './unreadable.js';
import { attributeOf, readXmlEntry, type XmlHandler } from './xml.js';

/** Text that stands a second time for older programs, or that was moved away. */
const left: ReadonlySet<string> = new Set(['Fallback', 'moveFrom']);

/** What stands beside the text, in this order, each under its title. */
const beside: readonly (readonly [kind: string, title: string])[] = [
  ['footnotes', 'Footnotes'],
  ['endnotes', 'Endnotes'],
  ['comments', 'Comments'],
  ['header', 'Header'],
  ['footer', 'Footer'],
];

/** A Word document (docx). */
export async function readWord(archive: Archive, writer: TextWriter): Promise<void> {
  const main = await findMainPart(archive);
  if (main === undefined) throw new Unreadable('damaged');
  const relations = await readRelations(archive, main);
  const styles = relations.find(({ kind }) => kind === 'styles')?.target;
  const levels = styles === undefined ? new Map<string, number>() : await readHeadingStyles(archive, styles);
  if (!(await readXmlEntry(archive, main, new WordHandler(writer, levels), left))) throw new Unreadable('damaged');
  for (const [kind, title] of beside) {
    let isFirst = true;
    for (const { target } of relations.filter((each) => each.kind === kind)) {
      await readXmlEntry(archive, target, new WordHandler(writer, levels, isFirst ? title : undefined), left);
      isFirst = false;
    }
  }
}

/** The level of each style that is one of headings. */
async function readHeadingStyles(archive: Archive, entry: string): Promise<ReadonlyMap<string, number>> {
  const levels = new Map<string, number>();
  let style = '';
  await readXmlEntry(archive, entry, {
    open(name, attributes) {
      if (name === 'style') style = attributeOf(attributes, 'styleId') ?? '';
      const value = attributeOf(attributes, 'val') ?? '';
      if (name === 'name') {
        const level = /^heading (\d)$/i.exec(value)?.[1] ?? (/^title$/i.test(value) ? '1' : undefined);
        if (level !== undefined) levels.set(style, Number(level));
      } else if (name === 'outlineLvl' && /^[0-8]$/.test(value)) levels.set(style, Number(value) + 1);
    },
  });
  return levels;
}

class WordHandler implements XmlHandler {
  readonly #writer: TextWriter;
  readonly #levels: ReadonlyMap<string, number>;
  /** Written before the first text. */
  #title: string | undefined;
  #isText = false;
  /** Cells within each other. */
  #cells = 0;
  /** The level of the paragraph's heading, until it has text. */
  #heading: number | undefined;

  constructor(writer: TextWriter, levels: ReadonlyMap<string, number>, title?: string) {
    this.#writer = writer;
    this.#levels = levels;
    this.#title = title;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 't') this.#isText = true;
    else if (name === 'tc') this.#cells += 1;
    else if (name === 'tab') this.#blank('\t');
    else if (name === 'br' || name === 'cr') this.#blank('\n');
    else if (name === 'noBreakHyphen') this.#write('-');
    else if (name === 'pStyle') this.#heading = this.#levels.get(attributeOf(attributes, 'val') ?? '') ?? this.#heading;
    else if (name === 'outlineLvl' && /^[0-8]$/.test(attributeOf(attributes, 'val') ?? '')) {
      this.#heading = Number(attributeOf(attributes, 'val')) + 1;
    } else if (name === 'p') this.#heading = undefined;
  }

  close(name: string): void {
    if (name === 't') this.#isText = false;
    else if (name === 'p') {
      if (this.#cells > 0) this.#blank(' ');
      else this.#writer.endLine();
    } else if (name === 'tc') {
      this.#cells -= 1;
      this.#blank('\t');
    } else if (name === 'tr' && this.#cells === 0) this.#writer.endLine();
  }

  text(text: string): void {
    if (this.#isText) this.#write(text);
  }

  /** Nothing blank stands at the start of a line. */
  #blank(text: string): void {
    if (this.#writer.isInLine) this.#writer.write(text);
  }

  #write(text: string): void {
    if (this.#title !== undefined && text.trim() !== '') {
      this.#writer.beginPart(this.#title);
      this.#title = undefined;
    }
    if (this.#heading !== undefined && this.#cells === 0) this.#writer.beginHeading(this.#heading);
    this.#heading = undefined;
    this.#writer.write(text);
  }
}
