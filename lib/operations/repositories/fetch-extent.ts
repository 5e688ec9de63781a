import type { WriteContext } from '../../changes/write-context.js';
import type { PreparedRepository } from '../../derived/served-repository.js';
import type { AuditExtent, ExtentPlaces } from '../../domain/audit-record.js';
import { isWithin, type Location } from '../../domain/location.js';
import { findDocumentsById } from '../../view/locate.js';
import { readableExtent } from '../note-extent.js';
import { wantsWhole, type FetchExchange, type SharedHead } from './shared-head.js';

/** Changes looked at for one fetch. After more of them, it counts as a clone. */
const maxChanges = 2000;

/**
 * What a fetch gives out. A client without a head that it was given gets all that its principal may read. One that has
 * such a head, and wants the whole rest, gets what others changed since, and what its principal may read since. So a
 * fetch that brings news of one place says nothing to those who ask about another.
 * @param exchange null where the client asks for parts
 * @param shared the head from which git goes on; undefined where it sends everything
 */
export function fetchExtent(
  context: WriteContext,
  { head, basis }: PreparedRepository,
  exchange: FetchExchange | null,
  shared: SharedHead | undefined,
): AuditExtent {
  const { reach, transaction, caller } = context;
  // The reach is the one that the repository was made for, or it would not be current.
  const whole = readableExtent({ reach, tables: transaction.tables });
  const { places } = whole;
  if (head === null || places === undefined) return whole;
  // A client that asks for parts need not have the rest of what it names later.
  if (!wantsWhole(exchange, head)) return whole;
  const given = { principal: caller.principalId, oid: head, moment: basis.moment, reach: places };
  const news = shared === undefined ? undefined : findNews(context, places, shared.given);
  return { ...(news ?? whole), head: given };
}

/** @returns undefined after too many changes */
function findNews(
  { reach, transaction: { tables }, caller }: WriteContext,
  places: ExtentPlaces,
  since: { readonly moment: number; readonly reach: ExtentPlaces },
): AuditExtent | undefined {
  const { auditExtents, auditQueries } = tables;
  const changed = auditExtents.changedAfter(since.moment, caller.principalId, maxChanges);
  const moved = auditExtents.foldersMovedAfter(since.moment, maxChanges);
  if (changed.length === maxChanges || moved.length === maxChanges) return undefined;
  const ids = new Map(changed.map((number) => [auditExtents.idOf(number) ?? '', number]));
  const live = findDocumentsById(tables, [...ids.keys()]);
  const isRead = (id: string, location: Location | undefined): boolean =>
    location !== undefined && reach.roleOn(id, location) !== undefined;
  const touched = live.filter(({ row, location }) => isRead(row.id, location)).map(({ row }) => row.number);
  for (const { row } of live) ids.delete(row.id);
  for (const [id, number] of ids) if (isRead(id, auditQueries.deletedPlaceOf(id))) touched.push(number);
  return {
    places: {
      folders: [
        ...places.folders.filter((folder) => !since.reach.folders.some((before) => isWithin(before, folder))),
        ...moved.flatMap(({ from, to }) => (reach.holds('reader', to) && !reach.holds('reader', from) ? [to] : [])),
      ],
      documents: places.documents.filter((document) => !since.reach.documents.includes(document)),
    },
    touched,
  };
}
