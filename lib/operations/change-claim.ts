import { longestClaim, shortestClaim, usualClaim, type Claim, type PlacedClaim } from '../domain/claim.js';
import { findHeading } from '../domain/find-heading.js';
import { makeIdentifier } from '../domain/identifier.js';
import type { Location } from '../domain/location.js';
import { hyphenate, readOutlineInSteps, sectionsOverlap, type Heading } from '../domain/outline.js';
import { conflict, invalidRequest, notFound } from '../domain/refusal.js';
import { roleContains } from '../domain/role.js';
import type { ClaimRow } from '../sidecar/claim-table.js';
import { requireCurrent } from '../workspace/apply-update.js';
import { findClaims, toClaim } from '../workspace/find-claims.js';
import { digestSection } from '../workspace/follow-section.js';
import { findDocument, findDocumentById, type FoundDocument } from '../workspace/locate.js';
import { requireWritable } from '../workspace/occupy.js';
import type { Pen } from '../workspace/pen.js';
import { claimed } from '../workspace/require-unclaimed.js';
import { runResting } from '../pace/run-resting.js';
import type { PrepareContext, WriteOperation } from './operation.js';
import { readCurrentText, type ReadText } from './read-text.js';

export interface TakeClaimInput {
  readonly location: Location;
  /** A heading's id, or its words where no other heading has them; left out for the whole document. */
  readonly section?: string | undefined;
  /** How long it lasts without renewal; left out: half an hour. */
  readonly seconds?: number | undefined;
  /** What the holder is about to do, for others to see. */
  readonly purpose?: string | undefined;
}

export interface TakenClaim {
  readonly claim: PlacedClaim;
  readonly documentId: string;
  /** Internal; never leaves the service. */
  readonly documentNumber: number;
  /** Whether it was the caller's already and lasts longer now. */
  readonly renewed: boolean;
}

const longestPurpose = 300;
/** Claims that one principal may hold at a time: enough to work with, too few to stop everyone else's work. */
const mostClaims = 200;
/** How long a claim that ended is kept, so that its holder can learn of it. Milliseconds. */
export const claimsKeptFor = 7 * 24 * 60 * 60 * 1000;
const sweptAtOnce = 50;

/** @returns milliseconds. @throws Refusal INVALID_REQUEST `bad_field` */
function parseDuration(seconds: number | undefined): number {
  const wanted = seconds ?? usualClaim;
  if (!Number.isInteger(wanted) || wanted < shortestClaim || wanted > longestClaim) {
    throw invalidRequest('bad_field', `A claim lasts ${shortestClaim} to ${longestClaim} whole seconds.`, {
      field: 'ttl_seconds',
    });
  }
  return wanted * 1000;
}

/** @throws Refusal INVALID_REQUEST `bad_field` */
function parsePurpose(purpose: string | undefined): string | null {
  const text = (purpose ?? '').trim();
  if (text.length > longestPurpose || /[\p{Cc}\p{Surrogate}]/u.test(text)) {
    throw invalidRequest('bad_field', `The purpose is one line of at most ${longestPurpose} characters.`, {
      field: 'purpose',
    });
  }
  return text === '' ? null : text;
}

/** The text as of one version with its headings, read before the turn since that may take a while. */
interface ReadHeadings extends ReadText {
  readonly headings: readonly Heading[];
}

async function readHeadings(context: PrepareContext, location: Location): Promise<ReadHeadings | undefined> {
  const read = await readCurrentText(context, location);
  if (read === undefined) return undefined;
  return { ...read, headings: read.text === undefined ? [] : await runResting(readOutlineInSteps(read.text)) };
}

/** @throws Refusal INVALID_REQUEST as `findHeading` does; CONFLICT `stale_if_match` when it changed just now */
function requireSection(pen: Pen, location: Location, section: string, read: ReadHeadings | undefined): Heading {
  requireCurrent(pen, location, { any: false, versionIds: [read?.versionId ?? ''] });
  return findHeading(read?.headings ?? [], section);
}

/** Whether someone else's claim stands in the way of one on `section`, or (with null) on the whole document. */
function standsInTheWay(other: ClaimRow, section: Heading | undefined, sections: readonly Heading[] | undefined) {
  if (section === undefined || other.section === null || other.sectionDigest === null) return true;
  const theirs = sections?.find(({ id }) => id === other.section);
  return theirs === undefined || sectionsOverlap(theirs, section);
}

function documentOf({ row }: FoundDocument): Pick<TakenClaim, 'documentId' | 'documentNumber'> {
  return { documentId: row.id, documentNumber: row.number };
}

