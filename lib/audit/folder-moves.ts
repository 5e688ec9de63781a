import { ancestorsOf, rebase, type Location } from '../domain/location.js';
import type { Steps } from '../scheduling/in-steps.js';
import type { FolderMove } from '../sidecar/tables/audit-extent-table.js';
import type { Tables } from '../sidecar/tables.js';

/** Rows read before others get their turn. */
const atOnce = 500;

/** All moves of folders, by the places that they left. */
export class FolderMoves {
  readonly #from = new Map<Location, FolderMove[]>();
  /** Where a folder lies now, by its place after a move and by the moment of that. */
  readonly #present = new Map<string, Location>();

  /** @param moves in any order */
  constructor(moves: readonly FolderMove[]) {
    for (const move of moves.toSorted((a, b) => a.moment - b.moment)) {
      const known = this.#from.get(move.from);
      if (known === undefined) this.#from.set(move.from, [move]);
      else known.push(move);
    }
  }

  /** Moment of the last move, before another, of this folder or of one above it to somewhere else; 0 without one. */
  lastFrom(folder: Location, before: number): number {
    const last = this.#leaving(folder).map((moves) => moves[firstAfter(moves, before - 1) - 1]?.moment ?? 0);
    return Math.max(0, ...last);
  }

  /** Where the folder lies now that lay at this place after the commit of that moment. */
  follow(folder: Location, moment: number): Location {
    // A folder that was moved to and fro is followed once.
    const passed: string[] = [];
    let [at, since] = [folder, moment];
    for (let next = this.#firstFrom(at, since); next !== undefined; next = this.#firstFrom(at, since)) {
      [at, since] = [rebase(at, next.from, next.to), next.moment];
      const known = this.#present.get(`${since} ${at}`);
      if (known !== undefined) {
        at = known;
        break;
      }
      passed.push(`${since} ${at}`);
    }
    for (const each of passed) this.#present.set(each, at);
    return at;
  }

  #firstFrom(folder: Location, after: number): FolderMove | undefined {
    let first: FolderMove | undefined;
    for (const moves of this.#leaving(folder)) {
      const found = moves[firstAfter(moves, after)];
      if (found !== undefined && found.moment < (first?.moment ?? Infinity)) first = found;
    }
    return first;
  }

  #leaving(folder: Location): FolderMove[][] {
    return [...ancestorsOf(folder), folder].flatMap((place) => {
      const moves = this.#from.get(place);
      return moves === undefined ? [] : [moves];
    });
  }
}

/** The index of the first move after the moment; the number of moves where there is none. */
function firstAfter(moves: readonly FolderMove[], moment: number): number {
  let [low, high] = [0, moves.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moves[middle]?.moment ?? 0) > moment) high = middle;
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
  return new FolderMoves(all);
}
