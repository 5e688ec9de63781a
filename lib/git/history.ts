import { createInterface } from 'node:readline';
import { decodeCommit } from './commit-object.js';
import { ObjectNotFound, RepositoryUnreadable } from './errors.js';
import type { GitProgram } from './git-program.js';
import { spawnGit } from './git-program.js';
import type { GitObject, Oid } from './objects.js';
import { isOid } from './objects.js';

/**
 * Names of the commits from the first one, or the one behind `after`, to `from`,
 * along first parents, by one git process. A clone that was cut off (`--depth`) starts where it was cut.
 * @throws RepositoryUnreadable when git fails on the way.
 */
export async function* listHistoryWithGit(
  program: GitProgram,
  repository: string,
  from: Oid,
  after: Oid | null = null,
): AsyncGenerator<Oid, void, undefined> {
  const range = after === null ? [from] : [from, `^${after}`];
  const child = spawnGit(program, repository, ['rev-list', '--first-parent', '--reverse', ...range]);
  let said = '';
  child.stdin.on('error', () => undefined);
  child.stdin.end();
  child.stderr.on('data', (piece: Buffer) => {
    said = (said + piece.toString('utf8')).slice(-2000);
  });
  const ended = new Promise<number | null>((resolve) => {
    child.on('error', (error) => {
      said += error.message;
      resolve(null);
    });
    child.on('close', resolve);
  });
  try {
    for await (const line of createInterface({ input: child.stdout })) if (isOid(line)) yield line;
    const code = await ended;
    if (code !== 0) throw new RepositoryUnreadable(`The history of ${from} cannot be read: ${said.trim()}`);
  } finally {
    child.kill('SIGKILL');
  }
}

/** The same without a git program: from commit to commit, back to the first. */
export async function* listHistoryByReading(
  read: (oid: Oid) => Promise<GitObject>,
  from: Oid,
  isCutOff: () => Promise<boolean>,
  after: Oid | null = null,
): AsyncGenerator<Oid, void, undefined> {
  const backwards: Buffer[] = [];
  for (let at: Oid | undefined = from; at !== undefined && at !== after;) {
    let commit: GitObject;
    try {
      commit = await read(at);
    } catch (error) {
      if (error instanceof ObjectNotFound && at !== from && (await isCutOff())) break;
      throw error;
    }
    backwards.push(Buffer.from(at, 'hex'));
    at = decodeCommit(commit.bytes).parents[0];
  }
  for (let index = backwards.length - 1; index >= 0; index--) yield backwards[index]!.toString('hex');
}
