import type { Oid } from '../objects/objects.js';
import { runGit, type GitProgram } from '../program/git-program.js';
import { splitOutput } from '../program/split-output.js';
import { startGit } from '../program/start-git.js';

/** A repository as a client's commits are compared with it. */
export interface ComparedRepository {
  /** Of the bare repository. */
  readonly path: string;
  readonly head: Oid | null;
  /** The head that it had when it was last made from nothing. Null where all its commits count. */
  readonly began: Oid | null;
}

/** What the commits that a client says it has are here. */
export interface ClientHistory {
  /** Whether one of them is not here. */
  readonly hasOthers: boolean;
  /** Whether one of them is the repository's first head, or came after it. */
  readonly isOfThisLife: boolean;
}

/** Looks up the commits that a client has. @throws RepositoryUnreadable */
export async function readClientHistory(
  program: GitProgram,
  { path, head, began }: ComparedRepository,
  haves: readonly Oid[],
): Promise<ClientHistory> {
  const here = new Set<Oid>();
  const check = startGit(program, path, ['cat-file', '--buffer', '--batch-check=%(objectname) %(objecttype)']);
  check.stdin.write(`${haves.join('\n')}\n`);
  for await (const line of splitOutput(check, 0x0a)) {
    const [oid = '', type] = line.toString('latin1').split(' ');
    if (type === 'commit') here.add(oid);
  }
  const hasOthers = haves.some((oid) => !here.has(oid));
  if (!hasOthers || here.size === 0) return { hasOthers, isOfThisLife: here.size > 0 };
  return { hasOthers, isOfThisLife: await hasAny(program, { path, head, began }, here) };
}

/** Whether one of the commits is the first head, or came after it. */
async function hasAny(
  program: GitProgram,
  { path, head, began }: ComparedRepository,
  commits: ReadonlySet<Oid>,
): Promise<boolean> {
  if (began === null || head === null || commits.has(began) || commits.has(head)) return true;
  for await (const line of splitOutput(startGit(program, path, ['rev-list', head, `^${began}`, '--']), 0x0a)) {
    if (commits.has(line.toString('latin1'))) return true;
  }
  return false;
}

/**
 * Counts the objects of a head that a commit before it does not have.
 * @param signal ends git
 * @returns undefined where git cannot tell
 */
export async function countObjectsSince(
  program: GitProgram,
  { path, head }: { readonly path: string; readonly head: Oid },
  since: Oid,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const parameters = ['rev-list', '--objects', '--count', head, `^${since}`, '--'];
  const { code, stdout } = await runGit(program, path, parameters, signal === undefined ? {} : { signal });
  return code === 0 && /^\d+\n$/.test(stdout) ? Number(stdout) : undefined;
}
