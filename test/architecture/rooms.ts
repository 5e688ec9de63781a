import path from 'node:path';

/**
 * The rooms of lib/, lowest floor first. A module imports from its own room and from lower floors;
 * rooms on one floor don't know each other.
 */
export const floors: readonly (readonly string[])[] = [
  ['domain'],
  ['scheduling', 'disk', 'limits'],
  ['text', 'egress', 'sealing'],
  ['git', 'sidecar', 'search', 'lines', 'extraction'],
  ['access'],
  ['audit'],
  ['view'],
  ['history'],
  ['journal'],
  ['indexing'],
  ['changes'],
  ['erase'],
  ['integrity'],
  ['backup'],
  ['derived', 'feed'],
  ['workspace'],
  ['operations'],
  ['http', 'records'],
  ['api'],
  ['mcp', 'remote', 'console', 'connectors', 'webhooks', 'signin', 'manual', 'commands', 'stored'],
  ['metrics'],
  ['config'],
  ['app'],
  ['bin'],
];

/** The console's pages. They run in a browser, and have rooms of their own. */
const pages = 'lib/console/web/';

/** The rooms of the console's pages, lowest floor first, by the same rule. Each screen is a room. */
export const pageFloors: readonly (readonly string[])[] = [
  ['navigation'],
  ['api', 'markdown'],
  ['design'],
  [
    'screens/access',
    'screens/applications',
    'screens/changes',
    'screens/history',
    'screens/move',
    'screens/search',
    'screens/share',
    'screens/upload',
  ],
  [
    'screens/audit',
    'screens/browser',
    'screens/connectors',
    'screens/keys',
    'screens/reader',
    'screens/trash',
    'screens/undo',
  ],
  ['screens/editor', 'screens/webhooks'],
  ['screens/erase', 'screens/overview'],
  ['shell'],
  ['main'],
];

/** The rooms of pure functions that pages may import, so that a browser and the service read a text alike. */
export const lentToPages: readonly string[] = ['domain', 'text'];

/** `lib/console/web/api/live-connection.ts` → api, `lib/console/web/screens/move/undo.ts` → screens/move; undefined elsewhere. */
export function pageRoomOf(file: string): string | undefined {
  if (!file.startsWith(pages)) return undefined;
  const [top = '', ...rest] = file.slice(pages.length).split('/');
  if (rest.length === 0) return top.replace(/\.tsx?$/, '');
  return top === 'screens' ? `screens/${rest[0] ?? ''}` : top;
}

/** The client library runs in other people's programs, so it stands outside the house. */
export const clientRoom = 'client';

/** `lib/git/tree.ts` → git, `lib/config.ts` → config, `bin/cartulary.ts` → bin; undefined for anything else. */
export function roomOf(file: string): string | undefined {
  const [top, second, ...rest] = file.split('/');
  if (top === 'bin') return 'bin';
  if (top !== 'lib' || second === undefined) return undefined;
  return rest.length > 0 ? second : second.replace(/\.ts$/, '');
}

/** The floor of the room, or -1 for a room outside the picture. */
export function floorOf(room: string, house = floors): number {
  return house.findIndex((rooms) => rooms.includes(room));
}

/** The source file named by a relative specifier, from the repository's root. */
export function resolveImport(from: string, specifier: string): string {
  return path.posix.join(path.posix.dirname(from), specifier).replace(/\.js$/, '.ts');
}

/** `@scope/name/part` → `@scope/name`; `name/part` → `name`. */
export function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

interface Ownership {
  rooms: readonly string[];
  why: string;
}

