import type { FileHandle } from 'node:fs/promises';
import { openRegular } from '../../disk/open-regular.js';
import { RepositoryUnreadable } from '../errors.js';
import type { Oid } from '../objects/objects.js';
import { isOid } from '../objects/objects.js';
import { bundleSignature } from '../packs/bundle-header.js';
import { mainRef } from '../repositories/create-repository-files.js';
import { takePack } from './take-pack.js';

/** More than the header of any bundle written here. */
const maxHeaderLength = 1024;

/**
 * Takes a bundle's objects into a repository. It checks each of them as git's fsck does, and that every reference is
 * there. Moves no branch.
 * @returns the commit of the bundle.
 * @throws GitProgramMissing; RepositoryUnreadable when the bundle is damaged or incomplete, or takes git too much.
 */
export async function takeBundle(repository: string, file: string): Promise<Oid> {
  const handle = await openRegular(file, 'followed');
  try {
    const { head, packStart } = await readHeader(handle);
    const problem = 'The bundle cannot be taken in';
    await takePack({ repository, handle, start: packStart, isStrict: true, problem });
    return head;
  } finally {
    await handle.close();
  }
}

async function readHeader(file: FileHandle): Promise<{ head: Oid; packStart: number }> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(maxHeaderLength), 0, maxHeaderLength, 0);
  const start = buffer.toString('latin1', 0, bytesRead);
  const end = start.indexOf('\n\n');
  const lines = start.slice(bundleSignature.length, Math.max(end, 0)).split('\n');
  const head = lines.find((line) => line.endsWith(` ${mainRef}`))?.split(' ', 1)[0];
  if (!start.startsWith(bundleSignature) || end < 0 || head === undefined || !isOid(head)) {
    throw new RepositoryUnreadable('The file is not a git bundle of a whole history.');
  }
  return { head, packStart: end + 2 };
}
