import type { Claim } from '../domain/claim.js';
import { formatTime } from '../domain/clock.js';
import type { Document, Version } from '../domain/document.js';
import type { Author } from '../domain/principal.js';
import type { Location } from '../domain/location.js';
import type { Role } from '../domain/role.js';
import { toClaimRecord } from '../records/claim-record.js';
import { firstWords } from '../text/first-words.js';

/** What a document is where no media type is said. */
export const usualMediaType = 'text/markdown';

/** Without the character set, which is the same for all text. */
export function nameMediaType(mediaType: string): string {
  const end = mediaType.indexOf(';');
  return end < 0 ? mediaType : mediaType.slice(0, end).trimEnd();
}

/** The day of a time, which is enough in a list. */
export function formatDay(at: number): string {
  return formatTime(at).slice(0, 10);
}

/** A time to the second. */
function formatSecond(at: number): string {
  return `${formatTime(at).slice(0, 19)}Z`;
}

/** The operator is the machine's owner: a person. */
export function presentWho({ id, kind, displayName }: Author): object {
  return { id, kind: kind === 'operator' ? 'person' : kind, name: displayName };
}

/** An author where no id is needed: who_can_read has the ids of those who can be written to. */
function presentAuthor({ kind, displayName }: Author): object {
  return { kind: kind === 'operator' ? 'person' : kind, name: displayName };
}

/** A version: its type, time and author. Markdown is left out. */
export function presentVersion({ mediaType, at, author }: Version): object {
  const named = nameMediaType(mediaType);
  return {
    ...(named === usualMediaType ? {} : { media_type: named }),
    modified_at: formatSecond(at),
    modified_by: presentAuthor(author),
  };
}

/** A document's record. What is usual is left out: Markdown, no labels, and that people may write. */
export function presentRecord({ location, current, readOnly, labels }: Document, role: Role): object {
  return {
    location,
    commit: current.id,
    ...presentVersion(current),
    role,
    ...(readOnly ? { read_only: true } : {}),
    ...(labels.length === 0 ? {} : { labels }),
  };
}

/** Characters of a version's note in an answer. */
const shownOfNote = 500;

/** Why a version was made, where its writer said so. */
export function presentNote({ message }: Version): { readonly note?: string } {
  return message === null ? {} : { note: firstWords(message, shownOfNote) };
}

/** A claim for agents: its record, without what is null. @param principalId of the reader, to show whose claim it is */
export function presentClaim(claim: Claim, location: Location, principalId: string): object {
  const { id, section, holds_document, purpose, claimed_at, expires_at } = toClaimRecord(claim);
  return {
    claim_id: id,
    location,
    ...(section === null ? {} : { section }),
    holds_document,
    holder: presentWho(claim.holder),
    mine: claim.holder.id === principalId,
    ...(purpose === null ? {} : { purpose }),
    claimed_at,
    expires_at,
  };
}
