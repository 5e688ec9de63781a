import type { Oid, PackableObject } from '../git/objects/objects.js';
import type { HeldPack, Repository } from '../git/repositories/repository.js';
import { Rests } from '../scheduling/rests.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import type { Journal } from './journal.js';
import type { Maintainer } from './maintain.js';

export interface StagedPacksOptions {
  readonly journal: Journal;
  readonly repository: Repository;
  readonly maintainer: Pick<Maintainer, 'roomForPack' | 'notePack' | 'stoodAside'>;
  /** Called with the cause when unused packs could not be dropped; the next start tries again. */
  readonly onFault: (cause: unknown) => void;
}

/** Rows of versions read in one turn. */
const rowsAtOnce = 2000;

/**
 * Many small contents between their arrival and the one transaction that refers to them. They are written as packs that
 * nobody sees. Just before the transaction, rows name the packs, and the packs are shown in the repository. The
 * transaction removes the rows. So a pack with a row belongs to a transaction that did not happen.
 */
export class StagedPacks {
  readonly #options: StagedPacksOptions;
  /** Contents in packs that are shown, and that no version refers to yet. */
  readonly #awaited = new Set<ReadonlySet<Oid>>();
  /** Ends with the last pack shown or dropped. */
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(options: StagedPacksOptions) {
    this.#options = options;
  }

  /** Writes contents as packs that nobody sees. @throws errors of the repository */
  hold(objects: readonly PackableObject[]): Promise<readonly HeldPack[]> {
    return this.#options.repository.holdPack(objects);
  }

  /** Removes held packs. @throws errors of the repository */
  async drop(packs: readonly HeldPack[]): Promise<void> {
    for (const pack of packs) await this.#options.repository.dropHeld(pack);
  }

  /**
   * Makes held packs part of the repository. They stay there whatever an erase sweeps meanwhile, until `settle`.
   * @param oids the contents in them
   * @param owner the id of the connector or the push
   * @param shown takes the names of the packs in the repository, also where this then throws
   * @throws errors of the repository or the journal
   */
  async show(packs: readonly HeldPack[], oids: ReadonlySet<Oid>, owner: string, shown: string[]): Promise<void> {
    const { journal, repository, maintainer } = this.#options;
    // Before a name is chosen: a sweep that lists its packs after that leaves the contents where they are.
    this.#awaited.add(oids);
    for (const pack of packs) {
      // Not within the turn: a drop keeps the maintenance from making room, and waits for its own turn.
      await maintainer.roomForPack();
      await this.#inTurn(async () => {
        const name = repository.nameOf(pack);
        shown.push(name);
        await journal.write({ run: ({ tables }) => tables.objects.stagePack(name, owner) });
        await repository.showHeld(pack, name);
      });
      maintainer.notePack();
    }
  }

  /** Contents that a transaction is about to refer to. Those shown while they are gone through come as well. */
  *awaited(): Generator<Oid, void, undefined> {
    for (const oids of this.#awaited) yield* oids;
  }

  /**
   * After the transaction, or instead of it: drops those of the shown packs that no version needs. Never throws.
   * @param shown the names from `show`
   * @param oids as given to `show`
   */
  async settle(shown: readonly string[], oids: ReadonlySet<Oid>): Promise<void> {
    this.#awaited.delete(oids);
    await this.#dropUnneeded((name) => shown.includes(name)).catch((error: unknown) => this.#options.onFault(error));
  }

  /** Drops the packs that an earlier process showed in vain. @throws errors of the repository or the journal */
  recover(): Promise<void> {
    return this.#dropUnneeded(() => true);
  }

  async #dropUnneeded(isMeant: (name: string) => boolean): Promise<void> {
    const { journal, maintainer, repository } = this.#options;
    const findMeant = (): string[] => journal.reader.objects.stagedPacks().filter(isMeant);
    if (findMeant().length === 0) return;
    // A joining would leave objects out of its pack that one of these packs has too.
    await maintainer.stoodAside(async () => {
      for (const name of findMeant()) {
        await this.#inTurn(async () => {
          const need = await this.#needOf(name);
          // The row tells the next start about the run that goes on.
          if (need === 'awaited') return;
          if (need === 'none') await repository.dropPack(name);
          await journal.write({ run: ({ tables }) => tables.objects.unstagePack(name) });
        });
      }
    });
  }

  /** Packs are named by their contents. Two runs can show one, so none is shown while its like is looked at and dropped. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#lastTurn.then(work);
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  /** Who needs content of the pack. One that was joined with others stays as it is, and is none any more. */
  async #needOf(name: string): Promise<'stored' | 'awaited' | 'joined' | 'none'> {
    const { journal, repository } = this.#options;
    const objects = await repository.objectsOf(name);
    if (objects === undefined) return 'joined';
    // Another run can be about to refer to the same contents.
    const rests = new Rests();
    for (const oid of this.awaited()) {
      if (objects.has(oid)) return 'awaited';
      if (rests.isDue) await rests.take();
    }
    for (let after = { document: 0, sequence: 0 }; ;) {
      const rows = journal.reader.versions.blobsAfter(after, rowsAtOnce);
      if (rows.some(({ blobOid }) => objects.has(blobOid))) return 'stored';
      const last = rows.at(-1);
      if (last === undefined) return 'none';
      after = last;
      await yieldToLoop();
    }
  }
}
