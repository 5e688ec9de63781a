import type { Oid } from '../objects/objects.js';
import type { GitProgram } from '../program/git-program.js';
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

/** More than git names in one request. A client can send many more, and looking at all of them would take long. */
const maxHaves = 20_000;

/** The commits that a client names in a request for a fetch, the first ones of very many. */
export function listHaves(request: Buffer): readonly Oid[] {
  const haves: Oid[] = [];
  for (const [, oid = ''] of request.toString('latin1').matchAll(/003[12]have ([0-9a-f]{40})/g)) {
    haves.push(oid);
    if (haves.length === maxHaves) break;
  }
  return haves;
}

/** Words of one kind that are looked at in a request. Git's own have a handful. */
const maxWords = 1000;
/** The length of a line of a request, four digits, stands before its word. */
const lengthDigits = 4;
const oidLength = 40;
const isHex = (text: string): boolean => /^[0-9a-f]+$/.test(text);

/**
 * The texts behind a word at the beginning of a line, of a length; undefined where there are very many. It looks for
 * the word alone, because a request can be long and no line of git's.
 */
function textsAfter(request: Buffer, word: string, length: number): string[] | undefined {
  const found: string[] = [];
  let looks = 0;
  for (let at = request.indexOf(word); at >= 0; at = request.indexOf(word, at + word.length)) {
    looks += 1;
    if (looks > maxWords) return undefined;
    const end = at + word.length;
    if (at < lengthDigits || !isHex(request.toString('latin1', at - lengthDigits, at))) continue;
    found.push(request.toString('latin1', end, end + length));
  }
  return found;
}

/**
 * The objects that a request wants, where it asks for everything behind them that it lacks. Null where it asks for some
 * of that again, or for parts: by depth, or by a filter. Null, too, where it has more words than any client of git.
 */
export function listWants(request: Buffer): readonly Oid[] | null {
  const isWhole = ['shallow', 'deepen', 'filter'].every((word) => textsAfter(request, word, 0)?.length === 0);
  const wants = isWhole ? textsAfter(request, 'want ', oidLength) : undefined;
  return wants?.filter((oid) => oid.length === oidLength && isHex(oid)) ?? null;
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