/** The rooms that may import each package. */
export const owners: Readonly<Record<string, Ownership>> = {
  'age-encryption': { rooms: ['sealing'], why: 'one place seals what the operator alone may open' },
  'better-sqlite3': { rooms: ['sidecar'], why: 'a larger installation puts another engine below lib/sidecar' },
  'better-sqlite3-13': { rooms: ['sidecar'], why: 'it is the same engine, for a later Node' },
  'isomorphic-git': { rooms: ['git'], why: 'its own write path loses commits; lib/git knows which parts are safe' },
  memfs: { rooms: ['git'], why: 'only a repository in memory needs it' },
  lunr: { rooms: ['search'], why: 'only its analysis and query language are used, never its index' },
  'lunr-languages': { rooms: ['search'], why: 'only its stemmers are used, and lunr itself is kept out of its reach' },
  re2js: { rooms: ['lines'], why: 'patterns of callers run in a thread of their own, and nowhere else' },
  'proxy-addr': { rooms: ['http'], why: 'one place decides which address a client has' },
  express: { rooms: ['api'], why: 'what it checks is the API; sign-in has fourteen paths and needs no router' },
  'oidc-provider': { rooms: ['signin'], why: 'tokens for applications are given out where people sign in' },
  'openid-client': { rooms: ['signin'], why: 'another provider is asked who somebody is where people sign in' },
  'express-openapi-validator': {
    rooms: ['api'],
    why: 'the descriptions of both APIs are checked where requests enter',
  },
  ajv: {
    rooms: ['api', 'mcp', 'connectors'],
    why: 'JSON Schema is checked where requests and the settings of connectors enter; the settings are read by every command, which should be quick',
  },
  'ajv-formats': { rooms: ['api', 'mcp'], why: 'it belongs to ajv' },
  pino: { rooms: ['app'], why: 'the log is wired once; rooms are handed what they may log to' },
  'prom-client': { rooms: ['metrics'], why: 'rooms report to observers that they are handed, and know no registry' },
  commander: { rooms: ['bin'], why: 'only the command line parses arguments' },
  '@modelcontextprotocol/server': {
    rooms: ['mcp'],
    why: 'the tools are a table of ours; a protocol is spoken at the edge',
  },
  yaml: { rooms: ['api', 'search'], why: 'the descriptions of the APIs and the front matter of documents are YAML' },
  canonicalize: { rooms: ['audit', 'api'], why: 'RFC 8785 serves the hash chain and request fingerprints' },
  'lru-cache': {
    rooms: ['journal', 'lines'],
    why: 'one file bounds how much content is remembered, and one how much is known of texts',
  },
  ssh2: {
    rooms: ['connectors'],
    why: 'repositories are fetched over ssh by a connection that this process has checked',
  },
  diff: { rooms: ['text'], why: 'the work of comparing two texts is bounded in one place' },
  'ipaddr.js': { rooms: ['egress'], why: 'one place decides which addresses are public' },
  saxes: {
    rooms: ['egress', 'extraction'],
    why: 'XML comes from other servers and in files, and each has bounds of its own',
  },
  yauzl: { rooms: ['extraction'], why: 'archives of strangers are opened in a child process alone' },
  entities: { rooms: ['search'], why: 'its words are those of the shown text' },
  htmlparser2: { rooms: ['extraction'], why: 'pages of strangers are read in a child process alone' },
  'postal-mime': { rooms: ['extraction'], why: 'mails of strangers are read in a child process alone' },
  'pdfjs-dist': { rooms: ['extraction'], why: 'PDFs of strangers are read in a child process alone' },
  aws4fetch: { rooms: ['egress'], why: 'only requests to object stores are signed so, and the transport is ours' },
  unhomoglyph: { rooms: ['operations'], why: 'names are compared by their look where one is given' },
  'mime-types': { rooms: ['operations'], why: 'a media type is decided once, when a document is written' },
};

const everyPage: readonly string[] = pageFloors.flat();
const editor = { rooms: ['screens/editor'], why: 'only the editor weighs as much as an editor' };

/** The rooms of the console's pages that may import each package. */
export const pageOwners: Readonly<Record<string, Ownership>> = {
  react: { rooms: everyPage, why: 'every page is made of components' },
  'react-dom': { rooms: ['main'], why: 'the pages have one root' },
  '@tanstack/react-query': { rooms: everyPage, why: 'every screen reads and changes by the one cache' },
  'lucide-react': { rooms: everyPage, why: 'a sign is chosen where it is shown' },
  wouter: { rooms: everyPage, why: 'every screen has links' },
  'react-aria-components': {
    rooms: ['design', 'screens/move', 'screens/share'],
    why: 'it is heavy; besides menus, only the tree of folders and the search for people need it',
  },
  'openapi-fetch': { rooms: ['api'], why: 'one file makes the requests' },
  'markdown-it': { rooms: ['markdown'], why: 'what it makes has to be cleaned before it is shown' },
  dompurify: { rooms: ['markdown'], why: 'one file decides which markup is clean' },
  '@codemirror/commands': editor,
  '@codemirror/language': editor,
  '@codemirror/search': editor,
  '@codemirror/state': editor,
  '@codemirror/view': editor,
  '@lezer/highlight': editor,
  '@lezer/markdown': editor,
};

/** Parts of Node reserved to some rooms; lib/domain touches none. */
export const builtinOwners: Readonly<Record<string, Ownership>> = {
  'node:child_process': {
    rooms: ['git', 'connectors', 'extraction'],
    why: 'only git is run, the outside programs that the operator lists for connectors, and our own reader of files',
  },
  'node:sqlite': { rooms: [], why: 'the store is better-sqlite3, in lib/sidecar' },
};
