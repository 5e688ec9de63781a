import type { PrincipalKind } from './principal.js';

/** Which face the request came through; `command` is the command line. */
export type CallerInterface = 'rest' | 'mcp' | 'console' | 'command' | 'connector';

/** Who asks, as authenticated. What they may do is read from their live grants when they do it. */
export interface Caller {
  readonly principalId: string;
  readonly kind: PrincipalKind;
  /** The credential's id; null for the operator and for connectors. */
  readonly credentialId: string | null;
  /** Whose rate and limits its work counts towards, where that is not the credential: the person behind a token. */
  readonly countedAs?: string;
  readonly interface: CallerInterface;
  readonly requestId: string;
}
