import { GitBoundMet } from '../errors.js';
import type { GitBounds } from '../program/git-bounds.js';

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

/** What one git may take while it works on a push: it holds two versions of the largest file. */
export function boundsOf({ file, time }: PushLimits): GitBounds {
  return {
    memory: Math.max(448 * mebibyte, 2 * file + 64 * mebibyte),
    allocation: Math.max(256 * mebibyte, file + mebibyte),
    time: Math.ceil(time / 1000),
  };
}

/** Whether git gave up because it may take no more. */
export const isBeyondBounds = (error: unknown): boolean => error instanceof GitBoundMet;

export const tooLargeToUnpack = (): PushUnfit => new PushUnfit('The push holds an object that is too large to unpack.');
