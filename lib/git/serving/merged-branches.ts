import type { Oid } from '../objects/objects.js';
import { PartTooLong, splitOutput } from '../program/split-output.js';
import type { StartedGit } from '../program/start-git.js';
import { PushUnfit } from './push-limits.js';
import { listChanges, type RawChange } from './pushed-changes.js';
import type { LineCommit } from './pushed-line.js';

type StartGit = (parameters: readonly string[]) => StartedGit;

/** A push as it was read along its line. */
export interface ReadLine {
  readonly line: readonly LineCommit[];
  readonly changes: ReadonlyMap<Oid, readonly RawChange[]>;
}

/** Where the push goes. */
export interface PushTarget {
  /** The pushed head. */
  readonly head: Oid;
  /** Null for an empty repository. */
  readonly served: Oid | null;
  /** The head that the served repository had when it was last made from nothing. */
  readonly began: Oid | null;
  /** Whether an address is one by which the service signs as committer. */
  readonly isOfService: (address: string) => boolean;
  /** Changes that are compared. */
  readonly most: number;
}

/**
 * What a push brings beside the changes of its line. Nothing checks the commits of the branches that it merges.
 *
 * - `nothing-new`: every file that they hold is held by a commit of the line, or by the served repository.
 * - `more`: they hold other files, such as drafts.
 * - `old`: the push has commits that the service made and serves no more, or merged ones that go on from before the
 *   repository's beginning. It was made again since, and they may hold what was taken away by that.
 */
export type MergedBranches = 'nothing-new' | 'more' | 'old';

/** Looks at the commits of a push, above all at those that it merges into its line. */
export async function judgeMerged(start: StartGit, read: ReadLine, target: PushTarget): Promise<MergedBranches> {
  const onLine = new Set(read.line.map(({ commit }) => commit));
  const all = await listWithParents(start, target);
  if (all === null) return 'old';
  const merged = [...all].filter(([commit]) => !onLine.has(commit));
  if (merged.length === 0) return 'nothing-new';
  const below = new Set(merged.flatMap(([, parents]) => parents).filter((parent) => !all.has(parent)));
  if (!(await areOfThisLife(start, below, target))) return 'old';
  const branches = merged.map(([commit, [first = null]]) => ({ commit, base: first, brought: [] }));
  return (await holdsMore(start, branches, read, target.most)) ? 'more' : 'nothing-new';
}

/** The commits that the served head does not have, with their parents; null where the service made one of them. */
async function listWithParents(
  start: StartGit,
  { head, served, isOfService }: PushTarget,
): Promise<ReadonlyMap<Oid, readonly Oid[]> | null> {
  const all = new Map<Oid, readonly Oid[]>();
  const without = served === null ? [] : [`^${served}`];
  const git = start(['rev-list', '--parents', '--format==%ce', head, ...without, '--']);
  for await (const line of splitOutput(git, 0x0a)) {
    const text = line.toString('utf8');
    if (text.startsWith('=') && isOfService(text.slice(1))) return null;
    const [first, commit = '', ...parents] = text.split(' ');
    if (first === 'commit') all.set(commit, parents);
  }
  return all;
}

/** Whether served commits are the first head of this life, or came after it. */
async function areOfThisLife(
  start: StartGit,
  commits: ReadonlySet<Oid>,
  { served, began }: PushTarget,
): Promise<boolean> {
  if (served === null || began === null) return true;
  const left = new Set(commits);
  left.delete(began);
  left.delete(served);
  if (left.size === 0) return true;
  for await (const line of splitOutput(start(['rev-list', served, `^${began}`, '--']), 0x0a)) {
    left.delete(line.toString('latin1'));
  }
  return left.size === 0;
}

/** Whether the branches hold a file that no commit of the line has, nor the commit from which they go on. */
async function holdsMore(
  start: StartGit,
  branches: readonly LineCommit[],
  { changes }: ReadLine,
  most: number,
): Promise<boolean> {
  const known = new Set([...changes.values()].flat().map(keyOf));
  try {
    const ofBranches = await listChanges(start, branches, most);
    return [...ofBranches.values()].flat().some((change) => change.after !== null && !known.has(keyOf(change)));
  } catch (error) {
    if (error instanceof PushUnfit || error instanceof PartTooLong) return true;
    throw error;
  }
}

function keyOf({ path, after }: RawChange): string {
  return `${after?.mode ?? ''} ${after?.oid ?? ''} ${path.toString('latin1')}`;
}