function place(claim: Claim, location: Location): PlacedClaim {
  return { ...claim, location };
}

/**
 * Claims a document or one of its sections: others cannot write there until the claim is given up, broken, or runs out.
 * Who has the same claim already renews it. Editor.
 */
export const takeClaim: WriteOperation<TakeClaimInput, TakenClaim, ReadHeadings | undefined> = {
  kind: 'write',
  name: 'claim.take',
  needs: ({ location }) => [{ role: 'editor', location }],
  note: ({ location, section, seconds }) => ({
    target: location,
    detail: { section: section ?? null, seconds: seconds ?? usualClaim },
  }),
  prepare: async (context, { location, section }) =>
    section === undefined ? undefined : readHeadings(context, location),
  run(pen, input, read) {
    const { tables, now } = pen.turn;
    const duration = parseDuration(input.seconds);
    const purpose = parsePurpose(input.purpose);
    const found = findDocument(tables, input.location);
    if (found === undefined) throw notFound();
    requireWritable(found.mirror);
    tables.claims.sweep(now - claimsKeptFor, sweptAtOnce);
    const section = input.section === undefined ? undefined : requireSection(pen, input.location, input.section, read);
    const present = findClaims(tables, found, now);
    const other = present.find(
      (claim) => claim.holder.id !== pen.caller.principalId && standsInTheWay(claim, section, read?.headings),
    );
    if (other !== undefined) throw claimed(other);
    const sectionDigest = section === undefined ? null : digestSection(read?.text ?? '', section);
    const expiresAt = now + duration;
    const same = present.find(
      (claim) => claim.holder.id === pen.caller.principalId && claim.section === (section?.id ?? null),
    );
    if (same !== undefined) {
      tables.claims.renew(same.id, expiresAt, purpose ?? same.purpose, sectionDigest);
      const claim = { ...toClaim({ ...same, sectionDigest }), purpose: purpose ?? same.purpose, expiresAt };
      return { claim: place(claim, input.location), ...documentOf(found), renewed: true };
    }
    if (tables.claims.ofHolder(pen.author.id, now, mostClaims).length >= mostClaims) {
      throw invalidRequest('too_many_claims', `One principal holds at most ${mostClaims} claims. Release some.`);
    }
    const claim: Claim = {
      id: makeIdentifier('clm', pen.turn.randomness),
      section: section?.id ?? null,
      holdsDocument: sectionDigest === null,
      holder: { id: pen.author.id, kind: pen.author.kind, displayName: pen.author.displayName },
      purpose,
      claimedAt: now,
      expiresAt,
    };
    tables.claims.insert({ ...claim, document: found.row.number, sectionDigest });
    return { claim: place(claim, input.location), ...documentOf(found), renewed: false };
  },
  noteResult: ({ documentId }) => ({ documentId }),
  documentNumber: ({ documentNumber }) => documentNumber,
};

export interface RenewClaimInput {
  readonly claimId: string;
  readonly seconds?: number | undefined;
}

/** A claim that has ended by this operation, or lasts longer by it. */
export interface ChangedClaim {
  readonly claim: Claim;
  readonly documentId: string | null;
  readonly documentNumber: number;
}

/**
 * The caller's own claim. The door asks for nothing here, since the request names no location: whose claim it is stands
 * in its row, and giving it up needs no more than to read the document. When the row is swept, and when the document is
 * erased, depends on others: to the caller it is gone as soon as it may be.
 * @throws Refusal NOT_FOUND for an unknown one and for somebody else's, for one that ended too long ago, and for one on
 * what the caller cannot read
 */
function findOwn(pen: Pen, claimId: string): ClaimRow {
  const { tables, now } = pen.turn;
  const claim = tables.claims.find(claimId);
  if (claim?.holder.id !== pen.caller.principalId || claim.expiresAt + claimsKeptFor <= now) throw notFound();
  const document = tables.documents.byNumber(claim.document) ?? tables.documents.deleted(claim.document);
  if (document === undefined) throw notFound();
  const location = 'location' in document ? document.location : findDocumentById(tables, document.id)?.location;
  if (location === undefined || !roleContains(pen.reach.roleOn(document.id, location), 'reader')) throw notFound();
  return claim;
}

function idOf(pen: Pen, claim: ClaimRow): string | null {
  return pen.turn.tables.documents.byNumber(claim.document)?.id ?? null;
}

/**
 * Makes one's own claim last longer, from now on.
 * @throws Refusal NOT_FOUND when it is not the caller's, or the caller is no editor of the document any more; CONFLICT
 * `claim_lost` when it has run out, was given up or was broken
 */
