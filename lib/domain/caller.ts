import type { PrincipalKind } from './principal.js';

/** The face of the request; `command` is the command line. */
export type CallerInterface = 'rest' | 'mcp' | 'git' | 'console' | 'command' | 'connector' | 'webhook';

/** The authenticated principal of a request. Its live grants decide what it may do, at the moment it does it. */
export interface Caller {
  readonly principalId: string;
  readonly kind: PrincipalKind;
  /** The credential's id; null for the operator and for connectors. */
  readonly credentialId: string | null;
  /** Counts the work towards this source's rate and limits instead of the credential's: the person behind a token. */
  readonly countedAs?: string;
  /** The browser session in which a person asks. What is handed out over a while ends with it. */
  readonly sessionId?: string;
  /** When the person in a browser proved who they are, the last time. Milliseconds since 1970. */
  readonly provenAt?: number;
  readonly interface: CallerInterface;
  readonly requestId: string;
}
