import { formatTime } from '../../domain/clock.js';
import { formatEtag } from '../../domain/etag.js';
import {
  presentDetails,
  type DetailPresenters,
  type InputName,
  type RefusalDetails,
} from '../../domain/refusal-details.js';
import { presentAccessChange } from './present-access-change.js';
import { presentAuthor } from '../resources/document-record.js';

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
const inputNames: Readonly<Record<InputName, string>> = {
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
const presenters: DetailPresenters<'rest', Alike> = {
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
  connector: ({ id, kind, displayName }) => ({ connector: { id, kind, display_name: displayName } }),
  report: ({ gains, losses, digest }) => ({
    gains: gains.map(presentAccessChange),
    losses: losses.map(presentAccessChange),
    report: digest,
  }),
  scope: (location) => ({ scope_id: location }),
};

/** The description's `…Details`. */
export const presentForRest = (details: RefusalDetails): object => presentDetails(details, presenters);
