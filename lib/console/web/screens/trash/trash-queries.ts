import {
  useQueryClient,
  type InfiniteData,
  type QueryClient,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query';
import { apiOf, dataOf } from '../../api/client.ts';
import type { components } from '../../api/described.d.ts';
import { given, usePages } from '../../api/read.ts';
import { retryWhenLimited } from '../../api/retry-when-limited.ts';

/** Something deleted that the person may bring back. */
export type Trashed = components['schemas']['Trashed'];
type Page = components['schemas']['TrashPage'];
type Listing = InfiniteData<Page, string | undefined>;

const pageSize = 100;

/** A name of an item that no other item of the trash has. */
export function keyOf({ type, location, deleted_at: at, document }: Trashed): string {
  return `${type}:${location}:${document?.id ?? at}`;
}

const trashKey = (workspace: string): readonly string[] => ['trash', workspace];

/** @param folder only what was deleted below it; '' for everything */
export function useTrash(workspace: string, folder: string): UseInfiniteQueryResult<Listing> {
  const query = { limit: pageSize, ...given({ location: folder }) };
  return usePages(workspace, [...trashKey(workspace), folder], '/trash', { query });
}

/** What an undelete left in the trash. */
export interface BroughtBack {
  /** Documents of a folder that stay deleted: their place is taken, claimed or mirrored. */
  readonly left: number;
}

/**
 * @param key the same for each try of the same thing
 * @throws Problem CONFLICT `location_occupied` while something else is at its place
 */
export async function bringBack(workspace: string, { location, document }: Trashed, key: string): Promise<BroughtBack> {
  const api = apiOf(workspace);
  const params = { header: { 'Idempotency-Key': key } };
  if (document !== null) {
    const body = { location, document_id: document.id };
    await retryWhenLimited(() => dataOf(api.POST('/trash/undeletes', { params, body })));
    return { left: 0 };
  }
  const answer = await retryWhenLimited(() => dataOf(api.POST('/folder-undeletes', { params, body: { location } })));
  return { left: Object.values(answer.left_alone).reduce((sum, count) => sum + count, 0) };
}

/** Takes items out of the list at once, and asks again for what else has changed. */
export function useRemoveFromTrash(workspace: string): (keys: ReadonlySet<string>) => void {
  const client: QueryClient = useQueryClient();
  return (keys) => {
    client.setQueriesData<Listing>({ queryKey: trashKey(workspace) }, (listing) =>
      listing === undefined
        ? undefined
        : {
            ...listing,
            pages: listing.pages.map((page) => ({
              ...page,
              items: page.items.filter((item) => !keys.has(keyOf(item))),
            })),
          },
    );
    void client.invalidateQueries({ queryKey: trashKey(workspace) });
    void client.invalidateQueries({ queryKey: ['entries', workspace] });
  };
}
