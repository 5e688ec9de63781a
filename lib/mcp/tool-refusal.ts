import { formatTime } from '../domain/clock.js';
import type { Code } from '../domain/code.js';
import type { Reason, ReasonMetAt } from '../domain/reason.js';
import type { Refusal } from '../domain/refusal.js';
import type { DetailPresenters, InputName, RefusalDetails } from '../domain/refusal-details.js';
import type { NearNames } from '../operations/documents/find-near-names.js';
import { presentWho } from './present-document.js';
import { editsInTheWay, folderThere, mayOnlyRead, nameNear, remedies, sendAgain, unknownCommit } from './remedies.js';

/** The tools' names for the inputs of the operations. */
const inputNames: Readonly<Record<InputName, string>> = {
  comment: 'body',
  labels: 'label',
  mediaType: 'media_type',
  mentions: 'to',
  message: 'note',
  messageIds: 'message_ids',
  purpose: 'purpose',
  query: 'query',
  signIn: 'sign_in',
  startColumn: 'start_column',
  startLine: 'start_line',
  toFolder: 'to_folder',
  ttl: 'ttl_seconds',
};

const nothingNear: Meant = { near: [], isFolder: false, mayOnlyRead: false };

const leftOut = (): object => ({});

/** Each detail as in schema/mcp/error.json, in the order of the answer. */
const presenters: DetailPresenters<'mcp'> = {
  current: ({ id, at, author }) => ({
    current_commit: id,
    modified_at: formatTime(at),
    modified_by: presentWho(author),
  }),
  deletedAt: (at) => ({ modified_at: formatTime(at) }),
  deletedBy: (author) => ({ modified_by: presentWho(author) }),
  claim: ({ holder, expiresAt, section, purpose }) => ({
    holder: presentWho(holder),
    expires_at: formatTime(expiresAt),
    section,
    ...(purpose === null ? {} : { purpose }),
  }),
  connector: ({ id, kind, displayName }) => ({ connector: { id, kind, name: displayName } }),
  field: (field) => ({ field }),
  input: (input) => ({ field: inputNames[input] }),
  section: (section) => ({ section }),
  sections: (sections) => ({ sections }),
  claimId: (id) => ({ claim_id: id }),
  location: (location) => ({ location }),
  editIndex: (index) => ({ edit_index: index }),
  lines: (lines) => ({ lines }),
  nearest: (nearest) => ({ nearest }),
  limit: (limit) => ({ limit }),
  size: (size) => ({ size }),
  bytes: (bytes) => ({ bytes }),
  bytesBefore: (bytes) => ({ bytes_before: bytes }),
  changes: ({ diff, isTruncated }) => ({ diff, diff_truncated: isTruncated }),
  editsStillApply: (apply) => ({ edits_still_apply: apply }),
  isUnknown: leftOut,
  isFollowed: leftOut,
  versions: (versions) => ({
    versions: versions.map(({ id, at, author }) => ({ commit: id, at: formatTime(at), by: presentWho(author) })),
  }),
  character: leftOut,
  known: leftOut,
  position: leftOut,
};

function presentDetails(details: RefusalDetails): object {
  const given: Readonly<Record<string, unknown>> = { ...details };
  const shown = {};
  for (const [name, present] of Object.entries(presenters)) {
    const value = given[name];
    if (value !== undefined) Object.assign(shown, (present as (value: unknown) => object)(value));
  }
  return shown;
}

function isMetHere(reason: string): reason is ReasonMetAt<'mcp'> {
  return Object.hasOwn(remedies, reason);
}

/** The reason of a refusal without one: its code in small letters. UNAUTHENTICATED ends a request before any tool. */
function reasonOfCode(code: Code): Reason {
  const name = code.toLowerCase();
  return isMetHere(name) ? name : 'internal';
}

function chooseRemedy(reason: Reason, details: RefusalDetails | undefined): string {
  if (details?.reason === 'stale_if_match') {
    const { editsStillApply, changes, isUnknown, isFollowed } = details;
    if (isUnknown) return unknownCommit;
    if (isFollowed) return editsInTheWay;
    if (editsStillApply === true && changes?.isTruncated === false) return sendAgain;
  }
  return isMetHere(reason) ? remedies[reason] : remedies.bad_field;
}

function chooseHint({ mayOnlyRead: isReader, isFolder, near }: Meant): string | undefined {
  if (isReader) return mayOnlyRead;
  if (isFolder) return folderThere;
  return near.length > 0 ? nameNear : undefined;
}

/** What the caller may have meant, and may do, by its view alone. */
export interface Meant extends NearNames {
  /** It may read at the place, and not write. */
  readonly mayOnlyRead: boolean;
}

/**
 * A refusal as a tool's answer: its code, its reason and the remedy. Hidden, absent and not allowed give the same
 * bytes, since the refusal itself does not distinguish them.
 */
export function presentRefusal(
  { code, message, details, retryAfter }: Refusal,
  requestId: string,
  meant: Meant = nothingNear,
): object {
  const { near, isFolder } = meant;
  const reason = details?.reason ?? reasonOfCode(code);
  return {
    error: {
      code,
      reason,
      message,
      hint: chooseHint(meant) ?? chooseRemedy(reason, details),
      request_id: requestId,
      ...(retryAfter !== undefined && { retry_after_s: retryAfter }),
      ...(meant.mayOnlyRead && { your_role: 'reader' }),
      ...(isFolder && { is_folder: true }),
      ...(near.length > 0 && { near }),
      ...(details !== undefined && presentDetails(details)),
    },
  };
}
