import type { Readable } from 'node:stream';
import type { Release } from '../../limits/work-limiter.js';
import type { Caller } from '../../domain/caller.js';
import { internal, invalidRequest, Refusal } from '../../domain/refusal.js';
import { findGit, isUsableGit, type GitProgram } from '../../git/program/git-program.js';
import type { RunningService } from '../../git/serving/start-service.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { WriteOperation } from '../operation.js';
import { perform } from '../perform.js';
import type { OpenRepository, RepositoryInput } from './prepare-repository.js';
import { ServedStream, type Followed } from './served-stream.js';

/** Asks for a repository on behalf of a caller. */
export interface Asked extends Omit<RepositoryInput, 'held'> {
  readonly workspace: Workspace;
  readonly caller: Caller;
}

/** Starts git on an open repository. */
export type StartGit = (program: GitProgram, open: OpenRepository) => RunningService | Promise<RunningService>;

interface ServingOptions {
  readonly release?: Release;
  readonly takeRoom?: () => Promise<Release>;
  readonly follow?: (open: OpenRepository) => Followed;
}

/**
 * Performs the operation, and then streams what git answers. Nothing is sent before the record is durable. The stream
 * ends early when the caller loses the key or a part of its reach, and git ends with the stream.
 * @param release gives back room at the end
 * @param takeRoom waits for room for git, when the repository is ready
 * @param follow looks at what is sent; left out where the record of the operation is enough
 * @throws Refusal, recorded
 */
export async function serveRepository(
  { workspace, caller, ...asked }: Asked,
  operation: WriteOperation<RepositoryInput, unknown, OpenRepository>,
  start: StartGit,
  { release, takeRoom, follow }: ServingOptions,
): Promise<Readable> {
  const held: OpenRepository[] = [];
  let releaseRoom = release;
  const releaseAll = (): void => {
    for (const { hold } of held.splice(0)) hold.release();
    releaseRoom?.();
  };
  try {
    await perform(workspace, caller, operation, { ...asked, held });
    const open = held.at(-1);
    if (open === undefined) throw new Error('No repository was prepared.');
    releaseRoom = (await takeRoom?.()) ?? release;
    const program = await findGit();
    if (program === null || !isUsableGit(program)) throw gitMissing();
    open.hold.signal.throwIfAborted();
    const git = await start(program, open);
    return new ServedStream({
      workspace,
      caller,
      name: operation.name,
      open,
      git,
      followed: follow?.(open),
      release: releaseAll,
    });
  } catch (error) {
    releaseAll();
    throw error instanceof Refusal ? error : internal(error);
  }
}

/** The git program went away since the repository was prepared. */
function gitMissing(): Refusal {
  return invalidRequest('git_missing', 'This service has no git program.');
}
