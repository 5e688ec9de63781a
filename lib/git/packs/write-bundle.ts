import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { Oid } from '../objects/objects.js';
import { feedGit } from '../program/feed-git.js';
import type { GitProgram } from '../program/git-program.js';
import { startGit } from '../program/start-git.js';
import { mainRef } from '../repositories/create-repository-files.js';
import { bundleSignature } from './bundle-header.js';

/** Takes the names of commits, and writes all reachable objects as one pack. */
const packHistory = ['-c', 'pack.threads=1', 'pack-objects', '--revs', '--stdout', '-q', '--delta-base-offset'];

/**
 * Writes the history of one commit as a bundle, durably. The commit need not be main's any more: later commits are left
 * out.
 * @param program has bounds where the objects are foreign
 * @param file is made; it must not exist.
 * @throws RepositoryUnreadable when git cannot read it all.
 */
export async function writeBundle(program: GitProgram, repository: string, head: Oid, file: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.write(`${bundleSignature}${head} HEAD\n${head} ${mainRef}\n\n`);
    await feedGit(
      startGit(program, repository, packHistory),
      async (git) => {
        git.stdin.end(`${head}\n`);
        for await (const piece of git.stdout as AsyncIterable<Buffer>) await writeWhole(handle, piece);
      },
      `The history of ${head} cannot be bundled`,
    );
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeWhole(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let offset = 0; offset < bytes.length;) {
    offset += (await handle.write(bytes, offset, bytes.length - offset)).bytesWritten;
  }
}
