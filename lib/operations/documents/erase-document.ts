import { suppressContents, suppressFile } from '../../changes/mirror-suppression.js';
import type { WriteContext } from '../../changes/write-context.js';
import type { Erasure } from '../../domain/erasure.js';
import { makeIdentifier } from '../../domain/identifier.js';
import { isWithin, nameOf, parentOf, type Location, ancestorsOf } from '../../domain/location.js';
import { invalidRequest, notFound } from '../../domain/refusal.js';
import { roleContains } from '../../domain/role.js';
import { findErasable, type Erasable, type ErasableSought } from '../../erase/find-erasable.js';
import type { Tables } from '../../sidecar/tables.js';
import { descend, findDocument, locationOfFolder } from '../../view/locate.js';
import type { ReadOperation, WriteOperation } from '../operation.js';
import { recentUntil, requireRecentProof } from '../require-recent-proof.js';
import { deletionOf, recordDeletion } from './delete-document.js';
import { placeSpans, type PlaceSpan } from '../../history/place-spans.js';

export interface EraseDocumentInput {
  readonly location: Location;
  /** The document's name, typed once more, because an erase cannot be undone. */
  readonly confirmation: string;
  /** The document that was shown, live or deleted. No other document at the location ever takes its place. */
  readonly documentId: string;
}

/** What is to be erased: this document and no other, live or deleted at the location. */
type ErasedDocument = Pick<EraseDocumentInput, 'location' | 'documentId'>;

export interface PreviewedErase extends Erasable {
  /** Until when a person in a browser may erase without signing in again. Milliseconds since 1970; null for not at all. */
  readonly recentUntil: number | null;
}

/**
 * The document that an erase would destroy, so that the caller can look at it first. Approver of the document.
 * @throws Refusal CONFLICT `several_deleted`; NOT_FOUND
 */
export const previewErase: ReadOperation<ErasableSought, PreviewedErase> = {
  kind: 'read',
  name: 'document.erase_preview',
  needs: ({ location }) => [{ role: 'approver', location, deleted: true }],
  note: ({ location }) => ({ target: location }),
  run: ({ view, caller }, sought) => ({ ...findErasable(view, sought), recentUntil: recentUntil(caller, view.now) }),
  noteResult: ({ documentId }) => ({ documentId }),
};

/** Names and contents of one document that are kept from coming back, the newest first. */
const maxSuppressed = 1000;
const newestVersion = Number.MAX_SAFE_INTEGER;

/**
 * Accepts an erase. The document is deleted like any other, then removed from every answer. Its grants, claims,
 * messages about it and answers kept for retries go too. No later commit contains it, so the history to rewrite ends
 * here. Neither a claim nor a mirror prevents an erase.
 * @throws Refusal NOT_FOUND where it is not, or the caller is not its approver
 */
function applyErase(context: WriteContext, change: ErasedDocument): Erasure {
  const { transaction, author } = context;
  const { tables, now } = transaction;
  const { id, number } = findMeant(context, change);
  suppressInMirror(context, change.location, number);
  const erasure: Erasure = {
    id: makeIdentifier('era', transaction.randomness),
    phase: 'accepted',
    requestedBy: author.id,
    requestedAt: now,
    finalAt: null,
    hindrance: null,
    ...tables.erasures.measure(number),
  };
  tables.grants.deleteOn({ type: 'document', documentId: id });
  tables.eraseRows.dropAtOnce(number);
  tables.idempotency.eraseAnswers(number);
  noteErasedPlaces(tables, { erasure: tables.erasures.accept(erasure, number, id), document: { number, id }, at: now });
  transaction.whenDurable(() => context.eraser.wake());
  return erasure;
}

/**
 * In a mirror the source may still have the file, or get it again: no later run brings it back, also not under one of its
 * former names, or with one of its contents under another name.
 */
