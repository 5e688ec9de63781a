import { joinLocation, type Location } from '../../../lib/domain/location.js';
import { locationOfFolder } from '../../../lib/view/locate.js';
import type { TestMirror } from './test-mirror.js';

export interface MirroredDocument {
  readonly id: string;
  readonly number: number;
  readonly text: string;
}

/** The documents of a mirror by their paths in it. */
export async function readMirror({
  workspace,
  folder,
}: Pick<TestMirror, 'workspace' | 'folder'>): Promise<Map<string, MirroredDocument>> {
  const { reader } = workspace.journal;
  const found = new Map<string, MirroredDocument>();
  const rows = reader.documents.afterNumber(0, 10_000).map((row) => {
    const location: Location = joinLocation(locationOfFolder(reader, row.folder), row.name);
    return { row, location };
  });
  for (const { row, location } of rows) {
    if (!location.startsWith(`${folder}/`)) continue;
    const text = (await workspace.objects.readBlob(row.current.blobOid)).toString();
    found.set(location.slice(folder.length + 1), { id: row.id, number: row.number, text });
  }
  return found;
}
