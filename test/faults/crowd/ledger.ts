import { appendFileSync } from 'node:fs';
import type { Contents } from './contents.js';

/** A version that the service acknowledged. */
export interface Acknowledged {
  readonly etag: string;
  readonly sha256: string;
}

/** A document with an id that its writer knows. */
export interface KnownDocument {
  readonly id: string;
  readonly by: string;
  /** Where it was made. */
  readonly path: string;
  readonly versions: Acknowledged[];
  /** Where it has to be; null for one that was deleted; undefined while that is not known. */
  live: string | null | undefined;
}

/** A document that somebody wants to be erased. Nobody else works with it any more. */
export interface Doomed {
  readonly path: string;
  readonly id: string;
  readonly sha256: readonly string[];
}

/** An erase that was asked for. */
export interface AskedErase extends Doomed {
  /** Whether the service said that it is final. */
  isFinal: boolean;
}

/** Steps around a moment that a failure shows, in milliseconds before and after. */
const around = 2500;
const mostShown = 120;

/**
 * What the service acknowledged, and every step on the way: the oracle of contents. A writer notes what was answered,
 * and nothing that was not.
 */
export class Ledger {
  readonly contents: Contents;
  /** By id. */
  readonly documents = new Map<string, KnownDocument>();
  /** Contents that were pushed or mirrored, by path and in their order. */
  readonly files = new Map<string, string[]>();
  /** By the document's id. */
  readonly erases = new Map<string, AskedErase>();
  readonly #offered: Doomed[] = [];
  readonly #steps: { readonly at: number; readonly line: string }[] = [];
  readonly #log: string;
  readonly #begin = Date.now();

  /** @param log a file that gets every step */
  constructor(contents: Contents, log: string) {
    this.contents = contents;
    this.#log = log;
  }

  /** Notes one step of somebody. */
  note(who: string, what: string): void {
    const at = Date.now();
    const line = `${((at - this.#begin) / 1000).toFixed(3)} s  ${who}: ${what}`;
    this.#steps.push({ at, line });
    appendFileSync(this.#log, `${line}\n`);
  }

  /** Notes an acknowledged version of a document. */
  wrote(by: string, id: string, path: string, version: Acknowledged): KnownDocument {
    const known = this.documents.get(id) ?? { id, by, path, versions: [], live: path };
    this.documents.set(id, known);
    known.live = path;
    if (known.versions.at(-1)?.etag !== version.etag) known.versions.push(version);
    this.note(by, `${path} (${id}) is ${version.etag}, ${this.contents.nameOf(version.sha256)}`);
    return known;
  }

  /** Notes an acknowledged content of a path that one actor alone writes, without ids. */
  holds(path: string, sha256: string): void {
    const known = this.files.get(path);
    if (known === undefined) this.files.set(path, [sha256]);
    else if (known.at(-1) !== sha256) known.push(sha256);
  }

  /** Gives a document to the erasers. Its writer forgets it. */
  offer(by: string, doomed: Doomed): void {
    this.files.delete(doomed.path);
    this.documents.delete(doomed.id);
    for (const sha256 of doomed.sha256) this.contents.doom(sha256);
    this.#offered.push(doomed);
    this.note(by, `offers ${doomed.path} (${doomed.id}) to be erased`);
  }

  take(): Doomed | undefined {
    return this.#offered.shift();
  }

  /** The time of a step in seconds, as steps show it. */
  timeOf(at: number): string {
    return `${((at - this.#begin) / 1000).toFixed(3)} s`;
  }

  /** The steps that name a text, and those around a moment. @param at milliseconds since 1970 */
  explain(names: readonly string[], at: number | undefined): string {
    const named = this.#steps.filter(({ line }) => names.some((name) => line.includes(name)));
    const near = this.#steps.filter((step) => at !== undefined && Math.abs(step.at - at) < around);
    const lines = (steps: typeof named): string =>
      steps
        .slice(-mostShown)
        .map(({ line }) => `    ${line}\n`)
        .join('');
    return `  its own steps:\n${lines(named)}  all steps around it:\n${lines(near)}`;
  }

  /** The last steps, for a failure that belongs to no document. */
  lastSteps(): string {
    return this.#steps
      .slice(-mostShown)
      .map(({ line }) => `    ${line}\n`)
      .join('');
  }
}
