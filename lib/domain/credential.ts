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
  readonly createdBy: string;
  /** Coarse: rounded down to the minute. */
  readonly lastUsedAt: number | null;
  /** Last four characters of the secret, to recognise it in a list. */
  readonly lastFour: string;
  /** Requests a minute for this credential alone; null takes the workspace's policy. */
  readonly requestsPerMinute: number | null;
}
