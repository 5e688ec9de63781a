/** The bounds of one sync. */
export interface SyncLimits {
  /** Entries of a listing. */
  readonly entries: number;
  /** Bytes of all paths of a listing. */
  readonly pathBytes: number;
  /** Bytes of all ids, versions and remarks of a listing. */
  readonly otherBytes: number;
  /** Folders above the files. */
  readonly folders: number;
  /** Bytes of a mirrored file. */
  readonly fileBytes: number;
  /**
   * New files of one commit. All other writes wait for the transaction of a commit, which takes some 70 µs for each
   * document.
   */
  readonly filesInCommit: number;
  /** Entries in a minute that a listing has to give, on average from its fifth minute on. */
  readonly entriesPerMinute: number;
  /** Milliseconds of the whole run. */
  readonly duration: number;
}

export const syncLimits: SyncLimits = {
  entries: 200_000,
  pathBytes: 32 * 1024 ** 2,
  otherBytes: 64 * 1024 ** 2,
  folders: 200_000,
  fileBytes: 25 * 1024 ** 2,
  filesInCommit: 1000,
  entriesPerMinute: 60,
  duration: 2 * 60 * 60 * 1000,
};
