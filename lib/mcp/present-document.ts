import type { Claim } from '../domain/claim.js';
import { formatTime } from '../domain/clock.js';
import type { Document } from '../domain/document.js';
import type { Author } from '../domain/principal.js';
import type { Location } from '../domain/location.js';
import type { Role } from '../domain/role.js';

/** The operator is the machine's owner: a person. */
export function presentWho({ id, kind, displayName }: Author): object {
  return { id, kind: kind === 'operator' ? 'person' : kind, name: displayName };
}

/** A document's record as every tool shows it. */
export function presentRecord({ location, current }: Document, role: Role): object {
  return {
    location,
    commit: current.id,
    media_type: current.mediaType,
    bytes: current.size,
    modified_at: formatTime(current.at),
    modified_by: presentWho(current.author),
    role,
  };
}

const maxNote = 200;

/** The first line of a version's message, as a member to spread; nothing without one. */
export function presentNote(message: string | null): { readonly note?: string } {
  const line = message?.slice(0, maxNote).split('\n', 1)[0] ?? '';
  return line === '' ? {} : { note: line.replace(/\p{Surrogate}/gu, '') };
}

/** A claim for agents. @param principalId of the reader, to show whose claim it is */
export function presentClaim(claim: Claim, location: Location, principalId: string): object {
  const { id, section, holdsDocument, holder, purpose, claimedAt, expiresAt } = claim;
  return {
    claim_id: id,
    location,
    ...(section === null ? {} : { section }),
    holds_document: holdsDocument,
    holder: presentWho(holder),
    mine: holder.id === principalId,
    ...(purpose === null ? {} : { note: purpose }),
    taken_at: formatTime(claimedAt),
    expires_at: formatTime(expiresAt),
  };
}
