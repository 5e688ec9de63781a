import type { StartedGit } from './start-git.js';

/**
 * git's output, split at each such byte. It ends when its reader stops.
 * @throws RepositoryUnreadable when git fails
 */
export async function* splitOutput(git: StartedGit, end: number): AsyncGenerator<Buffer> {
  git.stdin.end();
  try {
    let rest: Buffer[] = [];
    for await (const piece of git.stdout as AsyncIterable<Buffer>) {
      let at = 0;
      for (let next = piece.indexOf(end); next >= 0; next = piece.indexOf(end, at)) {
        rest.push(piece.subarray(at, next));
        at = next + 1;
        yield Buffer.concat(rest);
        rest = [];
      }
      rest.push(piece.subarray(at));
    }
    await git.requireSuccess('git cannot read the repository');
  } finally {
    git.kill();
  }
}
