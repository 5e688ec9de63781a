import type { ConnectorRun, SkippedFile } from '../../domain/connector.js';
import { isWithin, type Location } from '../../domain/location.js';
import { makePage, type Page } from '../../domain/page.js';
import { invalidRequest } from '../../domain/refusal.js';
import type { DescribedKind } from '../../workspace/connector-schedule.js';
import type { ReadOperation } from '../operation.js';
import {
  afterAllRuns,
  maxConnectors,
  mayManage,
  requireConnector,
  showConnector,
  type ShownConnector,
} from './find-connector.js';

export interface ConnectorInput {
  readonly connectorId: string;
}

/** The kinds of sources that can be connected here, with the settings of each. They are the same for every caller. */
export const listConnectorKinds: ReadOperation<Record<string, never>, readonly DescribedKind[]> = {
  kind: 'read',
  name: 'connector.list_kinds',
  needs: () => [],
  note: () => ({}),
  run: ({ workspace }) => workspace.connectors.sources.kinds(),
};

export interface ListConnectorsInput {
  /** A folder; the root for all. */
  readonly location: Location;
  /** The end position of the page before; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

/** The connectors that the caller manages, at a folder and below, by id. Those disconnected are left out. */
export const listConnectors: ReadOperation<ListConnectorsInput, Page<ShownConnector>> = {
  kind: 'read',
  name: 'connector.list',
  needs: () => [],
  note: ({ location }) => ({ target: location }),
  run({ view }, { location, after, limit }) {
    const { connectors } = view.tables;
    // The places alone: what the caller does not manage is not read.
    const managed = connectors
      .places(after, maxConnectors)
      .filter((place) => isWithin(location, place.location) && mayManage(view, place));
    const { items, next } = makePage(managed.slice(0, limit + 1), limit, ({ id }) => id);
    return { items: items.map(({ id }) => showConnector(view.tables, requireConnector(view, id))), next };
  },
};

/** One connector. Approver of its folder. */
export const readConnector: ReadOperation<ConnectorInput, ShownConnector> = {
  kind: 'read',
  name: 'connector.show',
  needs: () => [],
  note: ({ connectorId }) => ({ target: connectorId }),
  run: ({ view }, { connectorId }) => showConnector(view.tables, requireConnector(view, connectorId)),
};

export interface ListOfConnectorInput extends ConnectorInput {
  /** The end position of the page before; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

/** The last runs of a connector, the newest first. Approver of its folder. */
export const listConnectorRuns: ReadOperation<ListOfConnectorInput, Page<ConnectorRun>> = {
  kind: 'read',
  name: 'connector.list_runs',
  needs: () => [],
  note: ({ connectorId }) => ({ target: connectorId }),
  run({ view }, { connectorId, after, limit }) {
    const { id } = requireConnector(view, connectorId);
    const before = after === '' ? afterAllRuns : Number(after);
    if (!Number.isSafeInteger(before)) {
      throw invalidRequest('bad_cursor', 'The cursor is not one for this query. Start again without it.', {
        field: 'cursor',
      });
    }
    return makePage(view.tables.connectorRuns.list(id, before, limit + 1), limit, ({ number }) => String(number));
  },
};

/** The files of the source that are not in the mirror, by path, with the reasons. Approver of its folder. */
export const listSkippedFiles: ReadOperation<ListOfConnectorInput, Page<SkippedFile>> = {
  kind: 'read',
  name: 'connector.list_skipped',
  needs: () => [],
  note: ({ connectorId }) => ({ target: connectorId }),
  run({ view }, { connectorId, after, limit }) {
    const { id } = requireConnector(view, connectorId);
    const found = view.tables.mirrorEntries
      .skipped(id, after, limit + 1)
      .flatMap(({ path, reason, detail }) => (reason === null ? [] : [{ path, reason, detail }]));
    return makePage(found, limit, ({ path }) => path);
  },
};