export const renewClaim: WriteOperation<RenewClaimInput, ChangedClaim> = {
  kind: 'write',
  name: 'claim.renew',
  needs: () => [],
  note: ({ claimId }) => ({ target: claimId }),
  run(pen, { claimId, seconds }) {
    const { tables, now } = pen.turn;
    const duration = parseDuration(seconds);
    const claim = findOwn(pen, claimId);
    const documentId = idOf(pen, claim);
    const found = documentId === null ? undefined : findDocumentById(tables, documentId);
    if (found === undefined) throw notFound();
    if (claim.endedAt !== null || claim.expiresAt <= now) {
      if (pen.view.documentById(found.row.id) === undefined) throw notFound();
      throw conflict('claim_lost', 'This claim is not in force any more. Read again, then claim anew.', {
        claim_id: claimId,
      });
    }
    if (!findClaims(tables, found, now).some(({ id }) => id === claimId)) throw notFound();
    tables.claims.renew(claimId, now + duration, claim.purpose, claim.sectionDigest);
    return { claim: { ...toClaim(claim), expiresAt: now + duration }, documentId, documentNumber: claim.document };
  },
  noteResult: ({ documentId }) => (documentId === null ? {} : { documentId }),
};

/**
 * Gives up one's own claim; one that has run out already is given up just as well.
 * @throws Refusal NOT_FOUND as `findOwn` does
 */
export const releaseClaim: WriteOperation<{ readonly claimId: string }, ChangedClaim> = {
  kind: 'write',
  name: 'claim.release',
  needs: () => [],
  note: ({ claimId }) => ({ target: claimId }),
  run(pen, { claimId }) {
    const { tables, now } = pen.turn;
    const claim = findOwn(pen, claimId);
    if (claim.endedAt === null) tables.claims.end(claimId, now, pen.author.id);
    return { claim: toClaim(claim), documentId: idOf(pen, claim), documentNumber: claim.document };
  },
  noteResult: ({ documentId }) => (documentId === null ? {} : { documentId }),
};

export interface ReleaseClaimAtInput {
  readonly location: Location;
  /** A heading's id or words; left out for a claim on the whole document. */
  readonly section?: string | undefined;
}

/**
 * Gives up one's own claim at a place; one that has ended already is given up just as well, so that this can be sent
 * again. @throws Refusal NOT_FOUND when there is none, and was none as long as claims are kept
 */
export const releaseClaimAt: WriteOperation<ReleaseClaimAtInput, ChangedClaim> = {
  kind: 'write',
  name: releaseClaim.name,
  needs: ({ location }) => [{ role: 'reader', location }],
  note: ({ location }) => ({ target: location }),
  run(pen, { location, section }) {
    const { tables, now } = pen.turn;
    const found = findDocument(tables, location);
    if (found === undefined) throw notFound();
    const named = section === undefined ? [null] : [section, hyphenate(section.replace(/^#{1,6}\s+/, ''))];
    const own = named
      .map((each) => tables.claims.lastOf(found.row.number, pen.caller.principalId, each, now - claimsKeptFor))
      .find((claim) => claim !== undefined);
    if (own === undefined) throw notFound();
    return releaseClaim.run(pen, { claimId: own.id }, undefined);
  },
  noteResult: ({ claim, documentId }) => ({
    ...(documentId === null ? {} : { documentId }),
    detail: { claim: claim.id },
  }),
};

export interface BreakClaimInput {
  readonly location: Location;
  readonly claimId: string;
}

/** Ends somebody's claim on a document; the holder finds it among its own as broken. Approver. */
export const breakClaim: WriteOperation<BreakClaimInput, ChangedClaim> = {
  kind: 'write',
  name: 'claim.break',
  needs: ({ location }) => [{ role: 'approver', location }],
  note: ({ location, claimId }) => ({ target: location, detail: { claim: claimId } }),
  run(pen, { location, claimId }) {
    const { tables, now } = pen.turn;
    const found = findDocument(tables, location);
    const claim =
      found === undefined ? undefined : tables.claims.on(found.row.number, now).find((each) => each.id === claimId);
    if (found === undefined || claim === undefined) throw notFound();
    tables.claims.end(claimId, now, pen.author.id);
    return { claim: toClaim(claim), documentId: found.row.id, documentNumber: found.row.number };
  },
  noteResult: ({ claim, documentId }) => ({
    ...(documentId === null ? {} : { documentId }),
    detail: { claim: claim.id, holder: claim.holder.id },
  }),
  documentNumber: ({ documentNumber }) => documentNumber,
};
