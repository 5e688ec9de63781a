import { decodeCommit } from '../objects/commit-object.js';
import { ObjectNotFound, RepositoryUnreadable } from '../errors.js';
import { runGit, type GitProgram } from '../program/git-program.js';
import type { GitObject, Oid } from '../objects/objects.js';
import { OidSet } from '../objects/oid-set.js';
import { startGit } from '../program/start-git.js';
import { Tree } from '../objects/tree.js';

const oidLength = 20;

/** What a commit leads to. */
export interface Reachable {
  readonly found: OidSet;
  /** Trees and blobs that the others name, and that are not there. What only they name is not found. */
  readonly missing: readonly Oid[];
}

/**
 * All objects reachable from a commit, listed by one git process.
 * @param also further objects; absent ones are passed over
 * @throws RepositoryUnreadable when a commit is missing on the way, or something is damaged
 */
export async function listReachableWithGit(
  program: GitProgram,
  repository: string,
  head: Oid,
  also: readonly Oid[],
  signal: AbortSignal,
): Promise<Reachable> {
  const parameters = ['rev-list', '--objects', '--no-object-names', '--ignore-missing', '--missing=print', '--stdin'];
  const git = startGit(program, repository, parameters, signal);
  git.stdin.end([head, ...also].map((oid) => `${oid}\n`).join(''));
  const found = new OidSet();
  const missing: Oid[] = [];
  try {
    let rest = '';
    for await (const piece of git.stdout as AsyncIterable<Buffer>) {
      const said = rest + piece.toString('latin1');
      const end = said.lastIndexOf('\n') + 1;
      rest = said.slice(end);
      const oids = Buffer.from(takeMissing(said.slice(0, end), missing).replaceAll('\n', ''), 'hex');
      found.addRow(oids, 0, oids.length / oidLength);
    }
    if (rest !== '') throw new RepositoryUnreadable(`git rev-list said: ${rest}`);
    await git.requireSuccess(`What ${head} leads to cannot be listed`);
  } finally {
    git.kill();
  }
  if (!found.has(head)) throw new ObjectNotFound(head);
  if (missing.length > 0) await requireCommits(program, repository, head, signal);
  return { found, missing };
}

/**
 * git 2.44 and later pass over a missing commit as well, and over all that lies behind it.
 * @throws RepositoryUnreadable when one is missing
 */
async function requireCommits(program: GitProgram, repository: string, head: Oid, signal: AbortSignal): Promise<void> {
  const { code, stderr } = await runGit(program, repository, ['rev-list', '--count', head], { signal });
  if (code !== 0) throw new RepositoryUnreadable(`What ${head} leads to cannot be listed: ${stderr.trim()}`);
}

/** Takes the lines of missing objects out of what git said: they begin with a question mark. */
function takeMissing(lines: string, missing: Oid[]): string {
  if (!lines.includes('?')) return lines;
  return lines.replaceAll(/^\?([0-9a-f]{40})\n/gm, (_, oid: Oid) => {
    missing.push(oid);
    return '';
  });
}

/**
 * The same without a git program.
 * @param isThere whether a blob exists
 */
export async function listReachableByReading(
  read: (oid: Oid) => Promise<GitObject>,
  isThere: (oid: Oid) => boolean,
  head: Oid,
  also: readonly Oid[],
  signal: AbortSignal,
): Promise<Reachable> {
  const found = new OidSet();
  const missing: Oid[] = [];
  const visitTree = async (oid: Oid): Promise<void> => {
    if (found.has(oid)) return;
    found.add(oid);
    if (oid === Tree.empty.oid) return;
    const object = await read(oid).catch((error: unknown) => {
      if (error instanceof ObjectNotFound) return undefined;
      throw error;
    });
    if (object === undefined) {
      missing.push(oid);
      return;
    }
    for (const { mode, oid: entry } of Tree.parse(object.bytes).entries()) {
      if (mode === '40000') await visitTree(entry);
      else if (mode !== '160000' && !found.has(entry)) {
        found.add(entry);
        if (!isThere(entry)) missing.push(entry);
      }
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
  return { found, missing };
}
