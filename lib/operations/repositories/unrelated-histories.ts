import type { Clock } from '../../domain/clock.js';

/** Milliseconds for which the rounds of one fetch are held together. */
const lifetime = 5 * 60_000;
const maxClients = 1000;

/**
 * Clients whose history is unrelated to the served one, by their keys. Each round of a fetch is a request of its own,
 * and only the last one can say so to the person.
 */
export class UnrelatedHistories {
  readonly #clock: Clock;
  readonly #clients = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes whether a round found the client's history to be unrelated. */
  note(key: string, isUnrelated: boolean): void {
    this.#clients.delete(key);
    if (!isUnrelated) return;
    this.#clients.set(key, this.#clock.elapsed());
    const [oldest] = this.#clients.keys();
    if (this.#clients.size > maxClients && oldest !== undefined) this.#clients.delete(oldest);
  }

  /** Whether the rounds so far found an unrelated history. Says so once. */
  take(key: string): boolean {
    const noted = this.#clients.get(key);
    this.#clients.delete(key);
    return noted !== undefined && this.#clock.elapsed() - noted < lifetime;
  }
}
