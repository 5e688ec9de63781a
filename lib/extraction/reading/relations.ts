import { posix } from 'node:path';
import type { Archive } from './archive.js';
import { attributeOf, readXmlEntry } from './xml.js';

/** Another part of an Office file to which one refers. */
export interface Relation {
  readonly id: string;
  /** The last word of its type, such as `worksheet`. */
  readonly kind: string;
  /** Its entry in the archive. */
  readonly target: string;
}

/** The parts to which a part refers, in the order of the file. @param part '' for the whole file */
export async function readRelations(archive: Archive, part: string): Promise<readonly Relation[]> {
  const folder = posix.dirname(part);
  const found: Relation[] = [];
  await readXmlEntry(archive, posix.join(folder, '_rels', `${posix.basename(part)}.rels`), {
    open(name, attributes) {
      const target = attributeOf(attributes, 'Target');
      if (name !== 'Relationship' || target === undefined) return;
      if (attributeOf(attributes, 'TargetMode')?.toLowerCase() === 'external') return;
      const kind = attributeOf(attributes, 'Type')?.split('/').at(-1) ?? '';
      const place = target.startsWith('/') ? target.slice(1) : posix.join(folder, target);
      found.push({ id: attributeOf(attributes, 'Id') ?? '', kind, target: place });
    },
  });
  return found;
}

/** The entry with which an Office file begins. Undefined where it names none. */
export async function findMainPart(archive: Archive): Promise<string | undefined> {
  return (await readRelations(archive, '')).find(({ kind }) => kind === 'officeDocument')?.target;
}
