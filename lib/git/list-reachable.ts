import { createInterface } from 'node:readline';
import { decodeCommit } from './commit-object.js';
import { ObjectNotFound, RepositoryUnreadable } from './errors.js';
import type { GitProgram } from './git-program.js';
import { spawnGit } from './git-program.js';
import type { GitObject, Oid } from './objects.js';
import { Tree } from './tree.js';

/** Objects by name, with a path that each lies at ('' for commits and roots): alike ones stand together in a pack. */
export type ReachableObjects = ReadonlyMap<Oid, string>;

/**
 * Everything that a commit leads to, by one git process.
 * @param also further objects; those that are not there are passed over
 * @throws RepositoryUnreadable when something is missing on the way
 */
export async function listReachableWithGit(
  program: GitProgram,
  repository: string,
  head: Oid,
  also: readonly Oid[],
  signal: AbortSignal,
): Promise<ReachableObjects> {
  const child = spawnGit(program, repository, ['rev-list', '--objects', '--ignore-missing', '--stdin']);
  const abort = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', abort, { once: true });
  let said = '';
  child.stdin.on('error', () => undefined);
  child.stdin.end([head, ...also].map((oid) => `${oid}\n`).join(''));
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
  const found = new Map<Oid, string>();
  try {
    for await (const line of createInterface({ input: child.stdout })) found.set(line.slice(0, 40), line.slice(41));
    const code = await ended;
    if (code !== 0) throw new RepositoryUnreadable(`What ${head} leads to cannot be listed: ${said.trim()}`);
  } finally {
    signal.removeEventListener('abort', abort);
    child.kill('SIGKILL');
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
): Promise<ReachableObjects> {
  const found = new Map<Oid, string>();
  const visitTree = async (oid: Oid, path: string): Promise<void> => {
    if (found.has(oid)) return;
    found.set(oid, path);
    if (oid === Tree.empty.oid) return;
    for (const { name, mode, oid: entry } of Tree.parse((await read(oid)).bytes).entries()) {
      const place = path === '' ? name : `${path}/${name}`;
      if (mode === '40000') await visitTree(entry, place);
      else if (mode !== '160000' && !found.has(entry)) found.set(entry, place);
    }
  };
  const open: Oid[] = [head];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    signal.throwIfAborted();
    if (found.has(at)) continue;
    found.set(at, '');
    const { tree, parents } = decodeCommit((await read(at)).bytes);
    await visitTree(tree, '');
    open.push(...parents);
  }
  for (const oid of also) if (!found.has(oid)) found.set(oid, '');
  return found;
}
