import {
  keepPreviousData,
  useQueryClient,
  type InfiniteData,
  type QueryClient,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import type { components } from '../../api/described.d.ts';
import { given, usePages } from '../../api/read.ts';

export type Entry = components['schemas']['Entry'];
export type DocumentEntry = Extract<Entry, { type: 'document' }>;
export type FolderEntry = Extract<Entry, { type: 'folder' }>;
export type BrowsedFolder = components['schemas']['BrowsedFolder'];
export type Sort = 'name' | 'name-down' | 'newest' | 'oldest';

type Listing = InfiniteData<BrowsedFolder, string | undefined>;

const pageSize = 200;
/** More pages than this are not asked for again by themselves: each is a request. */
const maxPagesToRenew = 2;

/** Where an entry lies. */
export function locationOf(entry: Entry): string {
  return entry.type === 'folder' ? entry.folder.location : entry.document.location;
}

/** A name of an entry that no other entry of a listing has. */
export function keyOf(entry: Entry): string {
  return `${entry.type}:${locationOf(entry)}`;
}

const listingKey = (workspace: string, location: string): readonly string[] => ['entries', workspace, location];

/** @param location of the folder; '' for the root, or for the places where the person can begin */
export function useListing(workspace: string, location: string, sort: Sort): UseInfiniteQueryResult<Listing> {
  return usePages(
    workspace,
    [...listingKey(workspace, location), sort],
    '/entries',
    { query: { sort, limit: pageSize, ...given({ location }) } },
    {
      // Another order shows the old one until it is there.
      placeholderData: keepPreviousData,
      refetchOnWindowFocus: ({ state }) => isShort(state.data),
      refetchOnMount: ({ state }) => isShort(state.data),
      refetchOnReconnect: ({ state }) => isShort(state.data),
    },
  );
}

export const isShort = (listing: Listing | undefined): boolean => (listing?.pages.length ?? 0) <= maxPagesToRenew;

/** How the listings in memory follow a change that was just made. */
export interface ListingChanges {
  /** Takes entries out at once. @param keys by `keyOf` */
  readonly remove: (location: string, keys: ReadonlySet<string>) => void;
  readonly relabel: (location: string, document: string, labels: readonly string[]) => void;
  /** Asks again for the listing of a folder. */
  readonly renew: (location: string) => void;
  /** The same after a change by others: a question under way goes on. */
  readonly follow: (location: string) => void;
}

export function useListingChanges(workspace: string): ListingChanges {
  const client = useQueryClient();
  return useMemo(
    () => ({
      remove: (location, keys) =>
        change(client, workspace, location, (items) => items.filter((entry) => !keys.has(keyOf(entry)))),
      relabel: (location, document, labels) =>
        change(client, workspace, location, (items) =>
          items.map((entry) =>
            entry.type === 'document' && entry.document.location === document
              ? { ...entry, document: { ...entry.document, labels: [...labels] } }
              : entry,
          ),
        ),
      renew: (location) => void client.invalidateQueries({ queryKey: listingKey(workspace, location) }),
      follow: (location) =>
        void client.invalidateQueries({ queryKey: listingKey(workspace, location) }, { cancelRefetch: false }),
    }),
    [client, workspace],
  );
}

function change(
  client: QueryClient,
  workspace: string,
  location: string,
  by: (items: readonly Entry[]) => Entry[],
): void {
  client.setQueriesData<Listing>({ queryKey: listingKey(workspace, location) }, (listing) =>
    listing === undefined
      ? undefined
      : { ...listing, pages: listing.pages.map((page) => ({ ...page, items: by(page.items) })) },
  );
}
