import {
  claimsKeptFor,
  maxClaimTime,
  minClaimTime,
  usualClaim,
  type Claim,
  type PlacedClaim,
} from '../../domain/claim.js';
import { decodeText } from '../../text/charset.js';
import { countLines } from '../../text/cut-text.js';
import { findHeading } from '../../text/find-heading.js';
import { makeIdentifier } from '../../domain/identifier.js';
import type { Location } from '../../domain/location.js';
import { readOutline, readOutlineInSteps, sectionsOverlap, type Heading } from '../../text/outline.js';
import { invalidRequest, notFound } from '../../domain/refusal.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import type { ClaimRow } from '../../sidecar/tables/claim-table.js';
import { stale } from '../../changes/document-guards.js';
import { findClaims, toClaim } from '../../view/find-claims.js';
import { digestSection, type ReadText } from '../../changes/read-sections.js';
import { findDocument, type FoundDocument } from '../../view/locate.js';
import { requireWritable } from '../../changes/location-guards.js';
import type { WriteContext } from '../../changes/write-context.js';
import { claimed } from '../../changes/require-unclaimed.js';
import type { PrepareContext, WriteOperation } from '../operation.js';
import { readCurrentText } from '../documents/read-text.js';
import { requireVisible } from '../require-visible.js';

export interface TakeClaimInput {
  readonly location: Location;
  /** A heading's id, or its words if no other heading has them. Left out: the whole document. */
  readonly section?: string | undefined;
  /** Duration without renewal. Left out: half an hour. */
  readonly seconds?: number | undefined;
  /** The holder's intention, for others to see. */
  readonly purpose?: string | undefined;
}

export interface TakenClaim {
  readonly claim: PlacedClaim;
  readonly documentId: string;
  /** Internal; never leaves the service. */
  readonly documentNumber: number;
  /** Whether this extended a claim that the caller already had. */
  readonly renewed: boolean;
}

const maxPurposeLength = 300;
/** Maximum of one principal's concurrent claims: enough to work with, too few to stop all other writers. */
const maxClaims = 200;
const sweptAtOnce = 50;

/** The requested duration of a claim. @returns milliseconds. @throws Refusal INVALID_REQUEST `bad_field` */
export function parseDuration(seconds: number | undefined): number {
  const wanted = seconds ?? usualClaim;
  if (!Number.isInteger(wanted) || wanted < minClaimTime || wanted > maxClaimTime) {
    throw invalidRequest('bad_field', `A claim lasts ${minClaimTime} to ${maxClaimTime} whole seconds.`, {
      input: 'ttl',
    });
  }
  return wanted * 1000;
}

/** @throws Refusal INVALID_REQUEST `bad_field` */
function parsePurpose(purpose: string | undefined): string | null {
  const text = (purpose ?? '').trim();
  if (text.length > maxPurposeLength || /[\t\n\p{Surrogate}]/u.test(text)) {
    throw invalidRequest('bad_field', `The purpose is one line of at most ${maxPurposeLength} characters.`, {
      input: 'purpose',
    });
  }
  requireVisible(text, { input: 'purpose' });
  return text === '' ? null : text;
}

/** The text of one version with its headings, read before the transaction since that may take a while. */
interface ReadHeadings extends ReadText {
  readonly headings: readonly Heading[];
}

async function readHeadings(context: PrepareContext, location: Location): Promise<ReadHeadings | undefined> {
  const read = await readCurrentText(context, location);
  if (read === undefined) return undefined;
  return { ...read, headings: read.text === undefined ? [] : await runCooperatively(readOutlineInSteps(read.text)) };
}

/** Bytes and lines of the longest text read in a transaction, since all other writers wait meanwhile. */
const maxBytesRead = 256 * 1024;
const maxLinesRead = 10_000;

/** The headings of the current version: those read before, or read now where another writer was faster. */
function readHeadingsNow(
  { transaction }: WriteContext,
  { row }: FoundDocument,
  read: ReadHeadings | undefined,
): ReadHeadings | undefined {
  const { current } = row;
  if (read?.versionId === current.id) return read;
  if (current.kind !== 'text' || current.size > maxBytesRead) return undefined;
  const bytes = transaction.findContent(current);
  const text = bytes === undefined ? undefined : decodeText(bytes, current.mediaType);
  if (text === undefined || countLines(text) > maxLinesRead) return undefined;
  return { versionId: current.id, text, headings: readOutline(text) };
}

/** Whether another principal's claim prevents one on `section`, or (with null) on the whole document. */
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
 * Claims a document or one of its sections. Other principals cannot write there until the claim is released, broken, or
 * runs out. A holder of the same claim renews it. Editor.
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
  isOvertaken(context, { location, section }, prepared) {
    const found = section === undefined ? undefined : findDocument(context.transaction.tables, location);
    return found !== undefined && readHeadingsNow(context, found, prepared) === undefined;
  },
  run(context, input, prepared) {
    const { tables, now } = context.transaction;
    const duration = parseDuration(input.seconds);
    const purpose = parsePurpose(input.purpose);
    const found = findDocument(tables, input.location);
    if (found === undefined) throw notFound();
    requireWritable(tables, found.mirror);
    tables.claims.sweep(now - claimsKeptFor, sweptAtOnce);
    const read = input.section === undefined ? undefined : readHeadingsNow(context, found, prepared);
    if (input.section !== undefined && read === undefined) throw stale(found.row.current);
    const section = input.section === undefined ? undefined : findHeading(read?.headings ?? [], input.section);
    const sectionDigest = section === undefined ? null : digestSection(read?.text ?? '', section);
    const present = findClaims(tables, found, now);
    const inTheWay = tables.claims.on(found.row.number, now).filter((claim) => {
      if (claim.holder.id === context.caller.principalId) return false;
      return standsInTheWay(claim, sectionDigest === null ? undefined : section, read?.headings);
    });
    const binding = new Set(present.map(({ id }) => id));
    const other = inTheWay.find(({ id }) => binding.has(id));
    if (other !== undefined) throw claimed(other);
    // A claim that does not bind gives its place away. It would bind again with its holder's rights, and exclude this one.
    // No event tells it: who may not know of the claim would learn of it.
    for (const { id } of inTheWay) tables.claims.end(id, now, context.author.id);
    const expiresAt = now + duration;
    const same = present.find(
      (claim) => claim.holder.id === context.caller.principalId && claim.section === (section?.id ?? null),
    );
    if (same !== undefined) {
      tables.claims.renew(same.id, expiresAt, purpose ?? same.purpose, sectionDigest);
      const claim = { ...toClaim({ ...same, sectionDigest }), purpose: purpose ?? same.purpose, expiresAt };
      return { claim: place(claim, input.location), ...documentOf(found), renewed: true };
    }
    if (tables.claims.countHeld(context.author.id, now) >= maxClaims) {
      throw invalidRequest('too_many_claims', `One principal holds at most ${maxClaims} claims. Release some.`);
    }
    const claim: Claim = {
      id: makeIdentifier('clm', context.transaction.randomness),
      section: section?.id ?? null,
      holdsDocument: sectionDigest === null,
      holder: { id: context.author.id, kind: context.author.kind, displayName: context.author.displayName },
      purpose,
      claimedAt: now,
      expiresAt,
    };
    tables.claims.insert({ ...claim, document: found.row.number, sectionDigest });
    tables.activities.add({ kind: 'claimed', document: found.row.number, actor: context.author.id });
    return { claim: place(claim, input.location), ...documentOf(found), renewed: false };
  },
  noteResult: ({ documentId }) => ({ documentId }),
  documentNumber: ({ documentNumber }) => documentNumber,
};
