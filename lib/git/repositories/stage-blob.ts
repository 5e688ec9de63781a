import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { createDeflate } from 'node:zlib';
import { readInPieces, writeAll } from '../file-system.js';
import { loosePath } from '../objects/loose-object.js';
import type { Oid } from '../objects/objects.js';
import type { RepositoryFolder } from './repository-folder.js';

/** A blob stored before the transaction that will refer to it. */
export interface StagedBlob {
  oid: Oid;
  /** Bytes of content. */
  size: number;
  /** SHA-256 of the content, in hexadecimal. */
  sha256: string;
}

/** Called with a staged blob before it is visible under its name. */
export type AnnounceBlob = (blob: StagedBlob) => Promise<void>;

/** Level 1, as git itself uses for objects with a file of their own. */
const looseLevel = 1;

/**
 * Stores a blob as a file of its own, durably, holding only pieces of it in memory. Its header states its length, which
 * is known only at the source's end. So the content is first written as it comes, then deflated from there.
 *
 * A file that already stands under the name is replaced rather than trusted: it may be damaged, and this content is
 * known to be whole.
 *
 * @param announce called when the content is whole and has its name, before it is visible under it; its errors pass
 * through, and nothing stays.
 */
export async function stageBlob(
  folder: RepositoryFolder,
  source: AsyncIterable<Uint8Array>,
  announce: AnnounceBlob = async () => undefined,
): Promise<StagedBlob> {
  const spooled = await folder.fillTemporary(0o600, async (file) => {
    const sha256 = createHash('sha256');
    let size = 0;
    for await (const piece of source) {
      await writeAll(file, piece);
      sha256.update(piece);
      size += piece.length;
    }
    return { size, sha256: sha256.digest('hex') };
  });
  try {
    const { path, oid } = await deflateFrom(folder, spooled.path, spooled.result.size);
    const staged = { oid, ...spooled.result };
    try {
      await announce(staged);
      await folder.fs.mkdir(folder.at('objects', oid.slice(0, 2)));
      await folder.fs.syncFolder(folder.at('objects'));
    } catch (error) {
      await folder.discard(path);
      throw error;
    }
    await folder.publish(path, loosePath(folder, oid));
    return staged;
  } finally {
    await folder.discard(spooled.path);
  }
}

/** @returns the temporary file with the object in git's format, synced */
async function deflateFrom(
  folder: RepositoryFolder,
  spool: string,
  size: number,
): Promise<{ readonly path: string; readonly oid: Oid }> {
  const { path, result: oid } = await folder.fillTemporary(0o400, async (file) => {
    const sha1 = createHash('sha1');
    await pipeline(
      async function* () {
        const header = Buffer.from(`blob ${size}\0`, 'latin1');
        sha1.update(header);
        yield header;
        for await (const piece of readInPieces(folder.fs, spool)) {
          sha1.update(piece);
          yield piece;
        }
      },
      createDeflate({ level: looseLevel }),
      async (deflated: AsyncIterable<Uint8Array>) => {
        for await (const piece of deflated) await writeAll(file, piece);
      },
    );
    await file.sync();
    return sha1.digest('hex');
  });
  return { path, oid };
}
