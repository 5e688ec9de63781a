import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { openRegular } from '../../disk/open-regular.js';
import { mainRef } from '../repositories/create-repository-files.js';
import { RepositoryUnreadable } from '../errors.js';
import type { GitProgram } from '../program/git-program.js';
import { requireGit } from '../program/git-program.js';
import type { Oid } from '../objects/objects.js';
import { isOid } from '../objects/objects.js';
import type { StartedGit } from '../program/start-git.js';
import { startGit } from '../program/start-git.js';

/**
 * Bundles (gitformat-bundle(5), version 2): a head and all objects that it needs, in one file for `git bundle verify`
 * and `git clone`.
 */
const signature = '# v2 git bundle\n';

/** More than the header of any bundle written here. */
const maxHeaderLength = 1024;

/** Takes the names of commits, and writes all reachable objects as one pack. */
const packHistory = ['-c', 'pack.threads=1', 'pack-objects', '--revs', '--stdout', '-q', '--delta-base-offset'];

/**
 * Writes the history of one commit as a bundle, durably. The commit need not be main's any more: later commits are left
 * out.
 * @param file is made; it must not exist.
 * @throws RepositoryUnreadable when git cannot read it all.
 */
export async function writeBundle(program: GitProgram, repository: string, head: Oid, file: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.write(`${signature}${head} HEAD\n${head} ${mainRef}\n\n`);
    await feed(
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

/**
 * Takes a bundle's objects into a repository. It checks each of them as git's fsck does, and that every reference is
 * there. Moves no branch.
 * @returns the commit of the bundle.
 * @throws GitProgramMissing; RepositoryUnreadable when the bundle is damaged or incomplete.
 */
export async function takeBundle(repository: string, file: string): Promise<Oid> {
  const program = await requireGit('take a bundle in');
  const handle = await openRegular(file, 'followed');
  try {
    const { head, packStart } = await readHeader(handle);
    await feed(
      startGit(program, repository, ['index-pack', '--stdin', '--strict', '--threads=1']),
      (git) =>
        pipeline(handle.createReadStream({ start: packStart, autoClose: false }), git.stdin).catch(forgiveEarlyEnd),
      'The bundle cannot be taken in',
    );
    return head;
  } finally {
    await handle.close();
  }
}

/** git may end before its input does: a pack marks its own end. Its exit code shows whether it had all of it. */
function forgiveEarlyEnd(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
}

async function readHeader(file: FileHandle): Promise<{ head: Oid; packStart: number }> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(maxHeaderLength), 0, maxHeaderLength, 0);
  const start = buffer.toString('latin1', 0, bytesRead);
  const end = start.indexOf('\n\n');
  const lines = start.slice(signature.length, Math.max(end, 0)).split('\n');
  const head = lines.find((line) => line.endsWith(` ${mainRef}`))?.split(' ', 1)[0];
  if (!start.startsWith(signature) || end < 0 || head === undefined || !isOid(head)) {
    throw new RepositoryUnreadable('It is no bundle of a whole history.');
  }
  return { head, packStart: end + 2 };
}

/** Works with a git's streams until both have ended. */
async function feed(git: StartedGit, work: (git: StartedGit) => Promise<void>, problem: string): Promise<void> {
  let failure: Error | undefined;
  try {
    await work(git);
  } catch (error) {
    failure = error instanceof Error ? error : new Error(problem, { cause: error });
    git.kill();
  }
  git.stdout.resume();
  // git's own failure is the cause; a broken pipe only follows from it.
  const code = await git.ended;
  const hasGivenUp = code !== null && code !== 0;
  if (failure !== undefined && !hasGivenUp) throw failure;
  await git.requireSuccess(problem);
}

async function writeWhole(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let offset = 0; offset < bytes.length;) {
    offset += (await handle.write(bytes, offset, bytes.length - offset)).bytesWritten;
  }
}
