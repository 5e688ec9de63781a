/**
 * The decisions of an admin for the whole workspace. Kept in the sidecar; each change is audited with before and after.
 */
export interface Policy {
  /** Requests a minute for a credential without a rate of its own. */
  readonly requestsPerMinute: number;
  /** Requests allowed at once before the rate applies. */
  readonly burst: number;
  /** Bytes of all kept versions, counted as they are written, and of comments and messages. */
  readonly storageQuota: number;
  /** Bytes of comments and messages of one principal in a day (UTC). */
  readonly discussionPerDay: number;
  /** Bytes of a document sent as JSON. */
  readonly largestText: number;
  /** Bytes of a document sent raw. */
  readonly largestBlob: number;
  /** Milliseconds a new credential lives unless its minting says otherwise; null for ever. */
  readonly credentialLifetime: number | null;
  /** Whether search keeps an index of meaning beside the words; some kilobytes of memory a document. */
  readonly searchByMeaning: boolean;
  /** Languages for the search of inflected words: ISO 639-1 codes, one at least. */
  readonly searchLanguages: readonly string[];
  /** Whether text is made of files such as PDF, for readers and for the search. */
  readonly extractText: boolean;
  /** How text files are read that are no UTF-8 and declare no charset; null: not at all. */
  readonly textCharset: string | null;
  /** Bytes of a file of which text is made. */
  readonly largestExtracted: number;
  /** What people and agents see in place of the workspace's name; null for the name. */
  readonly workspaceTitle: string | null;
  /** Whether new names must be such that Windows and macOS can check out a clone. On in a new workspace. */
  readonly portableNames: boolean;
}

export const defaultPolicy: Policy = {
  requestsPerMinute: 600,
  burst: 100,
  storageQuota: 1000 * 1000 ** 3,
  discussionPerDay: 10 * 1024 ** 2,
  largestText: 10 * 1024 ** 2,
  largestBlob: 100 * 1024 ** 2,
  credentialLifetime: null,
  searchByMeaning: false,
  searchLanguages: ['en'],
  extractText: true,
  textCharset: null,
  largestExtracted: 32 * 1024 ** 2,
  workspaceTitle: null,
  portableNames: false,
};

/** What a new workspace begins with. A workspace of an earlier release goes by the defaults alone. */
export const firstPolicy: Partial<Policy> = { portableNames: true };
