import { joinLocation } from '../domain/location.js';
import { readInvalidation } from '../indexing/invalidate-index.js';
import { runCooperatively } from '../scheduling/run-cooperatively.js';
import { checkIndexFiles, readStoredDocuments, type StoredDocuments } from '../search/segments/check-files.js';
import type { SidecarSnapshot } from '../sidecar/sidecar.js';
import type { Tables } from '../sidecar/tables.js';
import { locationOfFolder } from '../view/locate.js';
import type { Report } from './report.js';

/** Rows read together. */
const together = 1000;

/**
 * Checks the files of the stored search index. Where it is of the present commit, as after a clean end, its documents
 * are compared with the rows too: by number and location. An older one catches up at the next start.
 * @param folder of the index
 */
export async function verifySearch(
  { sidecar }: { readonly sidecar: Pick<SidecarSnapshot, 'reader'> },
  folder: string,
  report: Report,
): Promise<void> {
  const problems = await checkIndexFiles(folder);
  for (const line of problems) report('search', line);
  const { reader } = sidecar;
  if (problems.length > 0 || readInvalidation(reader) !== '') return;
  const stored = readStoredDocuments(folder);
  if (stored === undefined || stored.commit !== (reader.meta.get('head') ?? null)) return;
  try {
    await runCooperatively(compareDocuments(stored, reader, report));
  } catch (error) {
    // The service has stored a newer one and removed files of this one.
    if (readStoredDocuments(folder)?.commit === stored.commit) throw error;
  }
}

function* compareDocuments(stored: StoredDocuments, tables: Tables, report: Report): Generator<void, void> {
  const right = new Set<number>();
  for (const { key, location } of stored.documents()) {
    const row = tables.documents.byNumber(key);
    if (row !== undefined && joinLocation(locationOfFolder(tables, row.folder), row.name) === location) right.add(key);
    else report('search', 'is in the search index as another document than the one there.', location);
    yield;
  }
  for (let after = 0; ;) {
    const places = tables.documents.placesAfter(after, together);
    for (const { number, folder, name } of places) {
      if (right.has(number)) continue;
      report('search', 'is not in the search index.', joinLocation(locationOfFolder(tables, folder), name));
    }
    if (places.length < together) return;
    after = places.at(-1)?.number ?? after;
    yield;
  }
}
