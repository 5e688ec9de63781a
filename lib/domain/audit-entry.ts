import type { AuditRecord } from './audit-record.js';
import type { Author } from './principal.js';

/** The tests that a record has to pass. Those left out pass every record. */
export interface AuditFilter {
  /** Id of a principal. */
  readonly principal?: string | undefined;
  /** Id of a key, a token or a session. */
  readonly credential?: string | undefined;
  /** The operation's name, such as `document.read`. */
  readonly action?: string | undefined;
  readonly outcome?: AuditRecord['outcome'] | undefined;
  readonly requestId?: string | undefined;
  /** Milliseconds since 1970; both ends count. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** A record of the audit log as a caller sees it. What the caller may not see is null. */
export interface AuditEntry extends Pick<
  AuditRecord,
  'credential' | 'interface' | 'action' | 'outcome' | 'code' | 'version'
> {
  /** Opaque, and the same each time. It tells neither order nor number. */
  readonly id: string;
  /** Its number in the chain, for admins alone: it counts what others do. */
  readonly seq: number | null;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Null when the request was not authenticated. */
  readonly principal: Author | null;
  /** Who made the key, where it is a person's and another principal made it: it can act so, too. Otherwise null. */
  readonly keyMadeBy: Author | null;
  readonly target: string | null;
  readonly documentId: string | null;
  readonly requestId: string | null;
  readonly detail: Readonly<Record<string, unknown>> | null;
  /** Hex, for admins alone. */
  readonly hash: string | null;
}
