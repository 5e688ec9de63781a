import type { Readable, Writable } from 'node:stream';
import { killWithChildren, spawnService, type GitProgram } from '../program/git-program.js';

/** Characters of git's standard error that are kept: the last ones, since they say why it gave up. */
const maxSaid = 2000;

/** A version of git's protocol (gitprotocol-v2). */
export type ProtocolVersion = 0 | 1 | 2;

/** A running service of git, with its streams. */
export interface RunningService {
  /** A write to an ended service is dropped. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Its exit code once its streams have ended; null when a signal ended it, or it could not be started. */
  readonly ended: Promise<number | null>;
  /** Ends it and its children at once. Does nothing when it has ended. */
  kill(): void;
  /** The end of what it wrote on its standard error. */
  said(): string;
}

/**
 * Starts a service of git on a repository.
 * @throws RepositoryUnreadable when the system has nothing left to start it with
 */
export function startService(
  program: GitProgram,
  repository: string,
  parameters: readonly string[],
  version: ProtocolVersion,
): RunningService {
  const child = spawnService(program, repository, parameters, version === 0 ? undefined : `version=${version}`);
  let said = '';
  const add = (text: string): void => void (said = (said + text).slice(-maxSaid));
  child.stdin.on('error', () => undefined);
  child.stderr.on('data', (piece: Buffer) => add(piece.toString('utf8')));
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      add(error.message);
      resolve(null);
    });
    child.once('close', resolve);
  });
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    ended,
    kill: () => killWithChildren(child),
    said: () => said.trim(),
  };
}
