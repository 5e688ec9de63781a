import type { AccessReport } from './access-change.js';
import type { Claim } from './claim.js';
import type { ConnectorKind, ConnectorState } from './connector.js';
import type { Version } from './document.js';
import type { HiddenCharacter } from './hidden-characters.js';
import type { TextLack } from './extraction.js';
import type { Location } from './checked-location.js';
import type { Author } from './principal.js';
import type { RefusedFile } from './refused-file.js';
import type { Meeting, Reason, ReasonMetAt } from './reason.js';

/** Inputs of operations with another name at some face. Every face has a table of its names for them. */
export type InputName =
  | 'comment'
  | 'labels'
  | 'mediaType'
  | 'mentions'
  | 'message'
  | 'messageIds'
  | 'purpose'
  | 'query'
  | 'signIn'
  | 'startColumn'
  | 'startLine'
  | 'toFolder'
  | 'ttl';

/** The refused part of the request: by the caller's name for it, or by the operation's. */
export type RequestPart =
  { readonly field: string; readonly input?: never } | { readonly input: InputName; readonly field?: never };

/** The same, or the request as a whole. */
interface MaybePart {
  readonly field?: string;
  readonly input?: InputName;
}

/** The object at the location, or in the way to it. */
interface OfLocation {
  readonly location?: Location;
}

/** The connector that mirrors at a place. Without a name where only the folder knows of it. */
export interface MirroringConnector {
  readonly id: string;
  readonly kind: ConnectorKind | undefined;
  readonly displayName: string | undefined;
}

/** The refused edit, counted from 0. */
interface OfEdit {
  readonly editIndex?: number;
}

interface OfSize extends OfEdit {
  readonly field?: string;
  readonly limit: number;
  readonly size?: number;
}

interface OfAccess {
  readonly from: Location;
  readonly to: Location;
  readonly report: AccessReport;
}

/** A line of the text similar to the sought one. */
interface NearLine {
  readonly line: number;
  readonly text: string;
}

/** A deleted document; without its creation where its first version is erased. */
export interface DeletedDocument {
  readonly id: string;
  readonly deletedAt: number;
  readonly created?: { readonly at: number; readonly by: string };
}

/** A difference in a history; `commit` is null where it is in the newest tree. */
interface HistoryProblem {
  readonly commit: string | null;
  readonly reason: string;
}

/**
 * The further details of each reason that has some. Times are milliseconds since 1970. Every face has a presenter for
 * the details that it meets.
 */
