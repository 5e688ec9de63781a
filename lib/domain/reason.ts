import type { Code } from './code.js';

/** Where a reason can be met: the REST API, agents' tools, the command line, the pages for signing in. */
export type Meeting = 'rest' | 'mcp' | 'command' | 'browser';

interface Explained {
  readonly code: Code;
  readonly at: readonly Meeting[];
  /** What has happened, in one sentence. */
  readonly means: string;
  /** What an agent can do about it; there wherever agents meet it. */
  readonly hint?: string;
}

const everywhere = ['rest', 'mcp', 'command', 'browser'] as const;
const applications = ['rest', 'mcp', 'command'] as const;

/**
 * Every reason that a refusal can have, with its code: the finer words on which programs branch. A reason keeps its
 * meaning for good. Where a refusal has no reason, agents are told its code in small letters, which stands here too.
 * The REST description and the schema of agents' errors name those that are met there; a test holds them together.
 */
export const reasons = {
  // Codes that say all there is to say.
  not_found: {
    code: 'NOT_FOUND',
    at: ['mcp'],
    means: 'It is absent, or out of reach, or may not be done there.',
    hint: 'It is absent, or out of your reach, or you may not do this there. Check the location and your role with list_org_docs, list_org_folders or brief_me (reach), an id with who_can_read, claim or message.',
  },
  rate_limited: {
    code: 'RATE_LIMITED',
    at: ['mcp'],
    means: 'Too many requests came with this key.',
    hint: 'Wait retry_after_s seconds, then go on.',
  },
  internal: {
    code: 'INTERNAL',
    at: ['mcp'],
    means: 'The service failed.',
    hint: 'Try once more. If it fails again, report the request_id.',
  },
  unavailable: {
    code: 'UNAVAILABLE',
    at: ['mcp'],
    means: 'Access could not be decided just now.',
    hint: 'Wait retry_after_s seconds, then try again. This says nothing about whether the document exists.',
  },

  // The request's form.
  bad_field: {
    code: 'INVALID_REQUEST',
    at: everywhere,
    means: 'A part of the request is not of the form that it must have.',
    hint: 'Correct the argument named in field, or leave it out if it is optional.',
  },
  unknown_field: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'A part of the request is unknown, or has no meaning together with the others.',
    hint: 'Leave out the argument named in field.',
  },
  missing_field: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'A part of the request that is needed is not there.',
    hint: 'Add the argument named in field.',
  },
  bad_location: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'This cannot be a location.',
    hint: 'Give the whole path from the workspace root, without a slash at either end and without hidden characters: handbook/policies/leave.md',
  },
  bad_cursor: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'The cursor is malformed, altered, expired, or of another query or key.',
    hint: 'Leave out the argument named in field and start again, with the same other arguments on every page.',
  },
  missing_if_match: { code: 'INVALID_REQUEST', at: ['rest'], means: 'The header If-Match is required.' },
  missing_idempotency_key: { code: 'INVALID_REQUEST', at: ['rest'], means: 'The header Idempotency-Key is required.' },
  bad_json: { code: 'INVALID_REQUEST', at: ['rest'], means: 'The body is not JSON.' },
  unsupported_media_type: { code: 'INVALID_REQUEST', at: ['rest'], means: 'The body is of no type that is taken.' },
  method_not_allowed: { code: 'INVALID_REQUEST', at: ['rest'], means: 'The path has no such method.' },
  use_raw_form: { code: 'INVALID_REQUEST', at: ['rest'], means: 'The document is too long for JSON.' },
  bad_form: { code: 'INVALID_REQUEST', at: ['browser'], means: 'The form that was sent cannot be read.' },
  stale_form: { code: 'INVALID_REQUEST', at: ['browser'], means: 'The form is from a page that is too old.' },
  unknown_command: { code: 'INVALID_REQUEST', at: ['command'], means: 'There is no such command.' },

  // Sizes and numbers.
  body_too_large: { code: 'INVALID_REQUEST', at: ['rest'], means: 'The body has more bytes than are taken.' },
  content_too_large: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'The document is, or would be, larger than is taken here.',
    hint: 'Split the text over several documents.',
  },
  storage_quota: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'The workspace would keep more than it may.',
    hint: 'The workspace is full. Tell a person who administers it.',
  },
  query_too_long: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'The query has too many characters.',
    hint: 'Search for fewer words.',
  },
  query_too_complex: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'The query has too many words, or asks for too much with them.',
    hint: 'Search for fewer words, and for whole ones.',
  },
  too_many_claims: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'The principal holds as many claims as it may.',
    hint: 'Release claims that you do not need any more.',
  },
  too_many_recipients: {
    code: 'INVALID_REQUEST',
    at: ['mcp', 'command'],
    means: 'The message would go to more people and agents than one may.',
    hint: 'Name fewer or smaller groups.',
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

  // What is asked does not fit what is there.
  into_itself: {
    code: 'INVALID_REQUEST',
    at: ['rest', 'command'],
    means: 'A folder cannot be moved into itself.',
  },
  read_only_source: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'The place mirrors another system; only its connector writes there.',
    hint: 'This folder mirrors another system. Change it there, or write elsewhere.',
  },
  not_text: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'The document is not text, and what was asked can be done with text alone.',
    hint: 'Only text can be edited or read in parts.',
  },
  no_such_section: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'The document has no such heading.',
    hint: 'Use one of the ids in sections, or take it from the outline: read_org_doc with outline_only.',
  },
  section_ambiguous: {
    code: 'INVALID_REQUEST',
    at: applications,
    means: 'Several headings have these words.',
    hint: 'Use one of the ids in sections.',
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
    hint: 'Copy old_text exactly from a fresh read, blanks and line ends included; nearest shows lines that are like it.',
  },
  ambiguous: {
    code: 'INVALID_REQUEST',
    at: ['mcp'],
    means: 'The text to be replaced stands in more or fewer places than were expected.',
    hint: 'Make old_text longer until it is unique, or set count to the number of places if all are meant.',
  },
  no_change: {
    code: 'INVALID_REQUEST',
    at: ['mcp'],
    means: 'The edits would leave the document as it is.',
    hint: 'The document says this already; nothing is left to do.',
  },
  large_shrink: {
    code: 'INVALID_REQUEST',
    at: ['mcp'],
    means: 'The new text is less than half of a long old one.',
    hint: 'Check that content is the whole new text. If so much is meant to go, set allow_shrink.',
  },
  heading_lost: {
    code: 'INVALID_REQUEST',
    at: ['mcp'],
    means: 'A heading that no edit names would be no heading any more.',
    hint: 'Keep the heading named in section: its line end, and every code block closed; replace_section has to repeat the headings below. To remove a heading, name its line in old_text.',
  },
  heading_doubled: {
    code: 'INVALID_REQUEST',
    at: ['mcp'],
    means: 'A heading would stand twice in a row.',
    hint: 'The heading line stays by itself: leave it out of new_text.',
  },

  // The state of things stands against it.
  stale_if_match: {
    code: 'CONFLICT',
    at: applications,
    means: 'The document has changed since the version that the request names.',
    hint: 'It changed since expected_commit, and nothing was written. Read it again, then decide anew.',
  },
  name_taken: {
    code: 'CONFLICT',
    at: applications,
    means: 'Something is at the location already, or in the way to it.',
    hint: 'Something is there already. Choose another name; a document you can also read, and replace with expected_commit.',
  },
  location_occupied: {
    code: 'CONFLICT',
    at: ['rest', 'command'],
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
    hint: 'Someone is working there. Work elsewhere until expires_at, or ask the holder with message.',
  },
  deleted_since: {
    code: 'CONFLICT',
    at: ['mcp'],
    means: 'What this very call made was deleted since by somebody else.',
    hint: 'You wrote this here within the last day, and modified_by has deleted it. Nothing was written. Ask before you write it anew; what has other content can be written.',
  },
  claim_lost: {
    code: 'CONFLICT',
    at: ['mcp', 'command'],
    means: 'The claim that the request relies on is not in force any more.',
    hint: 'Your claim has ended. Read the document again, then claim anew if you still need it.',
  },
  last_approver: {
    code: 'CONFLICT',
    at: ['rest', 'command'],
    means: 'Nobody would be left who may administer the workspace.',
  },
  thread_full: { code: 'CONFLICT', at: ['rest', 'command'], means: 'The thread takes no more comments.' },
  preview_changed: {
    code: 'CONFLICT',
    at: ['rest', 'command'],
    means: 'A revert would do other things than its preview said.',
  },
  erase_under_way: { code: 'CONFLICT', at: ['command'], means: 'An erase has to be finished first.' },
  content_changed: { code: 'CONFLICT', at: ['command'], means: 'The workspace was changed while it was made anew.' },
  credential_revoked: { code: 'CONFLICT', at: ['command'], means: 'The key was revoked for good.' },
  principal_disabled: { code: 'CONFLICT', at: ['command'], means: 'The principal is disabled.' },
  not_yours_alone: { code: 'CONFLICT', at: ['command'], means: 'The person belongs to other workspaces too.' },
  group_cycle: { code: 'CONFLICT', at: ['command'], means: 'A group cannot be in itself.' },
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
  name_mismatch: { code: 'INVALID_REQUEST', at: ['command'], means: 'The name that was typed to confirm is another.' },
  folder_not_empty: { code: 'INVALID_REQUEST', at: ['command'], means: 'The target folder has something in it.' },
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

/** Those that belong to a code. */
export type ReasonOf<Of extends Code> = {
  [Name in Reason]: (typeof reasons)[Name]['code'] extends Of ? Name : never;
}[Reason];

/** What an agent can do about it. */
export function hintFor(reason: Reason): string {
  const explained: Explained = reasons[reason];
  return explained.hint ?? reasons.bad_field.hint;
}

/** The reason of a refusal that has none: its code in small letters. UNAUTHENTICATED ends a request before any tool. */
export function reasonOfCode(code: Code): Reason {
  return Object.hasOwn(reasons, code.toLowerCase()) ? (code.toLowerCase() as Reason) : 'internal';
}
