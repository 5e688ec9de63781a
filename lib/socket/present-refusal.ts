import { formatTime } from '../domain/clock.js';
import { formatEtag } from '../domain/etag.js';
import type { AccessChange } from '../domain/access-change.js';
import type { Refusal } from '../domain/refusal.js';
import { presentDetails, type DetailPresenters, type InputName } from '../domain/refusal-details.js';
import type { Author } from '../domain/principal.js';
import type { CommandError } from './command.js';

/** Details with the same name on the command line and in the domain. */
type Alike =
  | 'character'
  | 'count'
  | 'field'
  | 'files'
  | 'from'
  | 'known'
  | 'limit'
  | 'location'
  | 'position'
  | 'problems'
  | 'sections'
  | 'size'
  | 'state'
  | 'to';

/** The command line's names for the inputs of the operations. */
const inputNames: Readonly<Record<InputName, string>> = {
  comment: 'text',
  labels: 'labels',
  mediaType: 'media_type',
  mentions: 'mention',
  message: 'message',
  messageIds: 'message_ids',
  purpose: 'purpose',
  query: 'q',
  signIn: 'sign_in',
  startColumn: 'start_column',
  startLine: 'start_line',
  toFolder: 'to_folder',
  ttl: 'ttl_seconds',
};

function presentAuthor({ id, kind, displayName }: Author): object {
  return { id, kind, display_name: displayName };
}

function presentAccessChange({ subject, fromRole, toRole, via }: AccessChange): object {
  return {
    subject: { type: subject.type, id: subject.id, display_name: subject.displayName },
    from_role: fromRole,
    to_role: toRole,
    via: { scope_type: via.scopeType, scope_id: via.location },
  };
}

/** The others, as a script sees them in JSON. A detail in neither list does not compile. */
const presenters: DetailPresenters<'command', Alike> = {
  input: (input) => ({ field: inputNames[input] }),
  current: ({ id, at, author }) => ({
    current_etag: formatEtag(id),
    updated_at: formatTime(at),
    updated_by: presentAuthor(author),
  }),
  isUnknown: () => ({}),
  isFollowed: () => ({}),
  changes: ({ diff, isTruncated }) => ({ diff, diff_truncated: isTruncated }),
  editsStillApply: (apply) => ({ edits_still_apply: apply }),
  editIndex: (index) => ({ edit_index: index }),
  claim: ({ holder, expiresAt, section }) => ({
    holder: presentAuthor(holder),
    expires_at: formatTime(expiresAt),
    section,
  }),
  claimId: (id) => ({ claim_id: id }),
  connector: ({ id, kind, displayName }) => ({ connector: { id, kind, display_name: displayName } }),
  report: ({ gains, losses, digest }) => ({
    gains: gains.map(presentAccessChange),
    losses: losses.map(presentAccessChange),
    report: digest,
  }),
  scope: (location) => ({ scope_id: location }),
  archivedUpTo: (seq) => ({ archived_up_to: seq }),
  documents: (documents) => ({
    documents: documents.map(({ id, deletedAt, created }) => ({
      id,
      deleted_at: formatTime(deletedAt),
      ...(created && { created_at: formatTime(created.at), created_by: created.by }),
    })),
  }),
};

/** A command line has no headers: it gets the number of seconds, or what the operator can do. */
function sayForOperators({ message, details, retryAfter = 5 }: Refusal): string {
  if (details?.reason === 'storage_full') {
    return 'The disk of the data folder is full. Nothing was written, and nothing is lost. Make room, then try again.';
  }
  return message.replace('Try again as Retry-After says.', `Try again in ${retryAfter} s.`);
}

/** A refusal as a command answers it. */
export function presentRefusal(refusal: Refusal): CommandError {
  const { code, details } = refusal;
  const message = sayForOperators(refusal);
  return details === undefined ? { code, message } : { code, message, details: presentDetails(details, presenters) };
}
