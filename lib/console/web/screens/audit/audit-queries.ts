import {
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { apiOf, dataOf, newIdempotencyKey } from '../../api/client.ts';
import type { components } from '../../api/described.d.ts';
import { given, itemsOf, usePages, type Pages } from '../../api/read.ts';
import { asProblem } from '../../api/problem.ts';
import { useWorkspace } from '../../api/session.ts';
import { useNow } from '../../design/now.ts';
import { isReading } from './describe-record.ts';
import { boundsOf, type Filters } from './filters.ts';

type Schemas = components['schemas'];
export type AuditEntry = Schemas['AuditEntry'];
export type Verification = Schemas['AuditVerification'];

/**
 * The records that pass the filters, the newest first. What the person may not see is not among them. A page may be
 * short, or empty, before the last one.
 */
export function useRecords(filters: Filters, limit = 50): Pages<AuditEntry> {
  const { name } = useWorkspace();
  const { location, principal, action, outcome, request } = filters;
  const query = {
    ...(location !== undefined && { location }),
    ...given({ principal, action, outcome: outcome as AuditEntry['outcome'] | undefined, request_id: request }),
    ...boundsOf(filters, useNow()),
    limit,
  };
  return usePages(name, [name, 'audit', 'records', query], '/audit', { query });
}

/** The most pages that are read on the way to the first record. Then the person decides. */
const maxPages = 20;

/**
 * Reads on while the pages so far have nothing to show.
 * @param isEmpty whether they have not
 * @param together so many pages are read one after the other
 */
export function useReadOn(pages: Pages<unknown>, isEmpty: boolean, together = 1): void {
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = pages;
  const count = data?.pages.length ?? 0;
  const isWanted = count % together !== 0 || (isEmpty && count < maxPages);
  const isDue = isWanted && hasNextPage && !isFetching && !isError;
  useEffect(() => {
    if (isDue) void fetchNextPage();
  }, [isDue, fetchNextPage]);
}

/** Pages that are read at once for readers: one of them may have read a thousand times. */
const readTogether = 5;

/** Someone who read, and the last record of it. */
export interface Reader {
  /** Of a reader and who made their key, where that was somebody else. */
  readonly row: string;
  readonly principal: NonNullable<AuditEntry['principal']>;
  readonly last: AuditEntry;
}

/**
 * Who read a place, the last reader first. Records of one reader are one row, and those by a key that
 * somebody else made for them another.
 */
export function useReaders(filters: Filters): { readers: readonly Reader[] | undefined; pages: Pages<AuditEntry> } {
  const { location, time, from, to } = filters;
  const pages = useRecords({ location, time, from, to, outcome: 'done' }, 200);
  const records = itemsOf(pages);
  const readers = records === undefined ? undefined : listReaders(records);
  useReadOn(pages, readers?.length === 0, readTogether);
  return { readers, pages };
}

function listReaders(records: readonly AuditEntry[]): readonly Reader[] {
  const readers = new Map<string, Reader>();
  for (const record of records) {
    const { principal } = record;
    const row = `${principal?.id ?? ''} ${record.key_made_by?.id ?? ''}`;
    if (principal === null || !isReading(record) || readers.has(row)) continue;
    readers.set(row, { row, principal, last: record });
  }
  return [...readers.values()];
}

/** Where the last check that was begun here is noted, so that a person can leave and come back. */
const noteOf = (workspace: string): string => `cartulary-audit-check-${workspace}`;
/** Milliseconds between two looks at a check under way. Each look leaves its record, so a long check gets few. */
const firstLooks = 500;
const laterLooks = 3000;
const quickLooks = 4;

/** The check that was begun last in this browser. */
export function useVerification(): {
  verification: UseQueryResult<Verification | null>;
  begin: UseMutationResult<Verification, unknown, void>;
} {
  const { name } = useWorkspace();
  const queries = useQueryClient();
  const [id, setId] = useState(() => localStorage.getItem(noteOf(name)) ?? '');
  const keyOf = (check: string): readonly string[] => [name, 'audit', 'verification', check];
  const verification = useQuery({
    queryKey: keyOf(id),
    queryFn: async ({ signal }) => {
      if (id === '') return null;
      try {
        return await dataOf(apiOf(name).GET('/audit/verifications/{id}', { params: { path: { id } }, signal }));
      } catch (error) {
        // The service has been started again since: it has forgotten the check.
        if (asProblem(error).code !== 'NOT_FOUND') throw error;
        localStorage.removeItem(noteOf(name));
        return null;
      }
    },
    refetchInterval: ({ state }) =>
      state.data?.state === 'running' && (state.dataUpdateCount <= quickLooks ? firstLooks : laterLooks),
  });
  const begin = useMutation({
    mutationFn: () =>
      dataOf(
        apiOf(name).POST('/audit/verifications', { params: { header: { 'Idempotency-Key': newIdempotencyKey() } } }),
      ),
    onSuccess: (begun) => {
      localStorage.setItem(noteOf(name), begun.id);
      queries.setQueryData(keyOf(begun.id), begun);
      setId(begun.id);
    },
  });
  return { verification, begin };
}
