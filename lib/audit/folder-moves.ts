import { ancestorsOf, type Location } from '../domain/location.js';
import type { Steps } from '../scheduling/in-steps.js';
import type { FolderMove } from '../sidecar/tables/audit-extent-table.js';
import type { Tables } from '../sidecar/tables.js';

/** Rows read before others get their turn. */
const atOnce = 500;

/** A folder that was moved, or that one was moved out of or into. */
interface Folder {
  parent: Folder | null;
  name: string;
  /** What had a name in it, in the order of the moments. */
  readonly children: Map<string, Holder[]>;
}

/** What has a name from a moment on: a folder; undefined for what no move names. */
interface Holder {
  readonly moment: number;
  folder: Folder | undefined;
}

/**
 * All moves of folders. Each folder that they name is stored with its place of now, and each name with the folders that
 * had it. So a question takes as long as its place is deep, however often a folder was moved.
 */
export class FolderMoves {
  readonly #root: Folder = { parent: null, name: '', children: new Map() };
  /** Moments at which a folder left this place. */
  readonly #left = new Map<Location, number[]>();

  /** Adds the moves of one commit. The commits come in the order of their moments. */
  add(moves: readonly FolderMove[]): void {
    const moved = moves.map(({ from }) => this.#open(from));
    for (const { from, moment } of moves) {
      const [parent, name] = this.#openParent(from);
      listOf(parent.children, name).push({ moment, folder: undefined });
      listOf(this.#left, from).push(moment);
    }
    for (const [index, { to, moment }] of moves.entries()) {
      const [parent, name] = this.#openParent(to);
      const folder = moved[index];
      // No move leads into the moved folder itself. A damaged history must not make a circle here.
      if (folder === undefined || isIn(parent, folder)) continue;
      Object.assign(folder, { parent, name });
      listOf(parent.children, name).push({ moment, folder });
    }
  }

  /** Moment of the last move, before another, of this folder or of one above it to somewhere else; 0 without one. */
  lastFrom(folder: Location, before: number): number {
    const last = [...ancestorsOf(folder), folder].map((place) => {
      const moments = this.#left.get(place) ?? [];
      return moments[countUpTo(moments, before - 1, (moment) => moment) - 1] ?? 0;
    });
    return Math.max(0, ...last);
  }

  /** Where the folder lies now that lay at this place after the commit of that moment. */
  follow(place: Location, moment: number): Location {
    const names = namesOf(place);
    let folder = this.#root;
    for (const [depth, name] of names.entries()) {
      const holders = folder.children.get(name) ?? [];
      const next = holders[countUpTo(holders, moment, (holder) => holder.moment) - 1]?.folder;
      if (next === undefined) return [...namesTo(folder), ...names.slice(depth)].join('/') as Location;
      folder = next;
    }
    return namesTo(folder).join('/') as Location;
  }

  /** The folder that lies at the place after the moves so far. */
  #open(place: Location): Folder {
    let parent = this.#root;
    for (const name of namesOf(place)) {
      const holders = listOf(parent.children, name);
      let last = holders.at(-1);
      if (last === undefined) holders.push((last = { moment: 0, folder: undefined }));
      parent = last.folder ??= { parent, name, children: new Map() };
    }
    return parent;
  }

  #openParent(place: Location): readonly [parent: Folder, name: string] {
    const end = place.lastIndexOf('/');
    return [this.#open(place.slice(0, Math.max(0, end)) as Location), place.slice(end + 1)];
  }
}

const namesOf = (place: Location): string[] => (place === '' ? [] : place.split('/'));

/** The names on the way from the root to where the folder lies now. */
function namesTo(folder: Folder): string[] {
  const names: string[] = [];
  for (let at = folder; at.parent !== null; at = at.parent) names.unshift(at.name);
  return names;
}

function isIn(folder: Folder, other: Folder): boolean {
  for (let at: Folder | null = folder; at !== null; at = at.parent) if (at === other) return true;
  return false;
}

function listOf<Key, Item>(lists: Map<Key, Item[]>, key: Key): Item[] {
  let list = lists.get(key);
  if (list === undefined) lists.set(key, (list = []));
  return list;
}

/** How many items are not later than the moment, in a list in the order of moments. */
function countUpTo<Item>(items: readonly Item[], moment: number, momentOf: (item: Item) => number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (momentOf(items[middle] as Item) > moment) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Reads all moves of folders. */
export function* readFolderMoves({ auditExtents }: Pick<Tables, 'auditExtents'>): Steps<FolderMoves> {
  const all: FolderMove[] = [];
  let found: FolderMove[];
  do {
    found = auditExtents.folderMovesAfter(all.at(-1), atOnce);
    all.push(...found);
    yield;
  } while (found.length === atOnce);
  const moves = new FolderMoves();
  // Numbers in an array of numbers are sorted without a call for each pair.
  const order = Float64Array.from(all, ({ moment }, index) => moment * all.length + index).sort();
  let commit: FolderMove[] = [];
  for (const key of order) {
    const move = all[key % all.length] as FolderMove;
    if (commit.length > 0 && commit[0]?.moment !== move.moment) {
      moves.add(commit);
      commit = [];
    }
    commit.push(move);
    yield;
  }
  moves.add(commit);
  return moves;
}
