import type { ChainVerdict } from '../audit/verify-chain.js';
import type { Clock, Randomness } from '../domain/clock.js';
import { makeIdentifier } from '../domain/identifier.js';
import type { ServedChain } from '../integrity/verify-audit-log.js';
import type { WorkspaceState } from '../journal/write-transaction.js';

/** A check of a workspace's whole audit chain, under way or ended. */
export interface ChainCheck {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** The length of the chain at the beginning. */
  readonly records: number;
  /** How many of them are checked. */
  readonly checked: number;
  /** Null until it has ended, and where it broke off. */
  readonly verdict: ChainVerdict | null;
  /** It ended without a verdict, because something could not be read or the service stopped. */
  readonly isBrokenOff: boolean;
}

/** How many ended checks can be asked about. */
const kept = 20;

interface Checked extends ServedChain {
  readonly journal: ServedChain['journal'] & { readonly state: Pick<WorkspaceState, 'chain'> };
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly onFault: (what: string, cause: unknown) => void;
}

/** Thrown to leave a check when the workspace closes. */
class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** Checks of the audit chain while the workspace is served: one at a time, in steps. */
export class ChainChecks {
  readonly #workspace: Checked;
  readonly #checks = new Map<string, ChainCheck>();
  #running: string | undefined;
  #work: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(workspace: Checked) {
    this.#workspace = workspace;
  }

  /** The check under way, or one that begins now. */
  start(): ChainCheck {
    const running = this.#running === undefined ? undefined : this.#checks.get(this.#running);
    if (running !== undefined) return running;
    const { clock, randomness, journal } = this.#workspace;
    const id = makeIdentifier('chk', randomness);
    const records = journal.state.chain.seq;
    const check: ChainCheck = {
      id,
      startedAt: clock.now(),
      endedAt: null,
      records,
      checked: 0,
      verdict: null,
      isBrokenOff: false,
    };
    this.#checks.set(id, check);
    const [oldest] = this.#checks.keys();
    if (this.#checks.size > kept && oldest !== undefined) this.#checks.delete(oldest);
    this.#running = id;
    this.#work = this.#run(id);
    return check;
  }

  find(id: string): ChainCheck | undefined {
    return this.#checks.get(id);
  }

  /** Ends the check under way. */
  async close(): Promise<void> {
    this.#isOver = true;
    await this.#work;
  }

  async #run(id: string): Promise<void> {
    try {
      const verdict = await this.#verify((checked) => {
        if (this.#isOver) throw new Stopped();
        this.#change(id, (check) => ({ checked: Math.min(checked, check.records) }));
      });
      // Records that were added meanwhile are checked too.
      this.#change(id, ({ checked }) => ({ verdict, checked: Math.max(checked, verdict.records) }));
    } catch (error) {
      this.#change(id, () => ({ isBrokenOff: true }));
      if (!(error instanceof Stopped)) this.#workspace.onFault('The audit log could not be checked', error);
    } finally {
      this.#change(id, () => ({ endedAt: this.#workspace.clock.now() }));
      this.#running = undefined;
    }
  }

  async #verify(onProgress: (checked: number) => void): Promise<ChainVerdict> {
    // Loaded at the first check: most starts need none of it.
    const { verifyServedChain } = await import('../integrity/verify-audit-log.js');
    return verifyServedChain(this.#workspace, onProgress);
  }

  #change(id: string, change: (check: ChainCheck) => Partial<ChainCheck>): void {
    const check = this.#checks.get(id);
    if (check !== undefined) this.#checks.set(id, { ...check, ...change(check) });
  }
}
