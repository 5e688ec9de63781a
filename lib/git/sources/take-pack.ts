import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { RepositoryUnreadable } from '../errors.js';
import { feedGit } from '../program/feed-git.js';
import type { ForeignExtent } from '../program/git-bounds.js';
import { startGit } from '../program/start-git.js';
import { requireForeignGit } from './require-foreign-git.js';

/** The least bytes of an object in a pack: its size, and the frame of a compressed stream (RFC 1950). */
const minObjectBytes = 9;
/** Bytes of a pack's header: its name, its version, the number of its objects. */
const headerBytes = 12;
/** Seconds that git has for the smallest pack. */
const leastTime = 60;

export interface PackToTake {
  /** The folder of a repository of the service. */
  readonly repository: string;
  /** The file, whose pack ends where it ends. */
  readonly handle: FileHandle;
  /** Where the pack begins. */
  readonly start: number;
  /** Whether git checks each object as fsck does, and that nothing they refer to is missing. */
  readonly isStrict: boolean;
  /** The beginning of the refusal. */
  readonly problem: string;
  readonly signal?: AbortSignal;
}

/**
 * Takes the objects of a foreign pack into a repository. git allocates for the number of objects that a pack claims,
 * before it reads the first: so that is compared with its bytes.
 * @returns what it holds
 * @throws GitProgramMissing; RepositoryUnreadable when it is damaged, or takes git too much
 */
export async function takePack({
  repository,
  handle,
  start,
  isStrict,
  problem,
  signal,
}: PackToTake): Promise<ForeignExtent> {
  const bytes = (await handle.stat()).size - start;
  const objects = await readCount(handle, start);
  if (objects * minObjectBytes > bytes) {
    throw new RepositoryUnreadable(`${problem}: it says that it has ${objects} objects in ${bytes} bytes.`);
  }
  const git = await requireForeignGit('take a bundle in', { objects, bytes }, leastTime);
  const strictly = isStrict ? ['--strict'] : [];
  const parameters = ['index-pack', '--stdin', ...strictly, '--threads=1', `--max-input-size=${bytes}`];
  await feedGit(
    startGit(git, repository, parameters, signal),
    (started) =>
      pipeline(handle.createReadStream({ start, end: start + bytes - 1, autoClose: false }), started.stdin).catch(
        forgiveEarlyEnd,
      ),
    problem,
  );
  return { objects, bytes };
}

/** The number of objects that a pack claims to have; 0 where it is none, which git reports. */
async function readCount(handle: FileHandle, start: number): Promise<number> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(headerBytes), 0, headerBytes, start);
  return bytesRead === headerBytes && buffer.toString('latin1', 0, 4) === 'PACK' ? buffer.readUInt32BE(8) : 0;
}

/** git may end before its input does: a pack marks its own end. Its exit code shows whether it had all of it. */
function forgiveEarlyEnd(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
}
