import { createHash } from 'node:crypto';
import type { DocumentRow } from '../sidecar/document-table.js';
import { locationOfFolder } from './locate.js';
import { readAnyObject, type ReadOnlyWorkspace } from './open-read-only.js';
import { stagedFrom } from './prepare-content.js';
import type { Report } from './verify.js';

/** Documents that are read together. */
const together = 32;

/**
 * Reads every live document's bytes and compares them with the size and SHA-256 that its row promises.
 * @param tell called with the number of documents checked so far
 * @returns how many there are
 */
export async function verifyDocuments(
  workspace: ReadOnlyWorkspace,
  report: Report,
  tell: (documents: number) => void,
): Promise<number> {
  const { documents } = workspace.sidecar.reader;
  let checked = 0;
  for (let after = 0; ;) {
    const rows = documents.afterNumber(after, together);
    const last = rows.at(-1);
    if (last === undefined) return checked;
    await Promise.all(rows.map((row) => verifyDocument(workspace, row, report)));
    checked += rows.length;
    after = last.number;
    tell(checked);
  }
}

async function verifyDocument(workspace: ReadOnlyWorkspace, row: DocumentRow, report: Report): Promise<void> {
  const { blobOid, sha256, size } = row.current;
  let fault: string | undefined;
  try {
    const found = size > stagedFrom ? await digestStream(workspace, blobOid) : await digestObject(workspace, blobOid);
    if (found.size !== size) fault = `has ${found.size} bytes, and its row says ${size}.`;
    else if (found.sha256 !== sha256) fault = `has the SHA-256 ${found.sha256}, and its row says ${sha256}.`;
  } catch (error) {
    fault = `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (fault !== undefined) report('documents', fault, placeOf(workspace, row));
}

interface Digest {
  readonly sha256: string;
  readonly size: number;
}

async function digestObject(workspace: ReadOnlyWorkspace, oid: string): Promise<Digest> {
  const { type, bytes } = await readAnyObject(workspace, oid);
  if (type !== 'blob') throw new Error(`${oid} is a ${type}.`);
  return { sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
}

async function digestStream({ repository }: ReadOnlyWorkspace, oid: string): Promise<Digest> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of (await repository.readStream(oid)).stream as AsyncIterable<Buffer>) {
    hash.update(piece);
    size += piece.length;
  }
  return { sha256: hash.digest('hex'), size };
}

/** Where the document lies, for a message; its name alone where the folders above are broken. */
function placeOf({ sidecar }: ReadOnlyWorkspace, row: DocumentRow): string {
  try {
    const folder = locationOfFolder(sidecar.reader, row.folder);
    return folder === '' ? row.name : `${folder}/${row.name}`;
  } catch {
    return row.name;
  }
}
