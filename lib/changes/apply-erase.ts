import type { Erasure } from '../domain/erasure.js';
import { makeIdentifier } from '../domain/identifier.js';
import { isWithin, parentOf, type Location } from '../domain/location.js';
import { notFound } from '../domain/refusal.js';
import { roleContains } from '../domain/role.js';
import type { Tables } from '../sidecar/tables.js';
import { descend, findDocument, locationOfFolder } from '../view/locate.js';
import { deletionOf, recordDeletion } from './apply-delete.js';
import { noteErasedPlaces } from './note-erased-places.js';
import { suppressContents, suppressFile } from './mirror-suppression.js';
import type { WriteContext } from './write-context.js';

/** Names and contents of one document that are kept from coming back, the newest first. */
const maxSuppressed = 1000;
const newestVersion = Number.MAX_SAFE_INTEGER;

export interface Erase {
  readonly location: Location;
  /** This document and no other, live or deleted at the location. */
  readonly documentId: string;
}

/**
 * Accepts an erase. The document is deleted like any other, then removed from every answer. Its grants, claims,
 * messages about it and answers kept for retries go too. No later commit contains it, so the history to rewrite ends
 * here. Neither a claim nor a mirror prevents an erase.
 * @throws Refusal NOT_FOUND where it is not, or the caller is not its approver
 */
export function applyErase(context: WriteContext, change: Erase): Erasure {
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
function findMeant(context: WriteContext, { location, documentId }: Erase): Found {
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
