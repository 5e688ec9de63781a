import { requireFree } from '../../changes/location-guards.js';
import type { WriteContext } from '../../changes/write-context.js';
import type { Connector } from '../../domain/connector.js';
import { makeIdentifier } from '../../domain/identifier.js';
import { isWithin, requireNewLocation, type Location } from '../../domain/location.js';
import { conflict, invalidRequest } from '../../domain/refusal.js';
import { descend, findFolder, locationOfFolder } from '../../view/locate.js';
import type { Connection } from '../../workspace/connector-schedule.js';
import { applyCreateFolder } from '../folders/create-folder.js';
import type { WriteOperation } from '../operation.js';
import type { JudgedName } from '../principals/look-alikes.js';
import { parseDisplayName } from '../principals/parse-name.js';
import { checkConnection, intervals, requireInterval } from './check-connection.js';
import { maxConnectors, showConnector, storedConnector, type ShownConnector } from './find-connector.js';
import { sealSecret } from './seal-secret.js';

export interface ConnectInput extends Connection {
  /** The folder of the mirror: an empty one, or none yet. */
  readonly location: Location;
  readonly name: string;
  /** Milliseconds between two runs. Left out: the usual ones. */
  readonly interval?: number | undefined;
}

/** What is made before the transaction. */
interface PreparedConnection {
  readonly id: string;
  readonly name: string;
  readonly described: string;
  /** Sealed. */
  readonly secret: Uint8Array | null;
  readonly judged: JudgedName;
}

/**
 * Connects a source: a folder becomes its mirror, and the first run is due at once. Whoever can read the folder reads
 * what the connection can read. Approver of the folder.
 * @throws Refusal INVALID_REQUEST `bad_settings`, `bad_field`, `bad_location`, `folder_not_empty`,
 * `too_many_connectors`; CONFLICT `mirror_nested`, `name_taken`; NOT_FOUND
 */
export const connectSource: WriteOperation<ConnectInput, ShownConnector, PreparedConnection> = {
  kind: 'write',
  name: 'connector.connect',
  needs: ({ location }) => [{ role: 'approver', location, folder: true }],
  note: ({ location, kind }) => ({ target: location, detail: { kind } }),
  async prepare({ workspace }, { name, interval, ...connection }) {
    const displayName = parseDisplayName(name);
    if (interval !== undefined) requireInterval(interval);
    const described = await checkConnection(workspace.connectors.sources, connection);
    const id = makeIdentifier('prn', workspace.randomness);
    const secret = connection.secret === null ? null : sealSecret(workspace, id, connection.secret);
    const { judgeName } = await import('../principals/look-alikes.js');
    return { id, name: displayName, judged: await judgeName({ workspace }, displayName), described, secret };
  },
  run(context, { location, kind, settings, interval = intervals.usual }, { id, name, judged, described, secret }) {
    const { transaction, author } = context;
    const { tables, now } = transaction;
    if (tables.connectors.count() >= maxConnectors) {
      const message = `A workspace has at most ${maxConnectors} connectors. Disconnect one that is not needed.`;
      throw invalidRequest('too_many_connectors', message, { limit: maxConnectors });
    }
    judged.requireDistinct(context);
    const folder = takeFolder(context, location);
    tables.principals.insert({ id, kind: 'connector', displayName: name, createdAt: now, disabledAt: null });
    tables.connectors.insert({
      id,
      kind,
      location,
      settings,
      described,
      secret,
      interval,
      createdAt: now,
      createdBy: author.id,
    });
    tables.folders.setMirror(folder, id);
    return showConnector(tables, tables.connectors.byId(id) as Connector);
  },
  noteResult: ({ id, kind }) => ({ detail: { id, kind } }),
  finish: ({ connectors }) => connectors.wake(),
  stored: storedConnector,
};

/** The folder for a mirror, made where there is none. @returns its number */
function takeFolder(context: WriteContext, location: Location): number {
  const { tables } = context.transaction;
  if (location === '') {
    throw invalidRequest(
      'bad_location',
      'A source is mirrored into a folder of its own, not into the workspace root.',
      {
        field: 'location',
      },
    );
  }
  requireNewLocation(location);
  if (descend(tables, location).folder.mirror !== null) {
    throw conflict('mirror_nested', 'A connector mirrors this place already. Choose a folder outside of its folder.', {
      location,
    });
  }
  for (const { number } of tables.folders.mirrored()) {
    const below = locationOfFolder(tables, number);
    if (!isWithin(location, below)) continue;
    throw conflict('mirror_nested', `A connector mirrors "${below}" already. Mirrors do not nest.`, {
      location: below,
    });
  }
  const folder = findFolder(tables, location);
  if (folder === undefined) {
    requireFree(context, location);
    applyCreateFolder(context, location);
    return (findFolder(tables, location) ?? never(location)).row.number;
  }
  if (!tables.folders.isEmpty(folder.row.number)) {
    const message = 'The folder is not empty. A source is mirrored into an empty folder, or into a new one.';
    throw invalidRequest('folder_not_empty', message, { field: 'location' });
  }
  return folder.row.number;
}

function never(location: Location): never {
  throw new Error(`The folder at a location of ${location.length} characters was not made.`);
}
