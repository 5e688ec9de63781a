import type { Reach } from './reach.js';
import type { MirrorSource } from '../domain/connector.js';
import { isWithin, type Location } from '../domain/location.js';
import type { Tables } from '../sidecar/tables.js';

/**
 * Where something in a mirror comes from.
 * @param mirror id of the connector
 * @param reach of the caller. Left out: the state of the source is not told
 * @returns the member of a document or folder, or none
 */
export function findSource(
  { connectors, principals }: Pick<Tables, 'connectors' | 'principals'>,
  mirror: string,
  location: Location,
  reach?: Reach,
): { readonly source?: MirrorSource } {
  const connector = connectors.byId(mirror);
  if (connector === undefined || !isWithin(connector.location, location)) return {};
  const { id, kind, sourceVersion, syncedAt, location: root } = connector;
  const readsAll = reach?.holds('reader', root) === true;
  return {
    source: {
      connectorId: id,
      connectorName: principals.find(id)?.displayName ?? id,
      kind,
      path: location.slice(root.length + 1),
      version: readsAll ? sourceVersion : null,
      syncedAt: readsAll ? syncedAt : null,
    },
  };
}
