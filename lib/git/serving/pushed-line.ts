import type { Oid } from '../objects/objects.js';
import { splitOutput } from '../program/split-output.js';
import type { GitProgram } from '../program/git-program.js';
import { startGit, type StartedGit } from '../program/start-git.js';
import { pushInParts, PushUnfit } from './push-limits.js';

/** A commit that becomes a change, and the commit that it is compared with: null for the empty repository. */
export interface LineCommit {
  readonly commit: Oid;
  readonly base: Oid | null;
  /** Of a merge of the served head: the client's own commits that it brings, the oldest first, and the last ones. */
  readonly brought: readonly Oid[];
}

type StartGit = (parameters: readonly string[]) => StartedGit;

/** Commits of a merge that are named. */
const maxBrought = 20;
/** Bytes of one line of git: a commit with very many parents. */
const maxLineLength = 1024 * 1024;

/**
 * The line of a push: along the first parents from its head to the served head, the oldest first. A merge of the served
 * head into the client's own line is compared with the served head, and the line ends there.
 * @param served null for an empty repository
 * @param most commits that a push may have, with those of merged branches
 * @returns null where the served head is no ancestor: then the push is no fast-forward
 * @throws PushUnfit
 */
export async function findLine(
  start: StartGit,
  head: Oid,
  served: Oid | null,
  most: number,
): Promise<readonly LineCommit[] | null> {
  if (head === served) return [];
  const parents = await listCommits(start, head, served, most);
  const above = served === null ? undefined : findAbove(parents, served);
  if (above?.has(head) === false) return null;
  const line: LineCommit[] = [];
  for (let commit: Oid | undefined = head; commit !== undefined && commit !== served;) {
    const first: Oid | undefined = parents.get(commit)?.[0];
    const isOnLine: boolean =
      served === null || first === served || (first !== undefined && above?.has(first) === true);
    const base = isOnLine ? (first ?? null) : served;
    line.push({ commit, base, brought: isOnLine ? [] : listFirstParents(parents, first) });
    commit = isOnLine ? first : undefined;
  }
  return line.toReversed();
}

function listFirstParents(parents: ReadonlyMap<Oid, readonly Oid[]>, from: Oid | undefined): readonly Oid[] {
  const oids: Oid[] = [];
  for (let oid = from; oid !== undefined && oids.length < maxBrought; oid = parents.get(oid)?.[0]) {
    if (!parents.has(oid)) break;
    oids.push(oid);
  }
  return oids.toReversed();
}

/** The commits that the served head does not have, with their parents; the children come before their parents. */
async function listCommits(
  start: StartGit,
  head: Oid,
  served: Oid | null,
  most: number,
): Promise<ReadonlyMap<Oid, readonly Oid[]>> {
  const without = served === null ? [] : [`^${served}`];
  const parents = new Map<Oid, readonly Oid[]>();
  const git = start(['rev-list', '--topo-order', '--parents', `--max-count=${most + 1}`, head, ...without, '--']);
  for await (const line of splitOutput(git, 0x0a, maxLineLength, hasManyParents)) {
    const [commit = '', ...ofCommit] = line.toString('latin1').split(' ');
    parents.set(commit, ofCommit);
  }
  if (parents.size > most)
    throw new PushUnfit(`A push has at most ${most} commits. Push them in parts: ${pushInParts}`);
  return parents;
}

/** Whether a commit is another one, or one of its ancestors. False for a commit that the repository lacks. */
export async function isAncestor(program: GitProgram, repository: string, commit: Oid, of: Oid): Promise<boolean> {
  const git = startGit(program, repository, ['merge-base', '--is-ancestor', commit, of]);
  git.stdin.end();
  git.stdout.resume();
  return (await git.ended) === 0;
}

const hasManyParents = (): PushUnfit => new PushUnfit('A commit has too many parents. Merge fewer branches at once.');

/** The commits with the served head among their ancestors. */
function findAbove(parents: ReadonlyMap<Oid, readonly Oid[]>, served: Oid): ReadonlySet<Oid> {
  const above = new Set<Oid>([served]);
  for (const [commit, ofCommit] of [...parents].toReversed()) {
    if (ofCommit.some((parent) => above.has(parent))) above.add(commit);
  }
  above.delete(served);
  return above;
}
