import type { UseQueryResult } from '@tanstack/react-query';
import { apiOf, dataOf } from '../../api/client.ts';
import type { components } from '../../api/described.d.ts';
import { usePages, useRead, type Pages } from '../../api/read.ts';
import { useWorkspace } from '../../api/session.ts';

type Schemas = components['schemas'];
export type HistoryEntry = Schemas['HistoryEntry'];
export type HistoryVersion = Schemas['HistoryVersion'];
export type Version = Schemas['Version'];
export type Diff = Schemas['Diff'];
export type Annotation = Schemas['Annotation'];
export type Writer = Annotation['writers'][number];

/** The events of a document, the newest first, page by page. */
export function useHistory(location: string): Pages<HistoryEntry> {
  const { name } = useWorkspace();
  return usePages(name, ['history', name, location], '/history', { query: { location, limit: 50 } });
}

/** All entries of the pages that have been fetched. */
export function entriesOf(data: Pages<HistoryEntry>['data']): readonly HistoryEntry[] {
  return data?.pages.flatMap(({ items }) => items) ?? [];
}

/** The versions among them. The first one is the current version. */
export function versionsOf(data: Pages<HistoryEntry>['data']): readonly HistoryVersion[] {
  return entriesOf(data).filter((entry) => entry.type === 'version');
}

/** The changes between two versions. @param from left out: the version before the other */
export function useDiff(location: string, from: string | undefined, to: string | undefined): UseQueryResult<Diff> {
  const { name } = useWorkspace();
  return useRead(
    name,
    ['diff', name, location, from, to],
    '/diffs',
    { query: { location, from, to } },
    // What two versions differ in stays the same.
    { enabled: from !== undefined || to !== undefined, staleTime: Number.POSITIVE_INFINITY },
  );
}

/** Who wrote each line. @param version left out: the current one */
export function useAnnotation(location: string, version: string | undefined): UseQueryResult<Annotation> {
  const { name } = useWorkspace();
  return useRead(name, ['annotation', name, location, version], '/annotations', { query: { location, version } });
}

/** The lines of one version, without their ends. Fetched when it is wanted. */
export function useLines(
  location: string,
  version: string | undefined,
  isWanted: boolean,
): UseQueryResult<readonly string[]> {
  const { name } = useWorkspace();
  return useRead(
    name,
    ['lines', name, location, version],
    '/documents/{location}',
    { path: { location }, query: { version: version ?? '' } },
    { enabled: isWanted && version !== undefined, staleTime: Number.POSITIVE_INFINITY, select: linesOf },
  );
}

function linesOf({ content }: Schemas['DocumentWithContent']): readonly string[] {
  const lines = (content ?? '').split('\n');
  // The end of the last line begins no line.
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/**
 * Writes an older version again, if the newest is still the one that the person saw.
 * @param input.key for every try of the same thing
 * @returns the id of the version that it made
 */
export async function restore(
  workspace: string,
  input: { location: string; version: string; current: string; message: string; key: string },
): Promise<string> {
  const { location, version, current, message, key } = input;
  const restored = await dataOf(
    apiOf(workspace).POST('/restores', {
      params: { header: { 'Idempotency-Key': key, 'If-Match': `"${current}"` } },
      body: { location, version, ...(message !== '' && { message }) },
    }),
  );
  return restored.version.id;
}
