/** The bounds of one sync. */
export interface SyncLimits {
  /** Entries of a listing. */
  readonly entries: number;
  /** Bytes of all paths of a listing. */
  readonly pathBytes: number;
  /** Bytes of a mirrored file. */
  readonly fileBytes: number;
  /** Milliseconds of the whole run. */
  readonly duration: number;
}

export const syncLimits: SyncLimits = {
  entries: 200_000,
  pathBytes: 32 * 1024 ** 2,
  fileBytes: 25 * 1024 ** 2,
  duration: 2 * 60 * 60 * 1000,
};
