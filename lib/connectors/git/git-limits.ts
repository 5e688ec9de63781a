/** What one run may take from a repository. */
export interface GitLimits {
  /** Bytes of one answer with the names of all branches. */
  readonly referenceBytes: number;
  /** Bytes of one fetch. */
  readonly packBytes: number;
  /** Bytes of a copy that is stored between runs. A larger one is fetched again when the source has changed. */
  readonly copyBytes: number;
  /** Milliseconds to find a branch. */
  readonly lookTime: number;
  /** Milliseconds to fetch. */
  readonly fetchTime: number;
  /** Milliseconds without a byte of the source. */
  readonly idleTime: number;
}

const mebibyte = 1024 * 1024;
const second = 1000;
const minute = 60 * second;

export const usualLimits: GitLimits = {
  referenceBytes: 16 * mebibyte,
  packBytes: 4096 * mebibyte,
  copyBytes: 256 * mebibyte,
  lookTime: 2 * minute,
  fetchTime: 30 * minute,
  idleTime: minute,
};
