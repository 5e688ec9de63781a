import { ReachMemory, type Reach } from '../view/reach.js';
import type { Clock } from '../domain/clock.js';
import type { Journal } from '../journal/journal.js';
import type { Tables } from '../sidecar/tables.js';
import { PageMemory } from '../view/page-memory.js';
import { View, type ViewLife } from '../view/view.js';

/** A view and what it was made from. */
interface MadeView {
  readonly view: View;
  readonly tables: Tables;
  readonly reach: Reach;
  /** Of the contents: see `Journal.contentStamp`. */
  readonly stamp: number;
}

/** Makes the views of the committed state, and keeps what they share. */
export class PresentViews {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #reaches = new ReachMemory();
  readonly #pages = new PageMemory();
  #life: ViewLife | undefined;
  /** The last view of this turn of the event loop. */
  #last: MadeView | undefined;

  constructor(journal: Journal, clock: Clock) {
    this.#journal = journal;
    this.#clock = clock;
  }

  /**
   * A principal's view: the same one while the state, the time and the turn of the event loop are the same, so that
   * nothing is looked up twice.
   * @throws Refusal UNAVAILABLE when it cannot be decided
   */
  of(principalId: string): View {
    const { sidecar, contentStamp: stamp } = this.#journal;
    const tables = sidecar.reader;
    const reach = this.#reaches.reachOf(tables, principalId, sidecar.reachStamp);
    const now = this.#clock.now();
    const last = this.#last;
    // One reach belongs to one principal, or to all who reach nothing.
    const isSame = last?.reach === reach && last.tables === tables && last.stamp === stamp && last.view.now === now;
    if (isSame) return last.view;
    const view = new View(tables, reach, now, { life: this.#lifeOfViews(), pages: this.#pages.at(stamp) });
    this.#last = { view, tables, reach, stamp };
    return view;
  }

  /** A principal's reach in the tables of a transaction. */
  reachIn(tables: Tables, principalId: string): Reach {
    return this.#reaches.reachOf(tables, principalId, this.#journal.sidecar.reachStamp);
  }

  /** Drops all documents from memory. */
  forget(): void {
    this.#last = undefined;
    this.#pages.forget();
  }

  /** Ends with this turn of the event loop. */
  #lifeOfViews(): ViewLife {
    if (this.#life !== undefined) return this.#life;
    const life = { isOver: false };
    this.#life = life;
    setImmediate(() => {
      life.isOver = true;
      this.#life = undefined;
      this.#last = undefined;
    });
    return life;
  }
}
