import { createHmac } from 'node:crypto';
import type { Clock } from '../domain/clock.js';
import type { PeopleTables } from '../sidecar/tables/people-tables.js';
import { cutAddress } from '../limits/cut-address.js';

interface Rule {
  /** Failures that cost nothing. */
  readonly free: number;
  /** The longest delay, in seconds. */
  readonly longest: number;
}

/**
 * Short for a name, since a stranger can fail under any name. Longer for an address, since it is the guesser's own. A
 * browser in which the person has signed in counts for itself, and waits for no other's failures.
 */
const rules: Readonly<Record<'name' | 'address' | 'browser', Rule>> = {
  name: { free: 5, longest: 60 },
  address: { free: 20, longest: 900 },
  browser: { free: 5, longest: 60 },
};

/** Milliseconds until failures are forgotten. */
const forgotten = 24 * 60 * 60_000;
/** Maximum of names and addresses remembered for failures; beyond, those with the fewest are forgotten first. */
const maxSources = 100_000;
/** Rows forgotten at once; each attempt adds two. */
const sweptAtOnce = 200;

/**
 * Lock-out by delay: after some failures in a row each further attempt has to wait, twice as long each time. It counts
 * for existing and unknown names alike, so it does not reveal which names exist.
 */
export class SignInDelay {
  readonly #tables: PeopleTables;
  readonly #clock: Clock;
  readonly #key: Uint8Array;
  /** By the steady clock: the time of day may be set back, and the number of sources stays bounded. */
  #sweptAt = Number.NEGATIVE_INFINITY;

  /** @param key of the service, so that the file does not reveal the typed names */
  constructor(tables: PeopleTables, clock: Clock, key: Uint8Array) {
    this.#tables = tables;
    this.#clock = clock;
    this.#key = key;
  }

  /**
   * Counts an attempt as a failure before it is checked, so many at once are no more than one after the other.
   * @param browser the mark of a browser in which this very person has signed in; undefined for any other
   * @returns whole seconds to wait; 0 when the attempt may be checked
   */
  begin(name: string, address: string, browser?: string): number {
    const now = this.#clock.now();
    this.#sweep(now);
    const sources = this.#sourcesOf(name, address, browser);
    return this.#tables.within(() => {
      const states = sources.map(({ rule, source }) => ({ rule, source, known: this.#findFailures(source, now) }));
      const wait = Math.max(
        ...states.map(({ rule, known }) => (known === undefined ? 0 : known.lastAt + delayOf(rule, known.count) - now)),
      );
      if (wait > 0) return Math.ceil(wait / 1000);
      for (const { source, known } of states) {
        this.#tables.failures.set(source, { count: (known?.count ?? 0) + 1, lastAt: now });
      }
      return 0;
    });
  }

  /** A clock that was set back must not make attempts wait until it has caught up. */
  #findFailures(source: Buffer, now: number): { readonly count: number; readonly lastAt: number } | undefined {
    const known = this.#tables.failures.find(source);
    if (known === undefined || known.lastAt <= now) return known;
    const failures = { count: known.count, lastAt: now };
    this.#tables.failures.set(source, failures);
    return failures;
  }

  /**
   * The attempt was right after all: the name, or the browser, starts again from zero, and the address has one failure
   * less.
   */
  succeed(name: string, address: string, browser?: string): void {
    this.#tables.within(() => {
      for (const { kind, source } of this.#sourcesOf(name, address, browser)) {
        const known = this.#tables.failures.find(source);
        if (known === undefined) continue;
        if (kind !== 'address' || known.count <= 1) this.#tables.failures.delete(source);
        else this.#tables.failures.set(source, { ...known, count: known.count - 1 });
      }
    });
  }

  #sourcesOf(name: string, address: string, browser: string | undefined) {
    const strangers = [['name', name] as const, ['address', cutAddress(address)] as const];
    return (browser === undefined ? strangers : [['browser', browser] as const]).map(([kind, text]) => ({
      kind,
      rule: rules[kind],
      source: createHmac('sha256', this.#key).update(`${kind}:${text}`).digest(),
    }));
  }

  #sweep(now: number): void {
    const at = this.#clock.elapsed();
    if (at - this.#sweptAt < 60_000) return;
    // Where there is more, the next attempt goes on.
    if (this.#tables.failures.sweep(now - forgotten, maxSources, sweptAtOnce)) this.#sweptAt = at;
  }
}

/** @returns milliseconds required since the last failure */
function delayOf({ free, longest }: Rule, count: number): number {
  return count < free ? 0 : Math.min(longest, 2 ** Math.min(count - free, 30)) * 1000;
}
