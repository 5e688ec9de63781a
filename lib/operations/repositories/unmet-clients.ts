import type { Clock } from '../../domain/clock.js';

/** Milliseconds for which the rounds of one fetch are held together. */
const lifetime = 5 * 60_000;
const maxClients = 1000;

/**
 * Clients none of whose commits is known here, by their keys. Each round of a fetch is a request of its own, and only
 * the last one can tell the person.
 */
export class UnmetClients {
  readonly #clock: Clock;
  readonly #clients = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes whether a commit of the client was known in a round. */
  note(key: string, isKnown: boolean): void {
    this.#clients.delete(key);
    if (isKnown) return;
    this.#clients.set(key, this.#clock.elapsed());
    const [oldest] = this.#clients.keys();
    if (this.#clients.size > maxClients && oldest !== undefined) this.#clients.delete(oldest);
  }

  /** Whether the rounds so far knew nothing of the client. It is told once. */
  take(key: string): boolean {
    const noted = this.#clients.get(key);
    this.#clients.delete(key);
    return noted !== undefined && this.#clock.elapsed() - noted < lifetime;
  }
}
