import { formatTime } from '../domain/clock.js';
import type { Refusal } from '../domain/refusal.js';
import { presentDetails, type DetailPresenters } from '../domain/refusal-details.js';
import { detailRecords, inputNames } from '../records/refusal-record.js';
import type { CommandError } from './command.js';

/** Details with the same name on the command line and in the domain, besides those of REST. */
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

/** Those of REST, and those that only a command meets. A detail in neither list does not compile. */
const presenters: DetailPresenters<'command', Alike> = {
  ...detailRecords,
  input: (input) => ({ field: input === 'mentions' ? 'mention' : inputNames[input] }),
  claimId: (id) => ({ claim_id: id }),
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
