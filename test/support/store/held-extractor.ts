import { Extractor, type Submitted } from '../../../lib/extraction/extractor.js';
import { ChildLost } from '../../../lib/extraction/child-process.js';
import type { Extraction } from '../../../lib/domain/extraction.js';

/** Makes text as usual, but only while it is not held, and not where it is to be lost: so a test knows what still waits. */
export class HeldExtractor extends Extractor {
  /** Files whose reading began. */
  begun = 0;
  /** What the next readings end with, in place of a text. */
  readonly faults: Error[] = [];
  #held: Promise<void> | undefined;
  #release: () => void = () => undefined;

  hold(): void {
    this.#held ??= new Promise((resolve) => (this.#release = resolve));
  }

  release(): void {
    this.#release();
    this.#held = undefined;
  }

  override async extract(file: Submitted, signal?: AbortSignal): Promise<Extraction> {
    this.begun += 1;
    const ended = new Promise<never>((_, reject) =>
      signal?.addEventListener('abort', () => reject(new ChildLost('The reading is ended.'))),
    );
    await Promise.race([this.#held, ended]);
    const fault = this.faults.shift();
    if (fault !== undefined) throw fault;
    return super.extract(file, signal);
  }
}
