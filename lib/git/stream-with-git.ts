import { Transform, pipeline } from 'node:stream';
import type { Readable } from 'node:stream';
import { RepositoryUnreadable } from './errors.js';
import { spawnGit } from './git-program.js';
import type { GitProgram } from './git-program.js';
import type { Oid } from './objects.js';

/** Blobs above this many bytes are streamed by git, not inflated whole in it. */
const bigFileThreshold = '512k';

/**
 * A blob's content from a `git cat-file blob` child of its own. git stops when
 * the reader does; destroying the stream ends git.
 * @param size what the stream must come to; it fails when it does not.
 */
export function streamBlob(program: GitProgram, repository: string, oid: Oid, size: number): Readable {
  const child = spawnGit(program, repository, [
    '-c',
    `core.bigFileThreshold=${bigFileThreshold}`,
    'cat-file',
    'blob',
    oid,
  ]);
  let said = '';
  let missing = size;
  child.stdin.on('error', () => undefined);
  child.stdin.end();
  child.stderr.on('data', (piece: Buffer) => {
    said = (said + piece.toString('utf8')).slice(-2000);
  });
  let hasEnded = false;
  child.on('error', (error) => (said += error.message));
  child.on('close', () => (hasEnded = true));
  const content = new Transform({
    transform(piece: Buffer, _encoding, done) {
      missing -= piece.length;
      done(null, piece);
    },
    flush(done) {
      // What git said is complete only when it has ended.
      const finish = (): void => {
        const problem = new RepositoryUnreadable(`Object ${oid} cannot be read: ${said.trim()}`);
        done(missing === 0 ? null : problem);
      };
      if (hasEnded) finish();
      else child.once('close', finish);
    },
  });
  pipeline(child.stdout, content, () => child.kill('SIGKILL'));
  return content;
}
