import { pipeline, Transform, type Readable } from 'node:stream';
import { callbackify } from 'node:util';
import type { Release } from '../../access/work-limiter.js';
import type { Caller } from '../../domain/caller.js';
import { internal, invalidRequest, Refusal } from '../../domain/refusal.js';
import { findGit, isUsableGit, type GitProgram } from '../../git/program/git-program.js';
import { encodeError } from '../../git/serving/packets.js';
import type { RunningService } from '../../git/serving/start-service.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { AuditNote, WriteOperation } from '../operation.js';
import { perform, recordRefusal } from '../perform.js';
import type { FetchTally } from './fetch-tally.js';
import type { OpenRepository, RepositoryInput } from './prepare-repository.js';

/** Asks for a repository on behalf of a caller. */
export interface Asked extends Omit<RepositoryInput, 'held'> {
  readonly workspace: Workspace;
  readonly caller: Caller;
}

/** Starts git on an open repository. */
export type StartGit = (program: GitProgram, open: OpenRepository) => RunningService;

/**
 * Performs the operation, and then streams what git answers. Nothing is sent before the record is durable. The stream
 * ends early when the caller loses the key or a part of its reach, and git ends with the stream.
 * @param release gives back room at the end
 * @param makeTally counts what is sent; undefined where only the record of the operation is wanted
 * @throws Refusal, recorded
 */
export async function serveRepository(
  { workspace, caller, ...asked }: Asked,
  operation: WriteOperation<RepositoryInput, unknown, OpenRepository>,
  start: StartGit,
  { release, makeTally }: { release?: Release; makeTally?: (open: OpenRepository) => FetchTally } = {},
): Promise<Readable> {
  const held: OpenRepository[] = [];
  const releaseAll = (): void => {
    for (const { hold } of held.splice(0)) hold.release();
    release?.();
  };
  try {
    await perform(workspace, caller, operation, { ...asked, held });
    const open = held.at(-1);
    if (open === undefined) throw new Error('No repository was prepared.');
    const program = await findGit();
    if (program === null || !isUsableGit(program)) throw gitMissing();
    open.hold.signal.throwIfAborted();
    const stream = new ServedStream(workspace, caller, { open, tally: makeTally?.(open), name: operation.name });
    return stream.follow(start(program, open), releaseAll);
  } catch (error) {
    releaseAll();
    throw error instanceof Refusal ? error : internal(error);
  }
}

/** The git program went away since the repository was prepared. */
function gitMissing(): Refusal {
  return invalidRequest('git_missing', 'This service has no git program.');
}

/** What git answers, as long as its caller may have it. */
class ServedStream {
  readonly #workspace: Workspace;
  readonly #caller: Caller;
  readonly #open: OpenRepository;
  readonly #tally: FetchTally | undefined;
  readonly #name: string;

  constructor(
    workspace: Workspace,
    caller: Caller,
    {
      open,
      tally,
      name,
    }: { readonly open: OpenRepository; readonly tally: FetchTally | undefined; readonly name: string },
  ) {
    this.#workspace = workspace;
    this.#caller = caller;
    this.#open = open;
    this.#tally = tally;
    this.#name = name;
  }

  /** @param release called once git has ended */
  follow(git: RunningService, release: Release): Readable {
    const { signal } = this.#open.hold;
    let sent = 0;
    const guard = new Transform({
      readableHighWaterMark: highWaterMark,
      writableHighWaterMark: highWaterMark,
      transform: (piece: Buffer, _encoding, done) => {
        try {
          this.#open.watch.requireAll();
        } catch (error) {
          done(error as Error);
          return;
        }
        sent += piece.length;
        this.#tally?.add(piece.length);
        done(null, piece);
      },
      // Where git said nothing to its client, only the log can have what it said instead.
      flush: callbackify(async () => (sent > 0 || (await git.ended) === 0 ? null : this.#explain(git))),
    });
    const end = (): void => void guard.destroy(signal.reason as Error);
    signal.addEventListener('abort', end, { once: true });
    pipeline(git.stdout, guard, (error) => {
      signal.removeEventListener('abort', end);
      git.kill();
      void this.#end(error, git, release);
    });
    return guard;
  }

  async #end(error: Error | null | undefined, git: RunningService, release: Release): Promise<void> {
    const code = await git.ended;
    release();
    this.#tally?.end(code === 0 && (error === null || error === undefined));
    if (!(error instanceof Refusal)) return;
    const note: AuditNote = { detail: { head: this.#open.repository.head, broken_off: true } };
    await recordRefusal(this.#workspace, this.#caller, { name: this.#name, note: () => note }, undefined, error);
  }

  #explain(git: RunningService): Buffer {
    this.#workspace.onFault(`git could not answer a fetch: ${git.said()}`, undefined);
    return encodeError('This request is not understood, or the repository cannot be read.');
  }
}

/** Bytes between git and the client: a few of the largest packets. */
const highWaterMark = 256 * 1024;
