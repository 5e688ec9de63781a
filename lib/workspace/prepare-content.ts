import { createHash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import type { PreparedContent } from '../domain/change.js';
import type { DocumentKind } from '../domain/document.js';
import { hashObject, makePackable } from '../git/objects.js';
import type { Workspace } from './workspace.js';

const deflateInBackground = promisify(deflate);

/** Above this, compressing leaves the event loop's thread. Bytes. */
const largeForMainThread = 32 * 1024;
/** Above this, content goes to the repository before its turn instead of through the sidecar. Bytes. */
export const stagedFrom = 1024 * 1024;

/** `text` is valid UTF-8 without NUL. */
export function kindOfContent(bytes: Buffer): DocumentKind {
  return isUtf8(bytes) && !bytes.includes(0) ? 'text' : 'binary';
}

/**
 * Hashes and compresses content before its turn, or stages it in the repository when it is large: on return of a
 * staged blob its bytes are on the disk and a row keeps maintenance from dropping them.
 */
export async function prepareContent(workspace: Workspace, bytes: Buffer): Promise<PreparedContent> {
  if (bytes.length > stagedFrom) return stageContent(workspace, [bytes]);
  const described = {
    sha256: createHash('sha256').update(bytes).digest('hex'),
    size: bytes.length,
    kind: kindOfContent(bytes),
  };
  if (bytes.length <= largeForMainThread) {
    const { oid, deflated } = makePackable('blob', bytes);
    return { ...described, blobOid: oid, deflated };
  }
  return { ...described, blobOid: hashObject('blob', bytes), deflated: await deflateInBackground(bytes) };
}

/** The same for content that arrives in pieces; memory does not grow with its size. */
export async function stageContent(
  workspace: Workspace,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<PreparedContent> {
  const staged = await workspace.repository.stageBlob(toAsync(source));
  await workspace.journal.turn({
    run: (turn) => turn.tables.objects.stage(staged.oid, staged.size, turn.now),
  });
  return {
    blobOid: staged.oid,
    sha256: staged.sha256,
    size: staged.size,
    kind: staged.isText ? 'text' : 'binary',
    deflated: null,
  };
}

async function* toAsync(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* source;
}
