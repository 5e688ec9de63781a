import { invalidRequest, type Refusal } from '../../domain/refusal.js';
import { rootLocation } from '../../domain/location.js';
import type { WriteContext } from '../../changes/write-context.js';
import { Rests } from '../../scheduling/rests.js';
import type { Tables } from '../../sidecar/tables.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { PrepareContext } from '../operation.js';

/** A principal that is not disabled, or a group. */
export interface Named {
  readonly id: string;
  readonly displayName: string;
  readonly disabledAt?: number | null;
}

/** Names looked at between two questions whether to rest. */
const batch = 100;

/**
 * What a name looks like: names with an equal skeleton in the same place look the same (UTS #39 §4). The second one is
 * without regard to case.
 */
type Skeletons = (name: string) => readonly [string, string];

/** The table of Unicode is loaded where a name is given, since few requests and commands do. */
async function openSkeletons(): Promise<Skeletons> {
  const { default: replace } = await import('unhomoglyph');
  const skeletonOf = (text: string): string => replace(text.normalize('NFD')).normalize('NFD');
  return (name) => {
    const tidy = name
      .normalize('NFKC')
      .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
      .replace(/\s+/gu, ' ');
    return [skeletonOf(tidy), skeletonOf(tidy.toLowerCase())];
  };
}

/** Equal names, and names that differ in case alone, are found together by every search. */
const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** All principals that are not disabled and all groups, with rests for other work. */
async function* walkNames({ journal }: Pick<Workspace, 'journal'>): AsyncGenerator<Named> {
  const rests = new Rests();
  for (const kind of ['principals', 'groups'] as const) {
    for (let after = ''; ;) {
      const named: readonly Named[] = journal.reader[kind].after(after, batch);
      const last = named.at(-1);
      if (last === undefined) break;
      yield* named.filter(isThere);
      after = last.id;
      if (rests.isDue) await rests.take();
    }
  }
}

const isThere = ({ disabledAt = null }: Named): boolean => disabledAt === null;

/** A new name, compared with those that there were. */
export interface JudgedName {
  /**
   * Refuses a name that looks like another one of the workspace and is written with other characters. Two equal names
   * are allowed: wherever a name is taken, two that it means are refused.
   * @throws Refusal INVALID_REQUEST `bad_field`; it names the other one to those who may list all
   */
  requireDistinct(context: WriteContext): void;
}

/** Compares a new name before its transaction. @param ownId of the one that is renamed */
export async function judgeName(
  { workspace }: Pick<PrepareContext, 'workspace'>,
  name: string,
  ownId?: string,
): Promise<JudgedName> {
  const skeletons = await openSkeletons();
  const at = workspace.clock.now();
  const [exact, folded] = skeletons(name);
  const isLike = ({ id, displayName }: Named): boolean => {
    if (id === ownId || isSame(name, displayName)) return false;
    const [otherExact, otherFolded] = skeletons(displayName);
    return exact === otherExact || folded === otherFolded;
  };
  const alike = await findName(workspace, isLike);
  return {
    requireDistinct({ transaction, view }) {
      // Those that were made meanwhile, too.
      const found = alike ?? madeSince(transaction.tables, at).find((each) => isThere(each) && isLike(each));
      if (found !== undefined) throw looksLike(found, view.reach.holds('approver', rootLocation));
    },
  };
}

async function findName(workspace: Workspace, isSought: (named: Named) => boolean): Promise<Named | undefined> {
  for await (const named of walkNames(workspace)) if (isSought(named)) return named;
  return undefined;
}

function looksLike({ id, displayName }: Named, mayList: boolean): Refusal {
  const other = mayList ? `"${displayName}" (${id})` : 'another one here';
  const what = `The name looks like ${other}, which is written with other characters. Choose one that can be told apart.`;
  return invalidRequest('bad_field', what, { field: 'name' });
}

const madeSince = ({ principals, groups }: Tables, at: number): readonly Named[] => [
  ...principals.madeSince(at),
  ...groups.madeSince(at),
];

/** Names that look alike, from before such were refused, or of somebody who was enabled again. At most so many. */
export async function findLookAlikes(workspace: Pick<Workspace, 'journal'>, most: number): Promise<[Named, Named][]> {
  const skeletons = await openSkeletons();
  const seen = [new Map<string, Named>(), new Map<string, Named>()] as const;
  const found: [Named, Named][] = [];
  for await (const named of walkNames(workspace)) {
    const keys = skeletons(named.displayName);
    const others = keys.map((key, index) => seen[index]?.get(key)).filter((other) => other !== undefined);
    const other = others.find(({ displayName }) => !isSame(displayName, named.displayName));
    if (other !== undefined) found.push([other, named]);
    if (found.length >= most) break;
    for (const [index, key] of keys.entries()) if (!seen[index]?.has(key)) seen[index]?.set(key, named);
  }
  return found;
}
