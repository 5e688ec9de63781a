import {
  useInfiniteQuery,
  useQuery,
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryOptions,
  type UseInfiniteQueryResult,
  type UseQueryOptions,
  type UseQueryResult,
} from '@tanstack/react-query';
import { apiOf, dataOf } from './client.ts';
import type { paths } from './described.d.ts';

/** What can be read: the paths of the API with a GET. */
type ReadPath = { [Path in keyof paths]: paths[Path] extends { get: object } ? Path : never }[keyof paths];
type Operation<Path extends ReadPath> = Extract<paths[Path]['get'], { parameters: object; responses: object }>;
type Answer<Path extends ReadPath> = Operation<Path>['responses'] extends {
  200: { content: { 'application/json': infer Body } };
}
  ? Body
  : never;

/** A member that may be left out may also be undefined: it is not sent then. */
type Loose<Members> = {
  [Name in keyof Members]: object extends Pick<Members, Name> ? Members[Name] | undefined : Members[Name];
};
type Names<Path extends ReadPath> = Operation<Path>['parameters'] extends { query?: infer Given }
  ? [Given] extends [never]
    ? { readonly cursor?: undefined }
    : Given
  : never;
type Place<Path extends ReadPath> = Operation<Path>['parameters'] extends { path: infer Given } ? Given : undefined;
type Params<Path extends ReadPath> = (object extends Names<Path>
  ? { readonly query?: Loose<Names<Path>> }
  : { readonly query: Loose<Names<Path>> }) &
  (Place<Path> extends undefined ? { readonly path?: undefined } : { readonly path: Place<Path> });

/** Asks the service. @throws Problem */
function read<Path extends ReadPath>(
  workspace: string,
  path: Path,
  params: Params<Path>,
  signal: AbortSignal,
): Promise<Answer<Path>> {
  const get = apiOf(workspace).GET as (path: Path, init: object) => Parameters<typeof dataOf<Answer<Path>>>[0];
  return dataOf(get(path, { params, signal }));
}

/**
 * Something of a workspace, remembered under a key.
 * @param options of the cache; `select` for a part of the answer
 */
export function useRead<Path extends ReadPath, Data = Answer<Path>>(
  workspace: string,
  key: QueryKey,
  path: Path,
  params: Params<Path>,
  options: Omit<UseQueryOptions<Answer<Path>, Error, Data>, 'queryKey' | 'queryFn'> = {},
): UseQueryResult<Data> {
  return useQuery({ queryKey: key, queryFn: ({ signal }) => read(workspace, path, params, signal), ...options });
}

interface Page {
  readonly items: readonly unknown[];
  readonly next_cursor: string | null;
}
type PagedPath = { [Path in ReadPath]: Answer<Path> extends Page ? Path : never }[ReadPath];
type PagedOptions<Found> = UseInfiniteQueryOptions<
  Found,
  Error,
  InfiniteData<Found, string | undefined>,
  QueryKey,
  string | undefined
>;

/** A list that is read page by page. */
export type Pages<Item> = UseInfiniteQueryResult<
  InfiniteData<{ readonly items: readonly Item[]; readonly next_cursor: string | null }, string | undefined>
>;
type PagesOf<Path extends ReadPath> = UseInfiniteQueryResult<InfiniteData<Answer<Path>, string | undefined>>;

/** A list of a workspace, remembered under a key. */
export function usePages<Path extends PagedPath>(
  workspace: string,
  key: QueryKey,
  path: Path,
  params: Params<Path>,
  options: Omit<PagedOptions<Answer<Path>>, 'queryKey' | 'queryFn' | 'initialPageParam' | 'getNextPageParam'> = {},
): PagesOf<Path> {
  return useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam: cursor, signal }) => {
      return read(workspace, path, { ...params, query: { ...params.query, cursor } }, signal);
    },
    initialPageParam: undefined,
    getNextPageParam: (page) => (page as Page).next_cursor ?? undefined,
    ...options,
  });
}

/** The items of all pages so far. */
export function itemsOf<Item>(pages: Pages<Item>): readonly Item[] | undefined {
  return pages.data?.pages.flatMap(({ items }) => items);
}

/** Leaves out what is not given: the API takes no empty parameter. */
export function given<Query extends object>(query: Query): { [Name in keyof Query]?: NonNullable<Query[Name]> } {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined && value !== '')) as never;
}
