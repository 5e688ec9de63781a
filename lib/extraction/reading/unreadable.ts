import type { ExtractionReason } from '../../domain/extraction.js';

/** The file has no text that can be read. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  readonly reason: ExtractionReason;

  constructor(reason: ExtractionReason) {
    super(reason);
    this.reason = reason;
  }
}

/** The reason behind what a reader or a library has thrown. */
export function reasonOf(error: unknown): ExtractionReason {
  if (error instanceof Unreadable) return error.reason;
  // What V8 and Node say where a buffer or a string cannot be made.
  const isOfMemory =
    error instanceof RangeError && /allocation|invalid string length|array length/i.test(error.message);
  if (isOfMemory) return 'too_much_memory';
  // A stack that is full.
  return error instanceof RangeError && error.message.includes('call stack') ? 'too_deep' : 'damaged';
}
