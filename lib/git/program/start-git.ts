import type { Readable, Writable } from 'node:stream';
import { GitBoundMet, RepositoryUnreadable, WorkInterrupted } from '../errors.js';
import type { GitProgram } from './git-program.js';
import { explainBound } from './git-bounds.js';
import { killerOf, spawnGit } from './git-program.js';

/** Characters of git's standard error that are kept: the last ones, since they say why it gave up. */
const maxSaid = 2000;

/** A running git command, for work with its streams. */
export interface StartedGit {
  /** A write to an ended git is dropped; `requireSuccess` says why it ended. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Its exit code, when its streams have ended, too; null when a signal ended it, or it could not be started. */
  readonly ended: Promise<number | null>;
  /** The end of what it has written on its standard error. */
  said(): string;
  /** Ends it at once; nothing happens when it has ended. */
  kill(): void;
  /**
   * Waits for its end. A git ended by any signal, also ours, counts as failed: its output may be only a part.
   * @param problem the work that fails with it
   * @throws RepositoryUnreadable with git's message; WorkInterrupted when it was ended, or could not be started
   */
  requireSuccess(problem: string): Promise<void>;
}

/**
 * Starts a git command on a repository, with its streams open. For a folder that the service did not write itself, or
 * objects that a stranger chose, the program has to have bounds.
 * @param signal kills it
 * @throws RepositoryUnreadable when the system has nothing left to start it with
 */
export function startGit(
  program: GitProgram,
  repository: string,
  parameters: readonly string[],
  signal?: AbortSignal,
): StartedGit {
  const child = spawnGit(program, repository, parameters);
  let said = '';
  let endedBy: NodeJS.Signals | null = null;
  child.stdin.on('error', () => undefined);
  child.stderr.on('data', (piece: Buffer) => {
    said = (said + piece.toString('utf8')).slice(-maxSaid);
  });
  const kill = killerOf(program, child);
  signal?.addEventListener('abort', kill, { once: true });
  if (signal?.aborted === true) kill();
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      said += error.message;
      resolve(null);
    });
    child.once('close', (code, by) => {
      endedBy = by;
      resolve(code);
    });
  });
  void ended.then(() => signal?.removeEventListener('abort', kill));
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    ended,
    kill,
    said: () => said.trim(),
    async requireSuccess(problem) {
      const code = await ended;
      if (code === 0) return;
      const beyond = program.bounds === undefined ? undefined : explainBound(program.bounds, endedBy, said);
      if (beyond !== undefined) throw new GitBoundMet(`${problem}: ${beyond}`);
      const Failure = code === null ? WorkInterrupted : RepositoryUnreadable;
      throw new Failure(`${problem}: ${said.trim() || 'git was ended'}`);
    },
  };
}
