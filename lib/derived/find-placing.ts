import { ancestorsOf, type Location } from '../domain/location.js';
import type { RelocationEvent } from '../sidecar/tables/history-table.js';
import type { Tables } from '../sidecar/tables.js';
import type { Displaced } from './compare-reach.js';
import type { Placing } from './plan-moves.js';

/** Finds the events that brought documents where they are now. */
export class Placings {
  readonly #tables: Tables;
  readonly #ofFolders = new Map<Location, RelocationEvent | undefined>();

  /** @param tables of one snapshot */
  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** A deletion, a move of the document, or one of a folder above it: whichever came last. */
  find({ number, to, sequence }: Displaced): Placing {
    const { history, versions } = this.#tables;
    const found =
      to === null
        ? history.deletionBefore(number, Number.MAX_SAFE_INTEGER)
        : ancestorsOf(to)
            .map((folder) => this.#findFolder(folder))
            .reduce(later, history.relocationBefore(number, Number.MAX_SAFE_INTEGER));
    if (found !== undefined) return found;
    // Only a repaired history lacks it. Its commit is the last one then.
    const version = versions.bySequence(number, sequence);
    if (version === undefined) throw new Error(`A shown document has lost its version ${sequence}.`);
    return { moment: Number.MAX_SAFE_INTEGER, author: version.author, at: version.at };
  }

  #findFolder(folder: Location): RelocationEvent | undefined {
    if (!this.#ofFolders.has(folder)) {
      const found = this.#tables.history.folderRelocationBefore(folder, Number.MAX_SAFE_INTEGER);
      this.#ofFolders.set(folder, found);
    }
    return this.#ofFolders.get(folder);
  }
}

function later(a: RelocationEvent | undefined, b: RelocationEvent | undefined): RelocationEvent | undefined {
  return (a?.moment ?? 0) > (b?.moment ?? 0) ? a : b;
}
