import { formatTime } from '../domain/clock.js';
import { formatEtag } from '../domain/etag.js';
import type { DetailPresenters, InputName } from '../domain/refusal-details.js';
import { toAccessChangeRecord } from './access-change-record.js';
import { toAuthorRecord } from './author-record.js';

/** Details with the same name in the description and the domain. */
type Alike =
  | 'allowed'
  | 'character'
  | 'field'
  | 'from'
  | 'known'
  | 'limit'
  | 'location'
  | 'position'
  | 'sections'
  | 'size'
  | 'state'
  | 'to';

/** The description's names for the inputs of the operations. */
export const inputNames: Readonly<Record<InputName, string>> = {
  comment: 'text',
  labels: 'labels',
  mediaType: 'media_type',
  mentions: 'mentions',
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

/** The others, as the description calls them. A detail in neither list does not compile. */
export const detailRecords: DetailPresenters<'rest', Alike> = {
  input: (input) => ({ field: inputNames[input] }),
  current: ({ id, at, author }) => ({
    current_etag: formatEtag(id),
    updated_at: formatTime(at),
    updated_by: toAuthorRecord(author),
  }),
  isUnknown: () => ({}),
  isFollowed: () => ({}),
  changes: ({ diff, isTruncated }) => ({ diff, diff_truncated: isTruncated }),
  editsStillApply: (apply) => ({ edits_still_apply: apply }),
  editIndex: (index) => ({ edit_index: index }),
  claim: ({ holder, expiresAt, section }) => ({
    holder: toAuthorRecord(holder),
    expires_at: formatTime(expiresAt),
    section,
  }),
  connector: ({ id, kind, displayName }) => ({ connector: { id, kind, display_name: displayName } }),
  report: ({ gains, losses, digest }) => ({
    gains: gains.map(toAccessChangeRecord),
    losses: losses.map(toAccessChangeRecord),
    report: digest,
  }),
  extraction: ({ state, reason }) => ({ text: { state, ...(reason === undefined ? {} : { reason }) } }),
  scope: (location) => ({ scope_id: location }),
};
