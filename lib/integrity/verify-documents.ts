import type { DocumentRow } from '../sidecar/tables/document-table.js';
import { unreadableContent } from '../sidecar/compare-content.js';
import type { Oid } from '../git/objects/objects.js';
import { locationOfFolder } from '../view/locate.js';
import type { ReadOnlyWorkspace } from './open-data-folder.js';
import type { ContentFinder } from './content-finder.js';
import type { Report, OnProgress } from './report.js';

/** Number of documents read together. */
const together = 32;

/**
 * Reads every live document's bytes and compares them with the size and SHA-256 in its row.
 * @param faults the reasons why content could not be read, by oid, from the finder
 * @returns the number of documents
 */
export async function verifyDocuments(
  workspace: ReadOnlyWorkspace,
  finder: ContentFinder,
  faults: ReadonlyMap<Oid, string>,
  report: Report,
  onProgress: OnProgress,
): Promise<number> {
  const { documents } = workspace.sidecar.reader;
  let checked = 0;
  for (let after = 0; ;) {
    const rows = documents.afterNumber(after, together);
    const last = rows.at(-1);
    if (last === undefined) return checked;
    await Promise.all(
      rows.map(async (row) => {
        const fault = await faultOf(row, finder, faults);
        if (fault !== undefined) report('documents', fault, placeOf(workspace, row));
      }),
    );
    checked += rows.length;
    after = last.number;
    onProgress('documents', checked);
  }
}

async function faultOf(
  { current: { blobOid, sha256, size, mediaType } }: DocumentRow,
  finder: ContentFinder,
  faults: ReadonlyMap<Oid, string>,
): Promise<string | undefined> {
  const found = await finder.describe(blobOid, mediaType);
  if (found.sha256 === unreadableContent) return `cannot be read: ${faults.get(blobOid) ?? `${blobOid} is damaged`}`;
  if (found.size !== size) return `has ${found.size} bytes, and its row says ${size}.`;
  if (found.sha256 !== sha256) return `has the SHA-256 ${found.sha256}, and its row says ${sha256}.`;
  return undefined;
}

/** The document's location, for a message. Its name alone, if the folders above are broken. */
function placeOf({ sidecar }: ReadOnlyWorkspace, row: DocumentRow): string {
  try {
    const folder = locationOfFolder(sidecar.reader, row.folder);
    return folder === '' ? row.name : `${folder}/${row.name}`;
  } catch {
    return row.name;
  }
}
