import { RepositoryUnreadable } from '../errors.js';
import { hashObject, type Oid } from '../objects/objects.js';
import { splitOutput } from '../program/split-output.js';
import type { StartedGit } from '../program/start-git.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import { EntryCount, TooDeep } from '../sources/count-tree-entries.js';
import { pushInParts, PushUnfit } from './push-limits.js';
import type { LineCommit } from './pushed-line.js';
import { TreeReader } from './read-objects.js';

/** One side of a change: the kind of entry as git has it (`100644`, `120000`), and its object. */
export interface PushedEntry {
  readonly mode: string;
  readonly oid: Oid;
}

/** A file that a commit changes. */
export interface RawChange {
  /** Null where it was not there. */
  readonly before: PushedEntry | null;
  /** Null where it is not there any more. */
  readonly after: PushedEntry | null;
  /** The path as the tree has it: any bytes. */
  readonly path: Buffer;
  /** The path before, of a file that was moved. */
  readonly from: Buffer | null;
}

/** A commit, and the one that it is compared with. */
type Compared = Pick<LineCommit, 'commit' | 'base'>;

type StartGit = (parameters: readonly string[]) => StartedGit;

/** Bytes of one path. git itself takes longer ones; a location is far shorter. */
const maxPathLength = 64 * 1024;
/**
 * Files that are compared with each other to find moves that also change the file. Where a commit has more, only moves
 * of unchanged files are found.
 */
const maxCompared = 200;
const kept = '100644';

/**
 * The changes of each commit of a line, with moves. A file that a commit deletes and one that it adds are a move where
 * their contents are alike, as git finds it.
 * @throws PushUnfit for more changes than one push may have
 */
export async function listChanges(
  start: StartGit,
  line: readonly Compared[],
  most: number,
): Promise<ReadonlyMap<Oid, readonly RawChange[]>> {
  await requireFew(start, line, most);
  // A move counts twice here. Comparing files takes long, so it is done for few.
  const plain = await readDiffs(start, line, ['--no-renames'], 2 * most);
  const withMoves = line.filter(({ commit }) => mayMove(plain.get(commit) ?? []));
  const moved =
    withMoves.length === 0
      ? new Map<Oid, readonly RawChange[]>()
      : await readDiffs(start, withMoves, ['-M', '--no-rename-empty', `-l${maxCompared}`], 2 * most);
  const all = new Map<Oid, readonly RawChange[]>();
  let count = 0;
  for (const { commit } of line) {
    const changes = pairEmptyFiles(moved.get(commit) ?? plain.get(commit) ?? []);
    count += changes.length;
    all.set(commit, changes);
  }
  if (count > most) throw tooMany(most);
  return all;
}

/** Files and folders that a comparison may visit, for each change that a push may have. Folders lie within folders. */
const visitedForEach = 20;
/** The modes that git writes. All but those of plain files and folders are refused with the file's name, later. */
const knownModes: ReadonlySet<string> = new Set(['100644', '40000', '100755', '120000', '160000']);
const entriesAtOnce = 1000;

/**
 * git takes other modes for one of these, such as 100666 for 100644, and never says so.
 * @throws PushUnfit
 */
function* requireKnownModes(bytes: Buffer, tree: Oid): Generator<void, void> {
  let count = 0;
  for (let start = 0; start < bytes.length;) {
    const space = bytes.indexOf(0x20, start);
    const end = space < 0 ? -1 : bytes.indexOf(0, space);
    if (end < 0) return;
    if (!knownModes.has(bytes.toString('latin1', start, Math.min(space, start + 8)))) {
      const what = `The folder ${tree} of a commit holds an entry with a mode that git does not write.`;
      throw new PushUnfit(`${what} Find it with: git ls-tree ${tree}`);
    }
    start = end + 21;
    count += 1;
    if (count % entriesAtOnce === 0) yield;
  }
}

/**
 * Counts what the comparisons will visit, before git begins one: it gathers all of a commit's changes in memory before
 * it says the first one, and some hundred bytes can stand for ten thousand million files.
 * @throws PushUnfit
 */
async function requireFew(start: StartGit, line: readonly Compared[], most: number): Promise<void> {
  const trees = new TreeReader(start);
  const bound = visitedForEach * most;
  try {
    const count = new EntryCount(async (oid) => {
      const bytes = (await trees.read(oid))?.bytes;
      if (bytes !== undefined) await runCooperatively(requireKnownModes(bytes, oid));
      return bytes;
    }, bound);
    let visited = 0;
    for (const { commit, base } of line) {
      const before = base === null ? undefined : await trees.read(`${base}^{tree}`);
      const after = await trees.read(`${commit}^{tree}`);
      if (after === undefined) throw new RepositoryUnreadable(`git lacks the folder of ${commit}.`);
      visited += await count.changed(before?.oid ?? null, after.oid);
      if (visited > bound) throw tooMany(most);
    }
  } catch (error) {
    if (error instanceof TooDeep)
      throw new PushUnfit('The path of a file is too deep, or its name is too long. Rename it.');
    throw error;
  } finally {
    trees.close();
  }
}

