import type { Code } from './code.js';

/** The faces that meet a reason: the REST API, agents' tools, the command line, the pages for people, git. */
export type Meeting = 'rest' | 'mcp' | 'command' | 'browser' | 'git';

interface Explained {
  readonly code: Code;
  readonly at: readonly Meeting[];
  /** The meaning, in one sentence. */
  readonly means: string;
}

const everywhere = ['rest', 'mcp', 'command', 'browser'] as const;
const applications = ['rest', 'mcp', 'command'] as const;

/**
 * Every reason of a refusal, with its code: programs branch on these finer words. A reason keeps its meaning for good.
 * For a refusal without a reason, agents get its code in small letters, which stands here too. The REST description and
 * the schema of agents' errors name the reasons met there; a test compares them.
 */
export const reasons = {
  // Codes that need no finer reason.
  not_found: {
    code: 'NOT_FOUND',
    at: ['mcp'],
    means: 'It is absent, or out of reach, or may not be done there.',
  },
  rate_limited: {
    code: 'RATE_LIMITED',
    at: ['mcp'],
    means: 'Too many requests came with this key.',
  },
  internal: { code: 'INTERNAL', at: ['mcp'], means: 'The service failed.' },
  unavailable: {
    code: 'UNAVAILABLE',
    at: ['mcp'],
    means: 'Access could not be decided just now.',
  },
  storage_full: {
    code: 'UNAVAILABLE',
    at: everywhere,
    means: 'The disk of the service has no room for it just now.',
  },
  superseded: { code: 'UNAVAILABLE', at: everywhere, means: 'Another machine has taken over the service.' },

  // The request's form.
  bad_field: {
    code: 'INVALID_REQUEST',
    at: everywhere,
    means: 'A part of the request is not of the form that it must have.',
  },
  unknown_field: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'A part of the request is unknown, or has no meaning together with the others.',
  },
  missing_field: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'A part of the request that is needed is not there.',
  },
  bad_location: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'This cannot be a location.',
  },
  no_claim: {
    code: 'INVALID_REQUEST',
    at: ['mcp'],
    means: 'The caller has no claim there.',
  },
  no_such_version: {
    code: 'INVALID_REQUEST',
    at: ['mcp'],
    means: 'The commit names no version of the document.',
  },
  bad_cursor: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'The cursor is malformed, altered, expired, or of another query or key.',
  },
  missing_if_match: { code: 'INVALID_REQUEST', at: ['rest'], means: 'The header If-Match is required.' },
  missing_idempotency_key: { code: 'INVALID_REQUEST', at: ['rest'], means: 'The header Idempotency-Key is required.' },
  bad_json: { code: 'INVALID_REQUEST', at: ['rest'], means: 'The body is not JSON.' },
  unsupported_media_type: { code: 'INVALID_REQUEST', at: ['rest'], means: 'The body is of no type that is taken.' },
  method_not_allowed: { code: 'INVALID_REQUEST', at: ['rest'], means: 'The path has no such method.' },
  use_raw_form: { code: 'INVALID_REQUEST', at: ['rest'], means: 'The document is too long for JSON.' },
  range_not_satisfiable: {
    code: 'INVALID_REQUEST',
    at: ['rest'],
    means: 'The document ends before the range of bytes begins.',
  },
  bad_form: { code: 'INVALID_REQUEST', at: ['browser'], means: 'The form that was sent cannot be read.' },
  stale_form: { code: 'INVALID_REQUEST', at: ['browser'], means: 'The form is from a page that is too old.' },
  unknown_command: { code: 'INVALID_REQUEST', at: ['command'], means: 'There is no such command.' },

  // Sizes and numbers.
  body_too_large: { code: 'INVALID_REQUEST', at: ['rest'], means: 'The body has more bytes than are taken.' },
  content_too_large: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'The document is, or would be, larger than is taken here.',
  },
  storage_quota: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'The workspace would keep more than it may.',
  },
  query_too_long: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'The query has too many characters.',
  },
  query_too_complex: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'The query has too many words, or asks for too much with them.',
  },
  bad_pattern: {
    code: 'INVALID_REQUEST',
    at: everywhere,
    means: 'The pattern is not in the syntax that is understood, or asks for too much.',
  },
  too_many_claims: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'The principal holds as many claims as it may.',
  },
  too_many_recipients: {
    code: 'INVALID_REQUEST',
    at: ['mcp', 'command'],
    means: 'The message would go to more people and agents than one may.',
  },
  too_much_to_revert: {
    code: 'INVALID_REQUEST',
    at: ['rest', 'command'],
    means: 'A revert would have too many steps.',
  },
  too_many_documents: {
    code: 'INVALID_REQUEST',
    at: ['rest', 'command'],
    means: 'A folder holds more documents than are deleted at once.',
  },

  // The request does not fit the present state.
  into_itself: {
    code: 'INVALID_REQUEST',
    at: ['rest', 'command'],
    means: 'A folder cannot be moved into itself.',
  },
  read_only_source: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'The place mirrors another system; only its connector writes there.',
  },
  too_many_connectors: {
    code: 'INVALID_REQUEST',
    at: ['rest', 'command'],
    means: 'The workspace has as many connectors as it may.',
  },
  too_many_webhooks: {
    code: 'INVALID_REQUEST',
    at: ['rest', 'command'],
    means: 'The principal has as many webhooks as it may.',
  },
  too_many_keys: {
    code: 'INVALID_REQUEST',
    at: ['rest'],
    means: 'The principal has made itself as many keys as it may.',
  },
  bad_settings: {
    code: 'INVALID_REQUEST',
    at: ['rest', 'command'],
    means: 'A setting of a connector is missing, unknown or not of the form that its kind asks for.',
  },
  not_text: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'The document is not text, and what was asked can be done with text alone.',
  },
  no_text: {
    code: 'INVALID_REQUEST',
    at: ['rest'],
    means: 'The document has no text: its kind is not read, or its file could not be.',
  },
  no_such_section: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'The document has no such heading.',
  },
  section_ambiguous: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'Several headings have these words.',
  },
  quote_not_found: {
    code: 'INVALID_REQUEST',
    at: ['rest', 'command'],
    means: 'The quoted words do not stand in this version.',
  },
  no_match: {
    code: 'INVALID_REQUEST',
    at: ['mcp'],
    means: 'The text to be replaced does not stand in the document.',
  },
  ambiguous: {
    code: 'INVALID_REQUEST',
    at: ['mcp'],
    means: 'The text to be replaced stands in more or fewer places than were expected.',
  },
  no_change: {
    code: 'INVALID_REQUEST',
    at: ['mcp'],
    means: 'The edits would leave the document as it is.',
  },
  large_shrink: {
    code: 'INVALID_REQUEST',
    at: ['mcp'],
    means: 'The new text is less than half of a long old one.',
  },
  heading_lost: {
    code: 'INVALID_REQUEST',
    at: ['mcp'],
    means: 'A heading that no edit names would be no heading any more.',
  },
  heading_doubled: {
    code: 'INVALID_REQUEST',
    at: ['mcp'],
    means: 'A heading would stand twice in a row.',
  },

  // The present state forbids it.
  stale_if_match: {
    code: 'CONFLICT',
    at: applications,
    means: 'The document has changed since the version that the request names.',
  },
  name_taken: {
    code: 'CONFLICT',
    at: applications,
    means: 'Something is at the location already, or in the way to it.',
  },
  location_occupied: {
    code: 'CONFLICT',
    at: ['rest', 'mcp', 'command'],
    means: 'What was deleted has something else in its place.',
  },
  idempotency_key_reused: {
    code: 'CONFLICT',
    at: ['rest'],
    means: 'The Idempotency-Key belongs to another request.',
  },
  access_would_widen: { code: 'CONFLICT', at: ['rest', 'command'], means: 'Someone would gain access.' },
  access_report_changed: {
    code: 'CONFLICT',
    at: ['rest', 'command'],
    means: 'Someone would gain access, and not as the report said that was acknowledged.',
  },
  claimed: {
    code: 'CONFLICT',
    at: applications,
    means: 'Someone else has claimed the document or section.',
  },
  deleted_since: {
    code: 'CONFLICT',
    at: ['mcp'],
    means: 'What this very call made was deleted since by somebody else.',
  },
  claim_lost: {
    code: 'CONFLICT',
    at: ['mcp', 'command'],
    means: 'The claim that the request relies on is not in force any more.',
  },
  push_refused: {
    code: 'CONFLICT',
    at: ['git'],
    means: 'Some files of a push cannot be written as they are, so that none was.',
  },
  push_outdated: {
    code: 'CONFLICT',
    at: ['git'],
    means: 'The push does not add to what main is.',
  },
  last_approver: {
    code: 'CONFLICT',
    at: ['rest', 'command'],
    means: 'Nobody would be left who may administer the workspace.',
  },
  mirror_nested: {
    code: 'CONFLICT',
    at: ['rest', 'command'],
    means: 'A connector mirrors a folder there already, and mirrors do not nest.',
  },
  connector_state: {
    code: 'CONFLICT',
    at: ['rest', 'command'],
    means: 'The connector is paused, held, disconnected or otherwise in a state that does not allow it.',
  },
  webhook_state: {
    code: 'CONFLICT',
    at: ['rest', 'command'],
    means:
      'Its owner alone can do that; or it cannot be enabled, because its owner is disabled or no approver any more; or two secrets sign already.',
  },
  held_change_differs: {
    code: 'CONFLICT',
    at: ['rest', 'command'],
    means: 'The change that waits for an approval is not the one that was approved.',
  },
  thread_full: { code: 'CONFLICT', at: ['rest', 'command'], means: 'The thread takes no more comments.' },
  preview_changed: {
    code: 'CONFLICT',
    at: ['rest', 'command'],
    means: 'A revert would do other things than its preview said.',
  },
  erase_under_way: { code: 'CONFLICT', at: ['command'], means: 'An erase has to be finished first.' },
  content_changed: { code: 'CONFLICT', at: ['command'], means: 'The workspace was changed while it was made again.' },
  credential_expired: { code: 'CONFLICT', at: ['rest', 'command', 'browser'], means: 'The key has expired.' },
  credential_revoked: { code: 'CONFLICT', at: ['rest', 'command', 'browser'], means: 'The key was revoked for good.' },
  principal_disabled: { code: 'CONFLICT', at: ['command', 'browser'], means: 'The principal is disabled.' },
  not_yours_alone: {
    code: 'CONFLICT',
    at: ['command', 'browser'],
    means: 'The person belongs to other workspaces too.',
  },
  group_cycle: { code: 'CONFLICT', at: ['command', 'browser'], means: 'A group cannot be in itself.' },
  stopped: { code: 'CONFLICT', at: ['command'], means: 'The command was stopped half-way.' },

  // Work on the data folder.
  import_too_large: { code: 'INVALID_REQUEST', at: ['command'], means: 'There is more than one import takes.' },
  source_unreadable: {
    code: 'INVALID_REQUEST',
    at: ['command'],
    means: 'What is imported cannot be read any more.',
  },
  no_data_folder: { code: 'INVALID_REQUEST', at: ['command'], means: 'The service keeps its data in memory.' },
  no_workspace: { code: 'INVALID_REQUEST', at: ['command'], means: 'There is no such workspace.' },
  workspace_root: { code: 'INVALID_REQUEST', at: ['command'], means: 'The workspace root cannot be deleted.' },
  server_running: { code: 'INVALID_REQUEST', at: ['command'], means: 'A server is running on this data folder.' },
  several_deleted: {
    code: 'CONFLICT',
    at: ['command'],
    means: 'Several documents were deleted there, and it was not said which one is meant.',
  },
  name_mismatch: {
    code: 'INVALID_REQUEST',
    at: ['command', 'browser'],
    means: 'The name that was typed to confirm is another.',
  },
  key_of_another: {
    code: 'CONFLICT',
    at: ['command', 'browser'],
    means: 'A new secret of a person’s key goes to that person, or to who made the key.',
  },
  not_with_this_key: {
    code: 'CONFLICT',
    at: ['rest'],
    means: 'A key makes no key that reaches further than itself, and gives no other key a new secret.',
  },
  sign_in_again: {
    code: 'CONFLICT',
    at: ['browser'],
    means: 'The person has to prove again who they are, and did not within the last minutes.',
  },
  folder_not_empty: {
    code: 'INVALID_REQUEST',
    at: ['rest', 'command'],
    means: 'The target folder has something in it.',
  },
  history_not_understood: {
    code: 'INVALID_REQUEST',
    at: ['command'],
    means: 'The history is not all the work of this service.',
  },
  git_missing: { code: 'INVALID_REQUEST', at: ['command'], means: 'The git program is needed and is not there.' },
  backup_unsound: {
    code: 'CONFLICT',
    at: ['command'],
    means: 'What was written could not be restored, and is no backup.',
  },
  backup_damaged: { code: 'INVALID_REQUEST', at: ['command'], means: 'The backup is not as it was written.' },
  bad_clone: { code: 'INVALID_REQUEST', at: ['command'], means: 'The clone cannot be read or taken in.' },
  chain_unsound: { code: 'INVALID_REQUEST', at: ['command'], means: 'The records do not verify, and stay.' },
} as const satisfies Readonly<Record<string, Explained>>;

/** The stable, finer word of a refusal. */
export type Reason = keyof typeof reasons;

/** The reasons of a code. */
export type ReasonOf<Of extends Code> = {
  [Name in Reason]: (typeof reasons)[Name]['code'] extends Of ? Name : never;
}[Reason];

/** The reasons met at a face. */
export type ReasonMetAt<At extends Meeting> = {
  [Name in Reason]: At extends (typeof reasons)[Name]['at'][number] ? Name : never;
}[Reason];