function suppressInMirror({ transaction }: WriteContext, location: Location, number: number): void {
  const { tables, now } = transaction;
  const connectorId = descend(tables, parentOf(location)).folder.mirror;
  const root = tables.folders.mirrored().find(({ mirror }) => mirror === connectorId);
  if (connectorId === null || root === undefined) return;
  const folder = locationOfFolder(tables, root.number);
  suppressContents(transaction, connectorId, tables.versions.contents(number, newestVersion, maxSuppressed));
  for (const place of new Set([location, ...tables.eraseRows.formerPlaces(number, maxSuppressed)])) {
    // Another document of the source has the place by now.
    if (!isWithin(folder, place) || findDocument(tables, place) !== undefined) continue;
    const path = place.slice(folder.length + 1);
    const row = place === location ? tables.mirrorEntries.find(connectorId, path) : undefined;
    suppressFile(transaction, connectorId, { path, sourceId: row?.sourceId ?? null });
    tables.mirrorEntries.remove(connectorId, path);
  }
  forgetHeldChange(tables, connectorId, now);
}

/** The fingerprint of a held change is made of paths. The next run makes another, without this one. */
function forgetHeldChange({ connectors }: Tables, connectorId: string, now: number): void {
  connectors.setApproved(connectorId, null);
  if (connectors.byId(connectorId)?.state !== 'held') return;
  connectors.setHeld(connectorId, null);
  connectors.setState(connectorId, 'active', null);
  connectors.setNextRun(connectorId, { at: now, trigger: 'schedule' });
}

interface Found {
  readonly id: string;
  readonly number: number;
}

/** The document of that id, live or deleted at the location. No other document ever takes its place. */
function findMeant(context: WriteContext, { location, documentId }: ErasedDocument): Found {
  const { tables } = context.transaction;
  if (!roleContains(context.reach.roleOn(documentId, location), 'approver')) throw notFound();
  const live = findDocument(tables, location);
  if (live?.row.id === documentId) {
    recordDeletion(context, deletionOf(live));
    return live.row;
  }
  const deleted = tables.documents.deletedAt(location).find(({ id }) => id === documentId);
  if (deleted === undefined) throw notFound();
  return deleted;
}

/**
 * Hides a document for good, live or deleted. The eraser then destroys its content, history, comments, labels, claims
 * and name. On return, no caller can reach it. The receipt becomes final when no file holds a trace. The same request
 * again finds nothing at any later time, and destroys no other document at the location. Approver of the document; a
 * person in a browser signs in again first.
 * @throws Refusal INVALID_REQUEST `name_mismatch`; CONFLICT `sign_in_again`; NOT_FOUND
 */
export const eraseDocument: WriteOperation<EraseDocumentInput, Erasure> = {
  kind: 'write',
  name: 'document.erase',
  worksWhenLow: true,
  needs: ({ location }) => [{ role: 'approver', location, deleted: true }],
  note: ({ location }) => ({ target: location }),
  run(context, { location, confirmation, documentId }) {
    if (confirmation !== nameOf(location)) {
      throw invalidRequest('name_mismatch', "What was typed is not the document's name. Nothing was erased.", {
        field: 'confirmation',
      });
    }
    requireRecentProof(context.caller, context.transaction.now);
    return applyErase(context, { location, documentId });
  },
  noteResult: ({ id }) => ({ detail: { erasure: id } }),
};

/** An accepted erase. */
interface NotedErase {
  /** Number of its receipt. */
  readonly erasure: number;
  readonly document: { readonly number: number; readonly id: string };
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * Notes for the feed who could read a document before its rows go: for each time, the granted places that held it. Those
 * are texts of grants, so nothing of the document's own names stays. Its id is sealed.
 */
function noteErasedPlaces(tables: Tables, { erasure, document, at }: NotedErase): void {
  const spans = Array.from(placeSpans(tables, document.number)).toReversed();
  const placesOf = ({ place }: PlaceSpan): Location[] => [...ancestorsOf(place), place];
  const granted = new Set(tables.activities.everGranted([...new Set(spans.flatMap(placesOf))]));
  let last: { since: number; until: number; scopes: Location[] } | undefined;
  const write = (): void => {
    if (last !== undefined) tables.feed.addErased({ erasure, documentId: document.id, at, ...last });
  };
  for (const span of spans) {
    const scopes = placesOf(span).filter((place) => granted.has(place));
    if (last?.until === span.since && last.scopes.join('\n') === scopes.join('\n')) {
      last.until = span.until;
      continue;
    }
    write();
    last = { since: span.since, until: span.until, scopes };
  }
  write();
  tables.activities.coverDocument(document.id);
}
