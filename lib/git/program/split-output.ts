import { RepositoryUnreadable } from '../errors.js';
import type { StartedGit } from './start-git.js';

/** A part of git's output is longer than it may be. */
export class PartTooLong extends RepositoryUnreadable {
  constructor(longest: number) {
    super(`git gives a part of more than ${longest} bytes.`);
  }
}

/**
 * git's output, split at each such byte. It ends when its reader stops.
 * @param longest bytes that one part may have
 * @param makeError the error for a longer part
 * @throws RepositoryUnreadable when git fails; PartTooLong, or the error for a longer part
 */
export async function* splitOutput(
  git: StartedGit,
  end: number,
  longest = Number.POSITIVE_INFINITY,
  makeError: () => Error = () => new PartTooLong(longest),
): AsyncGenerator<Buffer> {
  git.stdin.end();
  try {
    let rest: Buffer[] = [];
    let length = 0;
    for await (const piece of git.stdout as AsyncIterable<Buffer>) {
      let at = 0;
      for (let next = piece.indexOf(end); next >= 0; next = piece.indexOf(end, at)) {
        rest.push(piece.subarray(at, next));
        at = next + 1;
        yield Buffer.concat(rest);
        rest = [];
        length = 0;
      }
      rest.push(piece.subarray(at));
      length += piece.length - at;
      if (length > longest) throw makeError();
    }
    await git.requireSuccess('git cannot read the repository');
  } finally {
    git.kill();
  }
}
