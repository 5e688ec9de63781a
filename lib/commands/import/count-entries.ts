import { invalidRequest, type Refusal } from '../../domain/refusal.js';

/** The extent of one import. */
export interface ImportBounds {
  /** Files and folders; of a history also commits and their changes. */
  readonly maxFiles: number;
  /** Bytes of all files together. */
  readonly maxBytes: number;
}

export const usualBounds: ImportBounds = { maxFiles: 1_000_000, maxBytes: 1000 * 1000 ** 3 };

/** Reports the count so far. */
type Tell = (counted: number) => Promise<void>;

/** Counts an import's entries, up to a bound. */
export class EntryCounter {
  readonly #most: number;
  readonly #onProgress: Tell;
  #count = 0;

  constructor(most: number, onProgress: Tell = async () => undefined) {
    this.#most = most;
    this.#onProgress = onProgress;
  }

  /** How many more there may be. */
  get left(): number {
    return this.#most - this.#count;
  }

  /** @throws Refusal INVALID_REQUEST `import_too_large` when there are more than the bound */
  add(entries = 1): void {
    this.#count += entries;
    if (this.#count > this.#most) throw tooManyFiles(this.#most);
  }

  async reportProgress(): Promise<void> {
    await this.#onProgress(this.#count);
  }
}

/** @param most the exceeded bound */
export function tooManyFiles(most: number): Refusal {
  return invalidRequest(
    'import_too_large',
    `There are more than ${most} files, folders and changes to look at, and one import takes no more. Import a part of it, or raise the bound with --max-files.`,
    { field: 'max_files', limit: most },
  );
}

/** @param most the exceeded bound, in bytes */
export function tooManyBytes(most: number): Refusal {
  return invalidRequest(
    'import_too_large',
    `The files have more than ${most} bytes, and one import takes no more. What came in before stays. Import the rest in parts, or raise the bound with --max-bytes.`,
    { field: 'max_bytes', limit: most },
  );
}
