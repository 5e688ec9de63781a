import { decodeCommit } from '../objects/commit-object.js';
import { ObjectNotFound, RepositoryUnreadable } from '../errors.js';
import type { GitProgram } from '../program/git-program.js';
import type { GitObject, Oid } from '../objects/objects.js';
import { OidSet } from '../objects/oid-set.js';
import { startGit } from '../program/start-git.js';
import { Tree } from '../objects/tree.js';

/** Hexadecimal digits and a line feed. */
const lineLength = 41;
const oidLength = 20;

/**
 * All objects reachable from a commit, listed by one git process.
 * @param also further objects; absent ones are passed over
 * @throws RepositoryUnreadable when something is missing on the way
 */
export async function listReachableWithGit(
  program: GitProgram,
  repository: string,
  head: Oid,
  also: readonly Oid[],
  signal: AbortSignal,
): Promise<OidSet> {
  const parameters = ['rev-list', '--objects', '--no-object-names', '--ignore-missing', '--stdin'];
  const git = startGit(program, repository, parameters, signal);
  git.stdin.end([head, ...also].map((oid) => `${oid}\n`).join(''));
  const found = new OidSet();
  try {
    let rest = '';
    for await (const piece of git.stdout as AsyncIterable<Buffer>) {
      const lines = rest + piece.toString('latin1');
      const whole = lines.length - (lines.length % lineLength);
      const oids = Buffer.from(lines.slice(0, whole).replaceAll('\n', ''), 'hex');
      found.addRow(oids, 0, oids.length / oidLength);
      rest = lines.slice(whole);
    }
    if (rest !== '') throw new RepositoryUnreadable(`git rev-list said: ${rest}`);
    await git.requireSuccess(`What ${head} leads to cannot be listed`);
  } finally {
    git.kill();
  }
  if (!found.has(head)) throw new ObjectNotFound(head);
  return found;
}

/** The same without a git program. */
export async function listReachableByReading(
  read: (oid: Oid) => Promise<GitObject>,
  head: Oid,
  also: readonly Oid[],
  signal: AbortSignal,
): Promise<OidSet> {
  const found = new OidSet();
  const visitTree = async (oid: Oid): Promise<void> => {
    if (found.has(oid)) return;
    found.add(oid);
    if (oid === Tree.empty.oid) return;
    for (const { mode, oid: entry } of Tree.parse((await read(oid)).bytes).entries()) {
      if (mode === '40000') await visitTree(entry);
      else if (mode !== '160000') found.add(entry);
    }
  };
  const open: Oid[] = [head];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    signal.throwIfAborted();
    if (found.has(at)) continue;
    found.add(at);
    const { tree, parents } = decodeCommit((await read(at)).bytes);
    await visitTree(tree);
    open.push(...parents);
  }
  for (const oid of also) found.add(oid);
  return found;
}
