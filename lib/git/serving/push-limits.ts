import { RepositoryUnreadable } from '../errors.js';

/** What is taken in of one push. Everything beyond is refused. */
export interface PushLimits {
  /** Bytes of the pack as it is sent, and of all contents when they are unpacked. */
  readonly bytes: number;
  /** Bytes of one file. */
  readonly file: number;
  /** Commits, with those of merged branches. */
  readonly commits: number;
  /** Changes of files. */
  readonly changes: number;
  /** Milliseconds that git may work on any of it after it has come. */
  readonly time: number;
}

/** What is pushed cannot be taken in. The message is a sentence for the client, with the remedy. */
export class PushUnfit extends Error {
  override readonly name = 'PushUnfit';
}

/** How a person pushes only the first ones of many commits. */
export const pushInParts = 'git push origin COMMIT:main pushes those up to COMMIT.';

const mebibyte = 1024 * 1024;

/** The most bytes that git may ask of memory at once, while it works on a push. */
export function memoryFor({ file }: PushLimits): number {
  return Math.max(256 * mebibyte, file + mebibyte);
}

/** Whether git gave up because it may have no more memory. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof RepositoryUnreadable && saysOutOfMemory(error.message);
}

/** @param said git's standard error */
export function saysOutOfMemory(said: string): boolean {
  return /attempting to allocate|out of memory|cannot allocate memory/i.test(said);
}

export const tooLargeToUnpack = (): PushUnfit => new PushUnfit('The push holds an object that is too large to unpack.');
