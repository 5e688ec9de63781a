import type { CallerInterface } from './caller.js';
import type { Location } from './checked-location.js';
import type { Code } from './code.js';

/**
 * One entry of the audit chain, as hashed. It holds no location, search text or name in the clear. `target` and
 * `detail` are salted commitments. Their text and salt lie aside, where an erase can clear them.
 */
export interface AuditRecord {
  /** 1 for the first, without gaps. */
  readonly seq: number;
  /** RFC 3339 UTC with milliseconds. */
  readonly at: string;
  /** Principal id; null when the request was not authenticated. */
  readonly principal: string | null;
  readonly credential: string | null;
  readonly interface: CallerInterface;
  /** The operation's name, e.g. `document.read`. */
  readonly action: string;
  readonly outcome: 'done' | 'refused';
  /** The refusal's code; null when done. */
  readonly code: Code | null;
  /** HMAC-SHA-256 (hex) of the target's text under the record's salt; null when there is none. */
  readonly target: string | null;
  /** Id of the version read or made; null when there is none. */
  readonly version: string | null;
  readonly request_id: string | null;
  /** HMAC-SHA-256 (hex) of the details' JSON under the record's salt; null when there are none. */
  readonly detail: string | null;
  /** Hash of the record before; sixty-four zeros for the first. */
  readonly prev_hash: string;
  /** SHA-256 (hex) over the RFC 8785 form of all the other members. */
  readonly hash: string;
}

/** Folders with everything in them, as they were named then, and documents by their numbers. */
export interface ExtentPlaces {
  readonly folders: readonly Location[];
  readonly documents: readonly number[];
}

/**
 * What an action was about, where that is more than one document or place. It stands beside the record, so that those
 * who ask about one of the places find it. It is no part of the chain.
 */
export interface AuditExtent {
  readonly places?: ExtentPlaces;
  /** Numbers of the documents that it showed or changed. */
  readonly touched?: readonly number[];
  /** The commit up to which a git client has everything now: whose client, of which moment, and what it could read. */
  readonly head?: {
    readonly principal: string;
    readonly oid: string;
    readonly moment: number;
    readonly reach: ExtentPlaces;
  };
}

/** An action, before it is numbered and chained. */
export interface AuditEvent {
  readonly principal: string | null;
  readonly credential: string | null;
  readonly interface: CallerInterface;
  readonly action: string;
  readonly outcome: 'done' | 'refused';
  readonly code?: Code;
  /** The object of the action: a location, a query, an id. */
  readonly target?: string | undefined;
  readonly version?: string | undefined;
  readonly requestId: string | null;
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
  /** The document concerned, so that an erase finds the text to clear. */
  readonly documentId?: string | undefined;
  readonly extent?: AuditExtent | undefined;
}

/** The text behind a record's commitments. Cleared by an erase; the chain verifies without it. */
export interface AuditText {
  readonly seq: number;
  /** Hex. */
  readonly salt: string;
  readonly target: string | null;
  /** JSON text. */
  readonly detail: string | null;
}

export const firstPreviousHash = '0'.repeat(64);
