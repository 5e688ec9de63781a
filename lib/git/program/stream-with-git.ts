import { Transform, pipeline } from 'node:stream';
import type { Readable } from 'node:stream';
import { callbackify } from 'node:util';
import { RepositoryUnreadable } from '../errors.js';
import type { GitProgram } from './git-program.js';
import type { Oid } from '../objects/objects.js';
import { startGit } from './start-git.js';

/** Blobs above this many bytes are streamed by git, not inflated whole in it. */
const bigFileThreshold = '512k';

/**
 * A blob's content from a `git cat-file blob` child of its own. git stops when the reader does; destroying the stream
 * ends git.
 * @param size the expected length of the stream; it fails at any other.
 */
export function streamBlob(program: GitProgram, repository: string, oid: Oid, size: number): Readable {
  const parameters = ['-c', `core.bigFileThreshold=${bigFileThreshold}`, 'cat-file', 'blob', oid];
  const git = startGit(program, repository, parameters);
  git.stdin.end();
  const problem = `Object ${oid} cannot be read`;
  let missing = size;
  const content = new Transform({
    transform(piece: Buffer, _encoding, done) {
      missing -= piece.length;
      done(null, piece);
    },
    flush: callbackify(async () => {
      await git.requireSuccess(problem);
      if (missing !== 0) throw new RepositoryUnreadable(`${problem}: it has another length.`);
    }),
  });
  pipeline(git.stdout, content, () => git.kill());
  return content;
}
