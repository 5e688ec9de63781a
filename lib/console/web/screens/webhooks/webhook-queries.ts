import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useCallback } from 'react';
import { apiOf, dataOf } from '../../api/client.ts';
import type { components } from '../../api/described.d.ts';
import { given, usePages, useRead, type Pages } from '../../api/read.ts';
import { useWorkspace } from '../../api/session.ts';

type Schemas = components['schemas'];
export type Webhook = Schemas['Webhook'];
export type MadeWebhook = Schemas['WebhookWithSecret'];
export type Kind = Schemas['WebhookKind'];
export type Delivery = Schemas['WebhookDelivery'];
export type Tested = Schemas['WebhookTest'];

/** Webhooks asked for at once. */
const pageSize = 200;
/** Milliseconds between two looks at what was delivered. */
const lookEvery = 3000;

/** All webhooks that the person manages. */
export function useWebhooks(): UseQueryResult<readonly Webhook[]> {
  const { name } = useWorkspace();
  return useQuery({
    queryKey: [name, 'webhooks', 'list'],
    queryFn: async ({ signal }) => {
      const all: Webhook[] = [];
      for (let cursor: string | undefined; ;) {
        const query = { limit: pageSize, ...given({ cursor }) };
        const page = await dataOf(apiOf(name).GET('/webhooks', { params: { query }, signal }));
        all.push(...page.items);
        if (page.next_cursor === null) return all;
        cursor = page.next_cursor;
      }
    },
  });
}

export function useWebhook(id: string): UseQueryResult<Webhook> {
  const { name } = useWorkspace();
  const key = [name, 'webhooks', 'one', id];
  return useRead(name, key, '/webhooks/{id}', { path: { id } }, { refetchInterval: lookEvery });
}

/** @param seen a new one has the list read again: the number of the last delivery */
export function useDeliveries(id: string, seen: number): Pages<Delivery> {
  const { name } = useWorkspace();
  const params = { path: { id }, query: { limit: 20 } };
  return usePages(name, [name, 'webhooks', 'deliveries', id, seen], '/webhooks/{id}/deliveries', params);
}

/** Asks for everything about webhooks again, after a change. */
export function useRenew(): () => Promise<void> {
  const { name } = useWorkspace();
  const client = useQueryClient();
  return useCallback(() => client.invalidateQueries({ queryKey: [name, 'webhooks'] }), [client, name]);
}
