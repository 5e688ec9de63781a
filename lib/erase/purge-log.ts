import type { Oid } from '../git/objects/objects.js';

/** What this process knows of the erases under way, by the numbers of their receipts. */
export class PurgeLog {
  /** Trees and blobs that the history leads to, and that the last sweep did not find. */
  missing: readonly Oid[] = [];
  readonly #contents = new Map<number, ReadonlySet<Oid>>();
  readonly #purged = new Set<number>();

  /** Notes large contents that the document of an erase had. */
  noteContents(number: number, contents: readonly Oid[]): void {
    this.#contents.set(number, new Set([...this.contentsOf(number), ...contents]));
  }

  contentsOf(number: number): readonly Oid[] {
    return [...(this.#contents.get(number) ?? [])];
  }

  /** Notes that everything of an erase is gone, except for what others hold. */
  notePurged(number: number): void {
    this.#purged.add(number);
  }

  isPurged(number: number): boolean {
    return this.#purged.has(number);
  }

  /** An erase is final. */
  forget(number: number): void {
    this.#contents.delete(number);
    this.#purged.delete(number);
  }

  /** Notes what a sweep did not find. @returns what no sweep before it has missed */
  noteMissing(oids: readonly Oid[]): readonly Oid[] {
    const known = new Set(this.missing);
    this.missing = oids;
    return oids.filter((oid) => !known.has(oid));
  }
}
