import { describeError } from '../domain/describe-error.js';

/** All errors that reading from a repository can throw. */

/** The repository is sound, and it holds no object of this name. */
export class ObjectNotFound extends Error {
  override readonly name = 'ObjectNotFound';
  readonly oid: string;

  constructor(oid: string) {
    super(`The repository holds no object ${oid}.`);
    this.oid = oid;
  }
}

/**
 * The repository or the requested object cannot be read: damaged bytes, an I/O error, a folder without a repository. It
 * never means "absent".
 */
export class RepositoryUnreadable extends Error {
  override readonly name = 'RepositoryUnreadable';
}

/**
 * A program was ended from outside, or the system had nothing left to start it with. The repository is not to blame, and
 * the same work may succeed later.
 */
export class WorkInterrupted extends RepositoryUnreadable {}

/** git may take no more memory or time for objects that a stranger chose. The repository is not damaged. */
export class GitBoundMet extends RepositoryUnreadable {}

/** The request needs the git program, and it is absent, too old, or not to be used. */
export class GitProgramMissing extends Error {
  override readonly name = 'GitProgramMissing';

  /** @param purpose goes on after "is needed to" */
  constructor(purpose: string) {
    super(`The git program, 2.34 or newer, is needed to ${purpose}, and is not there.`);
  }
}

/**
 * Thrown inside synchronous work on trees when an object is not at hand. The
 * caller loads `oid` and starts its work again.
 */
export class MissingObject extends Error {
  override readonly name = 'MissingObject';
  readonly oid: string;

  constructor(oid: string) {
    super(`Object ${oid} is not in memory.`);
    this.oid = oid;
  }
}

/** The `code` of a system error (`ENOENT`, `ENOSPC`, …), or undefined. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Wraps any error of a read; an error of this file passes unchanged. */
export function asUnreadable(error: unknown, what: string): Error {
  if (error instanceof ObjectNotFound || error instanceof RepositoryUnreadable) return error;
  return new RepositoryUnreadable(`${what}: ${describeError(error)}`, { cause: error });
}
