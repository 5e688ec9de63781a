import { dropTrailing } from '../../../domain/drop-trailing.ts';

/** The path prefix of a proxy in front of the service; '' where there is none. */
export const base = document.querySelector<HTMLMetaElement>('meta[name="cartulary-base"]')?.content ?? '';
/** The nonce that the page's policy asks of stylesheets made by scripts. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
/** Where the console's own routes begin. */
export const consoleBase = `${base}/console`;

/** A location in an address: slashes stay, all else is percent-encoded. */
export function encodeLocation(location: string): string {
  return location.split('/').map(encodeURIComponent).join('/');
}

const inWorkspace = (workspace: string, rest: string): string => `/w/${encodeURIComponent(workspace)}${rest}`;
/** A query of the members that have a value; '' is one. */
const withQuery = (path: string, query: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
};
const at = (kind: string) => (workspace: string, location: string) =>
  inWorkspace(workspace, `/${kind}/${encodeLocation(location)}`);

/** The console's addresses, for `Link` and `navigate`. */
export const addressOf = {
  folder: at('f'),
  document: at('d'),
  /** One version of a document, for ever. */
  version: (workspace: string, location: string, version: string) =>
    `${at('d')(workspace, location)}?v=${encodeURIComponent(version)}`,
  editor: at('edit'),
  newDocument: (workspace: string, folder: string) =>
    inWorkspace(workspace, `/new${folder === '' ? '' : `?folder=${encodeURIComponent(folder)}`}`),
  history: at('history'),
  /** A place with its share dialog open. */
  share: (workspace: string, location: string, type: 'folder' | 'document') =>
    `${at(type === 'folder' ? 'f' : 'd')(workspace, location)}?share`,
  search: (workspace: string, query = '') =>
    inWorkspace(workspace, query === '' ? '/search' : `/search?q=${encodeURIComponent(query)}`),
  trash: (workspace: string) => inWorkspace(workspace, '/trash'),
  /** Where a document is erased. */
  erase: (workspace: string, location: string, document: string) =>
    `${at('erase')(workspace, location)}?document=${encodeURIComponent(document)}`,
  erasures: (workspace: string) => inWorkspace(workspace, '/erasures'),
  erasure: (workspace: string, id: string) => inWorkspace(workspace, `/erasures/${encodeURIComponent(id)}`),
  applications: (workspace: string) => inWorkspace(workspace, '/applications'),
  keys: (workspace: string) => inWorkspace(workspace, '/keys'),
  connectors: (workspace: string) => inWorkspace(workspace, '/connectors'),
  connector: (workspace: string, id: string) => inWorkspace(workspace, `/connectors/${encodeURIComponent(id)}`),
  /** @param folder in which the mirror is to be */
  newConnector: (workspace: string, folder = '') =>
    inWorkspace(workspace, `/connectors/new${folder === '' ? '' : `?folder=${encodeURIComponent(folder)}`}`),
  overview: (workspace: string) => inWorkspace(workspace, '/overview'),
  changes: (workspace: string) => inWorkspace(workspace, '/changes'),
  /** Where what one principal did is undone. What is left out is chosen there. */
  undo: (
    workspace: string,
    wanted: { readonly folder?: string; readonly principal?: string; readonly since?: string },
  ) => {
    const query = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== '')).toString();
    return inWorkspace(workspace, query === '' ? '/undo' : `/undo?${query}`);
  },
  webhooks: (workspace: string) => inWorkspace(workspace, '/webhooks'),
  webhook: (workspace: string, id: string) => inWorkspace(workspace, `/webhooks/${encodeURIComponent(id)}`),
  access: (workspace: string) => inWorkspace(workspace, '/access'),
  principal: (workspace: string, id: string) => inWorkspace(workspace, `/access/principals/${encodeURIComponent(id)}`),
  groups: (workspace: string) => inWorkspace(workspace, '/access/groups'),
  group: (workspace: string, id: string) => inWorkspace(workspace, `/access/groups/${encodeURIComponent(id)}`),
  /** Who read a place. `location` '' is the whole workspace. */
  whoRead: (workspace: string, filters: Readonly<Record<string, string | undefined>> = {}) =>
    withQuery(inWorkspace(workspace, '/audit'), filters),
  auditRecords: (workspace: string, filters: Readonly<Record<string, string | undefined>> = {}) =>
    withQuery(inWorkspace(workspace, '/audit/records'), filters),
  auditCheck: (workspace: string) => inWorkspace(workspace, '/audit/check'),
} as const;

/** The views of a document's history. The address keeps what they show. */
export const viewOf = {
  timeline: addressOf.history,
  /** @param from left out: the version before the other */
  changes: (workspace: string, location: string, to: string, from?: string) =>
    withQuery(addressOf.history(workspace, location), { from, to }),
  /** @param version left out: the current one */
  lines: (workspace: string, location: string, version?: string) =>
    withQuery(addressOf.history(workspace, location), { lines: version ?? 'current' }),
  restore: (workspace: string, location: string, version: string) =>
    withQuery(addressOf.history(workspace, location), { restore: version }),
} as const;

/** What a page of the console is about. */
export interface Place {
  readonly workspace: string;
  /** The part after the workspace: `f`, `d`, `edit`, `new`, `history`, `search`, `trash`, `connectors`, `access` … */
  readonly screen: string;
  /** The rest of the path, decoded part by part. For documents and folders: the location. */
  readonly rest: string;
}

/**
 * Reads an address of the console.
 * @param path of the browser's address, still percent-encoded
 * @returns undefined for the console's start and for what is no address of it
 */
export function parsePlace(path: string): Place | undefined {
  if (!path.startsWith(`${consoleBase}/w/`)) return undefined;
  const [workspace = '', screen = 'f', ...rest] = path.slice(`${consoleBase}/w/`.length).split('/');
  try {
    const decoded = rest.map(decodeURIComponent).join('/');
    return { workspace: decodeURIComponent(workspace), screen: screen === '' ? 'f' : screen, rest: trimSlash(decoded) };
  } catch {
    return undefined;
  }
}

const trimSlash = (text: string): string => (text.endsWith('/') ? text.slice(0, -1) : text);

/** A location as a person types it: without blanks and slashes around it. */
export function readLocation(typed: string): string {
  return dropTrailing(typed.trim().replace(/^\/+/, ''), '/');
}

/** The folder that a location lies in; '' is the root. */
export function folderOf(location: string): string {
  const end = location.lastIndexOf('/');
  return end < 0 ? '' : location.slice(0, end);
}

/** The last part of a location. */
export function nameOf(location: string): string {
  return location.slice(location.lastIndexOf('/') + 1);
}

/** The sign-in, which comes back to this page. */
export function signInAddress(): string {
  const { pathname, search } = window.location;
  return `${base}/signin?return=${encodeURIComponent(pathname + search)}`;
}

/** The sign-in that asks a signed-in person once more who they are, and comes back to this page. */
export function againAddress(): string {
  const { pathname, search } = window.location;
  return `${base}/signin/again?return=${encodeURIComponent(pathname + search)}`;
}
