import type { Erasure } from '../domain/erasure.js';
import { makeIdentifier } from '../domain/identifier.js';
import { parentOf, type Location } from '../domain/location.js';
import { notFound } from '../domain/refusal.js';
import { roleContains } from '../domain/role.js';
import { descend, findDocument, locationOfFolder } from '../view/locate.js';
import { deletionOf, recordDeletion } from './apply-delete.js';
import { suppressFile } from './mirror-suppression.js';
import type { WriteContext } from './write-context.js';

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
  suppressInMirror(context, change.location);
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
  tables.erasures.accept(erasure, number, id);
  transaction.whenDurable(() => context.eraser.wake());
  return erasure;
}

/** In a mirror the source may still have the file, or get it again: no later run brings it back. */
function suppressInMirror({ transaction }: WriteContext, location: Location): void {
  const { tables } = transaction;
  const connectorId = descend(tables, parentOf(location)).folder.mirror;
  const root = tables.folders.mirrored().find(({ mirror }) => mirror === connectorId);
  // Another document of the source has the place by now.
  if (connectorId === null || root === undefined || findDocument(tables, location) !== undefined) return;
  const path = location.slice(locationOfFolder(tables, root.number).length + 1);
  const sourceId = tables.mirrorEntries.find(connectorId, path)?.sourceId ?? null;
  suppressFile(transaction, connectorId, { path, sourceId });
  tables.mirrorEntries.remove(connectorId, path);
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
