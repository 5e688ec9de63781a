import { createHash } from 'node:crypto';
import { AccessComparison, type PlacedGrant, type RoleDifference } from './compare-access.js';
import type { AccessChange, AccessReport } from '../domain/access-change.js';
import type { Grant } from '../domain/grant.js';
import { ancestorsOf, isWithin, rebase, type Location } from '../domain/location.js';
import { conflict } from '../domain/refusal.js';
import type { WriteContext } from './write-context.js';

/** A rename or move, for its effect on the grants on and around the moved thing. */
export interface Relocation {
  readonly from: Location;
  readonly to: Location;
  /** Id of the document, or null for a folder. */
  readonly documentId: string | null;
  /** Folder grants at and below `from` that move along. The others stay on the old path. */
  readonly travelling: readonly Grant[];
}

/** Whether somebody may gain access by a rename or move. */
export interface Acknowledgement {
  /** Relocate even though a principal gains access. */
  readonly acknowledged: boolean;
  /** Digest of the acknowledged report. A changed report is refused again. */
  readonly report?: string | undefined;
}

function place(grant: Grant, location: Location): PlacedGrant {
  return { grant, location };
}

/** All grants in force on the moved thing: above it, on it and below it. */
function grantsAround(context: WriteContext, root: Location, documentId: string | null): PlacedGrant[] {
  const { grants } = context.transaction.tables;
  const above = ancestorsOf(root).flatMap((location) => grants.on({ type: 'folder', location }));
  const inside = documentId === null ? grants.atOrBelow(root) : [];
  const folders = [...above, ...inside].flatMap((grant) =>
    grant.scope.type === 'folder' ? [place(grant, grant.scope.location)] : [],
  );
  if (documentId === null) return folders;
  return [...folders, ...grants.on({ type: 'document', documentId }).map((grant) => place(grant, root))];
}

/**
 * Compares access at the moved root, and at every path below it with a grant on either side. The cost depends on the
 * grants there, not on the size of the move. A path below that turns out to be empty is reported too: this errs on the
 * safe side. Deleted documents at the new place gain access too, from the grants that arrive: they can be restored. The
 * caller sees subjects as who-can-read shows them at both ends. Only members and approvers see a group's name.
 */
export function reportAccess(context: WriteContext, relocation: Relocation): AccessReport {
  const { from, to, documentId, travelling } = relocation;
  const before = grantsAround(context, from, documentId);
  const leaving = new Set(travelling.map((grant) => grant.id));
  const waiting = grantsAround(context, to, null);
  const after = [
    ...waiting.filter(({ grant }) => !leaving.has(grant.id)),
    ...travelling.flatMap((grant) =>
      grant.scope.type === 'folder' ? [place(grant, rebase(grant.scope.location, from, to))] : [],
    ),
    ...(documentId === null
      ? []
      : context.transaction.tables.grants.on({ type: 'document', documentId }).map((grant) => place(grant, to))),
  ].filter(({ location }) => documentId === null || isWithin(location, to));

  const places = new Set<Location>([to]);
  if (documentId === null) {
    for (const { location } of before) if (isWithin(from, location)) places.add(rebase(location, from, to));
    for (const { location } of after) if (isWithin(to, location)) places.add(location);
  }
  const comparison = new AccessComparison(context.transaction.tables);
  const gains = new Map<string, AccessChange>();
  const losses = new Map<string, AccessChange>();
  const full: string[] = [];
  for (const goingTo of places) {
    const at = rebase(goingTo, to, from);
    for (const difference of comparison.gains(before, at, after, goingTo)) {
      note(gains, full, 'gain', context, difference, relocation);
    }
    for (const difference of comparison.losses(before, at, after, goingTo)) {
      note(losses, full, 'loss', context, difference, relocation);
    }
  }
  const ofMoved = gains.size;
  for (const at of placesOfDeleted(context, relocation)) {
    for (const difference of comparison.gains(waiting, at, after, at)) {
      note(gains, full, 'gain', context, difference, relocation);
    }
  }
  const digest = createHash('sha256')
    .update(JSON.stringify([from, to, full.toSorted()]))
    .digest('hex');
  return { gains: [...gains.values()], losses: [...losses.values()], reachesDeleted: gains.size > ofMoved, digest };
}

/** @throws Refusal CONFLICT `access_would_widen` with the report, or `access_report_changed` */
export function requireAcknowledged(
  change: Pick<Relocation, 'from' | 'to'> & Acknowledgement,
  report: AccessReport,
): void {
  if (report.gains.length === 0) return;
  const stale = change.report !== undefined && change.report !== report.digest;
  if (change.acknowledged && !stale) return;
  throw conflict(
    change.acknowledged ? 'access_report_changed' : 'access_would_widen',
    change.acknowledged
      ? 'Who would gain access has changed since the report that was acknowledged. Look at the new one.'
      : `More people would reach this at the new location${report.reachesDeleted ? ', or what was deleted there' : ''}. ` +
          'Send it again with acknowledge_access_change to do it.',
    {
      from: change.from,
      to: change.to,
      report,
    },
  );
}

/** Places where grants would lie on, or above, something deleted at the new place. */
function placesOfDeleted({ transaction }: WriteContext, { from, to, travelling }: Relocation): ReadonlySet<Location> {
  const { documents } = transaction.tables;
  if (travelling.length === 0 || !documents.isDeletedWithin(to)) return new Set();
  const places = travelling.flatMap(({ scope }) => (scope.type === 'folder' ? [rebase(scope.location, from, to)] : []));
  return new Set(places.filter((location) => documents.isDeletedWithin(location)));
}

function note(
  into: Map<string, AccessChange>,
  full: string[],
  kind: 'gain' | 'loss',
  context: WriteContext,
  { subject, before, after, by }: RoleDifference,
  relocation: Relocation,
): void {
  const line = JSON.stringify([kind, subject, before ?? null, after ?? null, by.grant.scope.type, by.location]);
  if (into.has(line)) return;
  full.push(line);
  into.set(line, {
    subject: showSubject(context, subject, relocation),
    fromRole: before ?? null,
    toRole: after ?? null,
    via: { scopeType: by.grant.scope.type, location: by.location },
  });
}

function showSubject(
  context: WriteContext,
  subject: RoleDifference['subject'],
  { from, to }: Relocation,
): AccessChange['subject'] {
  const { tables } = context.transaction;
  if (subject.type === 'principal') {
    return { ...subject, displayName: tables.principals.find(subject.id)?.displayName ?? null };
  }
  const mayKnow =
    context.reach.holds('approver', from) ||
    context.reach.holds('approver', to) ||
    tables.groups.groupsAbove({ type: 'principal', id: context.caller.principalId }).includes(subject.id);
  if (!mayKnow) return { type: 'group', id: null, displayName: null };
  return { ...subject, displayName: tables.groups.find(subject.id)?.displayName ?? null };
}