function mayMove(changes: readonly RawChange[]): boolean {
  return changes.some(({ after }) => after === null) && changes.some(({ before }) => before === null);
}

const emptyOid = hashObject('blob', Buffer.alloc(0));

/**
 * Empty files are all alike, so git pairs any two of them. They are a move only where it is plain which became which: a
 * name that is left once and taken once, or the only two that remain.
 */
function pairEmptyFiles(changes: readonly RawChange[]): readonly RawChange[] {
  const left = changes.filter(({ before, after }) => after === null && isEmptyFile(before));
  const taken = changes.filter(({ before, after }) => before === null && isEmptyFile(after));
  if (left.length === 0 || taken.length === 0) return changes;
  const pairs = new Map<RawChange, RawChange>();
  const leftByName = findOnlyOnes(left);
  for (const [name, to] of findOnlyOnes(taken)) {
    const from = leftByName.get(name);
    if (from !== undefined) pairs.set(to, from);
  }
  const moved = new Set(pairs.values());
  const [from, ...otherLeft] = left.filter((each) => !moved.has(each));
  const [to, ...otherTaken] = taken.filter((each) => !pairs.has(each));
  if (from !== undefined && to !== undefined && otherLeft.length + otherTaken.length === 0) pairs.set(to, from);
  const gone = new Set(pairs.values());
  return changes.flatMap((change) => {
    const origin = pairs.get(change);
    if (origin !== undefined) return [{ ...change, before: origin.before, from: origin.path }];
    return gone.has(change) ? [] : [change];
  });
}

function isEmptyFile(entry: PushedEntry | null): boolean {
  return entry?.mode === kept && entry.oid === emptyOid;
}

/** The changes whose file has a name that none of the others has, by this name. */
function findOnlyOnes(changes: readonly RawChange[]): ReadonlyMap<string, RawChange> {
  const found = new Map<string, RawChange>();
  const twice = new Set<string>();
  for (const change of changes) {
    const name = change.path.toString('latin1', change.path.lastIndexOf('/') + 1);
    if (found.has(name)) twice.add(name);
    found.set(name, change);
  }
  for (const name of twice) found.delete(name);
  return found;
}

function tooMany(most: number): PushUnfit {
  const remedy = `Make smaller commits, or push them in parts: ${pushInParts}`;
  return new PushUnfit(`A push changes at most ${most} files. ${remedy}`);
}

async function readDiffs(
  start: StartGit,
  line: readonly Compared[],
  flags: readonly string[],
  most: number,
): Promise<ReadonlyMap<Oid, readonly RawChange[]>> {
  const parameters = ['diff-tree', '--stdin', '-r', '-z', '--raw', '--root', '--always', '--no-abbrev'];
  const git = start([...parameters, '--ignore-submodules=none', ...flags]);
  for (const { commit, base } of line) git.stdin.write(base === null ? `${commit}\n` : `${commit} ${base}\n`);
  const byCommit = new Map<Oid, RawChange[]>();
  const parts = splitOutput(
    git,
    0,
    maxPathLength,
    () => new PushUnfit('A file has a name that is too long. Rename it.'),
  );
  let changes: RawChange[] = [];
  let count = 0;
  for await (const part of parts) {
    if (part[0] !== 0x3a) {
      changes = [];
      byCommit.set(part.toString('latin1', 0, 40), changes);
      continue;
    }
    changes.push(await readChange(part.toString('latin1'), parts));
    count += 1;
    // The line of git ends with its reader.
    if (count > most) throw tooMany(most / 2);
  }
  return byCommit;
}

/** `:100644 100644 OID OID M`, and one path, or two for a move. */
async function readChange(facts: string, parts: AsyncGenerator<Buffer>): Promise<RawChange> {
  const [oldMode = '', mode = '', oldOid = '', oid = '', status = ''] = facts.slice(1).split(' ');
  const path = await takePart(parts);
  const isMove = status.startsWith('R');
  return {
    before: status === 'A' ? null : { mode: oldMode, oid: oldOid },
    after: status === 'D' ? null : { mode, oid },
    path: isMove ? await takePart(parts) : path,
    from: isMove ? path : null,
  };
}

async function takePart(parts: AsyncGenerator<Buffer>): Promise<Buffer> {
  const next = await parts.next();
  return next.done === true ? Buffer.alloc(0) : next.value;
}

/** What a change would make that is no document, in words; undefined for a plain file and for a deletion. */
export function findUnfitKind({ after }: RawChange): 'link' | 'submodule' | 'executable' | undefined {
  if (after === null || after.mode === kept) return undefined;
  if (after.mode === '120000') return 'link';
  return after.mode === '160000' ? 'submodule' : 'executable';
}
