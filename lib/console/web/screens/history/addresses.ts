import { addressOf } from '../../shell/addresses.ts';

const withQuery = (
  workspace: string,
  location: string,
  query: Readonly<Record<string, string | undefined>>,
): string => {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${addressOf.history(workspace, location)}?${new URLSearchParams(given).toString()}`;
};

/** The views of a document's history. The address keeps what they show. */
export const viewOf = {
  timeline: addressOf.history,
  /** @param from left out: the version before the other */
  changes: (workspace: string, location: string, to: string, from?: string) =>
    withQuery(workspace, location, { from, to }),
  /** @param version left out: the current one */
  lines: (workspace: string, location: string, version?: string) =>
    withQuery(workspace, location, { lines: version ?? 'current' }),
  restore: (workspace: string, location: string, version: string) =>
    withQuery(workspace, location, { restore: version }),
} as const;
