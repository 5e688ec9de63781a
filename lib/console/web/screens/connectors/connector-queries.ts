import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { components } from '../../api/described.d.ts';
import { usePages, useRead, type Pages } from '../../api/read.ts';
import { useWorkspace } from '../../api/session.ts';

type Schemas = components['schemas'];
export type Connector = Schemas['ConnectorRecord'];
export type ConnectorRun = Schemas['ConnectorRun'];
export type Kind = Schemas['ConnectorKind'];
export type DescribedKind = Schemas['DescribedConnectorKind'];
export type Settings = Schemas['ConnectorSettings'];
export type Fault = Schemas['SourceFault'];
export type SkippedFile = Schemas['SkippedFile'];
export type SkipReason = SkippedFile['reason'];
export type TestResult = Schemas['ConnectorTestResult'];
export type Webhook = Schemas['ConnectorHook'];

/** A workspace has no more connectors, so one page has them all. */
const maxConnectors = 100;
/** Milliseconds between two looks at a run under way. */
const whileRunning = 1000;
/** Milliseconds between two looks otherwise. */
const whileIdle = 30_000;

/** Whether a run is under way, or about to begin. */
export function isBusy({ state, last_run: lastRun, next_run_at: next }: Connector, now: number): boolean {
  if (state !== 'active') return false;
  return lastRun?.outcome === null || (next !== null && Date.parse(next) <= now);
}

/** All connectors that the person manages. */
export function useConnectors(): UseQueryResult<readonly Connector[]> {
  const { name } = useWorkspace();
  return useRead(
    name,
    [name, 'connectors', 'list'],
    '/connectors',
    { query: { limit: maxConnectors } },
    {
      select: ({ items }) => items,
      refetchInterval: ({ state }) =>
        state.data?.items.some((each) => isBusy(each, Date.now())) === true ? whileRunning : whileIdle,
    },
  );
}

export function useConnector(id: string): UseQueryResult<Connector> {
  const { name } = useWorkspace();
  return useRead(
    name,
    [name, 'connectors', 'one', id],
    '/connectors/{id}',
    { path: { id } },
    {
      refetchInterval: ({ state }) =>
        state.data !== undefined && isBusy(state.data, Date.now()) ? whileRunning : whileIdle,
    },
  );
}

export function useKinds(): UseQueryResult<readonly DescribedKind[]> {
  const { name } = useWorkspace();
  const options = { select: ({ items }: { items: DescribedKind[] }) => items, staleTime: Number.POSITIVE_INFINITY };
  return useRead(name, [name, 'connectors', 'kinds'], '/connector-kinds', {}, options);
}

/** @param seen a new one has the list read again: the last run, and how it ended */
export function useRuns(id: string, seen: string): Pages<ConnectorRun> {
  const { name } = useWorkspace();
  const params = { path: { id }, query: { limit: 10 } };
  return usePages(name, [name, 'connectors', 'runs', id, seen], '/connectors/{id}/runs', params);
}

export function useSkipped(id: string, seen: string): Pages<SkippedFile> {
  const { name } = useWorkspace();
  const params = { path: { id }, query: { limit: 50 } };
  return usePages(name, [name, 'connectors', 'skipped', id, seen], '/connectors/{id}/skipped', params);
}

/** How the connectors in memory follow a change that was just made. */
export interface ConnectorChanges {
  /** Takes over the answer to a change. */
  readonly keep: (connector: Connector) => void;
  /** Asks for everything about connectors again. */
  readonly renew: () => Promise<void>;
}

export function useConnectorChanges(): ConnectorChanges {
  const { name } = useWorkspace();
  const client = useQueryClient();
  const renew = useCallback(() => client.invalidateQueries({ queryKey: [name, 'connectors'] }), [client, name]);
  const keep = useCallback(
    (connector: Connector) => {
      client.setQueryData([name, 'connectors', 'one', connector.id], connector);
      void client.invalidateQueries({ queryKey: [name, 'connectors', 'list'] });
    },
    [client, name],
  );
  return { keep, renew };
}
