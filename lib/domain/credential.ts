/**
 * The faces that a credential can open. MCP is the default at minting. REST and git are chosen deliberately
 * (Authentication 2, 3).
 */
export const interfaces = ['rest', 'mcp', 'git'] as const;

export type Interface = (typeof interfaces)[number];

export interface Credential {
  readonly id: string;
  readonly principalId: string;
  readonly name: string;
  readonly interfaces: readonly Interface[];
  /** Milliseconds since 1970; null never expires. */
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly createdAt: number;
  /** Who answers for it: who minted it, and for a key that was made with a key, who minted that one. */
  readonly createdBy: string;
  /** The key with which it was made; null where an admin minted it, or its owner in the console. */
  readonly madeWith: string | null;
  /** When its owner said to know of it, where another principal made it. Milliseconds since 1970; null until then. */
  readonly acknowledgedAt: number | null;
  /** Coarse: rounded down to the minute. */
  readonly lastUsedAt: number | null;
  /** Last four characters of the secret, to recognise it in a list. */
  readonly lastFour: string;
  /** Requests a minute for this credential alone; null takes the workspace's policy. */
  readonly requestsPerMinute: number | null;
}

/** Whether its owner made it. Whoever makes a key sees its secret, so any other one lets its maker act as the owner. */
export const isSelfMade = ({ createdBy, principalId }: Pick<Credential, 'createdBy' | 'principalId'>): boolean =>
  createdBy === principalId;

/** Whether it opens anything. @param now milliseconds since 1970 */
export const isInForce = (
  { revokedAt, expiresAt }: Pick<Credential, 'revokedAt' | 'expiresAt'>,
  now: number,
): boolean => revokedAt === null && (expiresAt === null || expiresAt > now);
