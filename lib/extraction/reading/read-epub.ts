import { posix } from 'node:path';
import type { Archive } from './archive.js';
import { decodePage } from './decode-text.js';
import { readHtml } from './read-html.js';
import type { TextWriter } from './text-writer.js';
import { Unreadable } from './unreadable.js';
import { attributeOf, readXmlEntry } from './xml.js';

/** Bytes of one chapter. */
const maxChapter = 32 * 1024 * 1024;

/** A book (epub): each document of its spine is a part. */
export async function readEpub(archive: Archive, writer: TextWriter): Promise<void> {
  let main: string | undefined;
  await readXmlEntry(archive, 'META-INF/container.xml', {
    open(name, attributes) {
      if (name === 'rootfile') main ??= attributeOf(attributes, 'full-path');
    },
  });
  if (main === undefined) throw new Unreadable('damaged');
  const folder = posix.dirname(main);
  const places = new Map<string, string>();
  const spine: string[] = [];
  const isThere = await readXmlEntry(archive, main, {
    open(name, attributes) {
      if (name === 'itemref') spine.push(attributeOf(attributes, 'idref') ?? '');
      if (name !== 'item') return;
      places.set(attributeOf(attributes, 'id') ?? '', attributeOf(attributes, 'href') ?? '');
    },
  });
  if (!isThere) throw new Unreadable('damaged');
  const locked = await listLocked(archive);
  for (const [index, id] of spine.entries()) {
    const place = placeOf(folder, places.get(id));
    if (locked.has(place)) throw new Unreadable('encrypted');
    const bytes = await archive.readWhole(place, maxChapter);
    if (bytes === undefined) continue;
    writer.beginPart(`Chapter ${index + 1}`);
    readHtml(decodePage(bytes, ''), writer);
  }
}

/** The entries that only some reading programs can open. Fonts are among them in many books that are free. */
async function listLocked(archive: Archive): Promise<ReadonlySet<string>> {
  const locked = new Set<string>();
  await readXmlEntry(archive, 'META-INF/encryption.xml', {
    open(name, attributes) {
      if (name === 'CipherReference') locked.add(placeOf('', attributeOf(attributes, 'URI')));
    },
  });
  return locked;
}

function placeOf(folder: string, href = ''): string {
  let [name = ''] = href.split('#');
  try {
    name = decodeURIComponent(name);
  } catch {
    // A name with a percent sign of its own.
  }
  return posix.join(folder, name);
}