interface DetailsByReason {
  bad_field: MaybePart & Partial<HiddenCharacter> & { readonly limit?: number };
  unknown_field: RequestPart & OfEdit & { readonly known?: readonly string[] };
  missing_field: RequestPart & OfEdit;
  bad_location: RequestPart;
  bad_cursor: RequestPart;
  missing_if_match: RequestPart;
  missing_idempotency_key: RequestPart;
  method_not_allowed: { readonly allowed: readonly string[] };
  use_raw_form: OfSize;
  range_not_satisfiable: { readonly size: number };
  body_too_large: { readonly limit: number };
  content_too_large: OfSize;
  storage_quota: { readonly limit: number };
  query_too_long: RequestPart;
  query_too_complex: RequestPart;
  bad_pattern: RequestPart & { readonly position?: number };
  too_many_recipients: RequestPart;
  too_much_to_revert: RequestPart;
  too_many_documents: RequestPart & { readonly limit: number };
  into_itself: RequestPart;
  read_only_source: { readonly connector: MirroringConnector };
  bad_settings: { readonly field: string };
  too_many_connectors: { readonly limit: number };
  too_many_webhooks: { readonly limit: number };
  mirror_nested: { readonly location: Location };
  connector_state: { readonly state: ConnectorState };
  held_change_differs: { readonly state: ConnectorState };
  not_text: { readonly field?: string };
  no_text: { readonly extraction: TextLack };
  no_such_section: RequestPart & OfEdit & { readonly sections: readonly string[] };
  section_ambiguous: RequestPart & OfEdit & { readonly sections: readonly string[] };
  no_such_version: RequestPart & { readonly versions: readonly Pick<Version, 'id' | 'at' | 'author'>[] };
  quote_not_found: RequestPart;
  no_match: OfEdit & { readonly nearest: readonly NearLine[] };
  ambiguous: OfEdit & { readonly lines: readonly number[] };
  large_shrink: { readonly bytesBefore: number; readonly bytes: number };
  heading_lost: OfEdit & { readonly section: string };
  stale_if_match: {
    readonly current: Pick<Version, 'id' | 'at' | 'author'>;
    /** The version in the request is none of the document's. */
    readonly isUnknown?: true;
    /** The sent edits were to follow newer versions, and something that they rely on has changed. */
    readonly isFollowed?: true;
    /** Whether the sent edits would apply to the current version. */
    readonly editsStillApply?: boolean;
    /** From the version in the request to the current one. */
    readonly changes?: { readonly diff: string; readonly isTruncated: boolean };
  };
  name_taken: OfLocation;
  location_occupied: OfLocation;
  access_would_widen: OfAccess;
  access_report_changed: OfAccess;
  claimed: { readonly claim: Pick<Claim, 'holder' | 'expiresAt' | 'section' | 'purpose'> };
  claim_lost: { readonly claimId: string };
  deleted_since: { readonly deletedAt: number; readonly deletedBy?: Author };
  push_refused: {
    /** The first of them. */
    readonly refused: readonly RefusedFile[];
    readonly count: number;
  };
  push_outdated: {
    /** Whether it adds to what main was. Otherwise it would replace commits of main. */
    readonly isForward: boolean;
  };
  last_approver: { readonly scope: Location };
  stopped: { readonly archivedUpTo?: number | null; readonly files?: readonly string[] };
  import_too_large: RequestPart & { readonly limit: number };
  no_workspace: RequestPart;
  workspace_root: RequestPart;
  several_deleted: { readonly documents: readonly DeletedDocument[] };
  name_mismatch: RequestPart;
  folder_not_empty: RequestPart;
  history_not_understood: { readonly problems: readonly HistoryProblem[]; readonly count: number };
  backup_unsound: { readonly problems: readonly string[] };
  backup_damaged: { readonly problems: readonly string[] };
  bad_clone: RequestPart;
}

type DetailsOf<Of extends Reason> = Of extends keyof DetailsByReason ? DetailsByReason[Of] : unknown;

/** The details that a program may learn beyond the code. `reason` is stable, and the rest depends on it. */
export type RefusalDetails<Of extends Reason = Reason> = {
  [Name in Of]: { readonly reason: Name } & DetailsOf<Name>;
}[Of];

/** The details of a reason, as the last argument of a call: none, optional, or required. */
export type DetailArguments<Of extends Reason> = Of extends keyof DetailsByReason
  ? Partial<DetailsByReason[Of]> extends DetailsByReason[Of]
    ? [details?: DetailsByReason[Of]]
    : [details: DetailsByReason[Of]]
  : [];

type NamesOf<Details> = Details extends unknown ? Exclude<keyof Details, 'reason'> : never;
type ValueOf<Details, Name> = Details extends { readonly [Key in Name & string]?: infer Value } ? Value : never;

/** The names of all details met at a face. A name means the same in all of them. */
export type DetailName<At extends Meeting> = NamesOf<RefusalDetails<ReasonMetAt<At>>>;

/**
 * A face's form of each detail met there: as members of an object. Only details shown under their own name may be
 * missing.
 */
export type DetailPresenters<At extends Meeting, Alike extends DetailName<At> = never> = {
  readonly [Name in Exclude<DetailName<At>, Alike>]: (
    value: Exclude<ValueOf<RefusalDetails<ReasonMetAt<At>>, Name>, undefined>,
  ) => object;
};

/** The reason and the details in the refusal's order, each in its presenter's form. */
export function presentDetails(details: RefusalDetails, presenters: object): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(details)) {
    if (value === undefined) continue;
    const present = (presenters as Readonly<Record<string, ((value: unknown) => object) | undefined>>)[name];
    if (present === undefined) shown[name] = value;
    else Object.assign(shown, present(value));
  }
  return shown;
}
