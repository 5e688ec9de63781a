import type { Archive } from './archive.js';
import { findMainPart, readRelations } from './relations.js';
import type { TextWriter } from './text-writer.js';
import { Unreadable } from './unreadable.js';
import { prefixedAttributeOf, readXmlEntry, type XmlHandler } from './xml.js';

/** Text that stands a second time, and fields such as the number of the slide. */
const left: ReadonlySet<string> = new Set(['Fallback', 'fld']);

/** A presentation (pptx): each slide with its notes is a part. */
export async function readSlides(archive: Archive, writer: TextWriter): Promise<void> {
  const main = await findMainPart(archive);
  if (main === undefined) throw new Unreadable('damaged');
  const ids: string[] = [];
  const isThere = await readXmlEntry(archive, main, {
    open(name, attributes) {
      if (name === 'sldId') ids.push(prefixedAttributeOf(attributes, 'id') ?? '');
    },
  });
  if (!isThere) throw new Unreadable('damaged');
  const relations = await readRelations(archive, main);
  for (const [index, id] of ids.entries()) {
    const slide = relations.find((each) => each.id === id)?.target;
    if (slide === undefined) continue;
    writer.beginPart(`Slide ${index + 1}`);
    await readXmlEntry(archive, slide, makeHandler(writer), left);
    const notes = (await readRelations(archive, slide)).find(({ kind }) => kind === 'notesSlide')?.target;
    if (notes !== undefined) await readXmlEntry(archive, notes, makeHandler(writer), left);
    writer.endLine();
  }
}

function makeHandler(writer: TextWriter): XmlHandler {
  let isText = false;
  let cells = 0;
  return {
    open(name) {
      if (name === 't') isText = true;
      if (name === 'tc') cells += 1;
      if (name === 'br') writer.endLine();
    },
    close(name) {
      if (name === 't') isText = false;
      if (name === 'p' && cells === 0) writer.endLine();
      if (name === 'p' && cells > 0 && writer.isInLine) writer.write(' ');
      if (name === 'tc') {
        cells -= 1;
        if (writer.isInLine) writer.write('\t');
      }
      if (name === 'tr') writer.endLine();
    },
    text(text) {
      if (isText) writer.write(text);
    },
  };
}
