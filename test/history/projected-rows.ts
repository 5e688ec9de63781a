import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { schemaPath } from '../../lib/app/upgrade.js';
import type { Location } from '../../lib/domain/location.js';
import { makeDocumentId } from '../../lib/history/document-id.js';
import type { Event, EventOf, RecordedEvent } from '../../lib/history/event.js';
import type { project as Project } from '../../lib/history/project.js';
import type { EventFile } from '../../lib/history/projection.js';
import { runAtOnce } from '../../lib/scheduling/in-steps.js';
import { openSidecar } from '../../lib/sidecar/sidecar.js';
import { Sqlite } from '../support/store/sqlite.js';

const at = (path: string): Location => path as Location;
/** A commit's SHA, by its number. */
export const commitOf = (number: number): string => number.toString(16).padStart(40, '0');
/** An erase rewrote the fourth commit: it keeps its earlier id. */
const versionOf = (number: number): string => commitOf(number === 4 ? 0xfff : number);
/** The document that a commit created at a location. */
const idOf = (number: number, location: string): string => makeDocumentId(versionOf(number), at(location));

const file = (location: string, text: string, mediaType = 'text/markdown'): EventFile => ({
  location: at(location),
  mediaType,
  content: {
    blobOid: text.padStart(40, '0'),
    sha256: `${text}${text}`.padStart(64, '0'),
    size: text.length,
    kind: text.startsWith('\0') ? 'binary' : 'text',
  },
});

interface Step {
  readonly event: Event;
  readonly files?: readonly EventFile[];
  readonly gone?: readonly Location[];
  readonly message?: string;
}

const [plan, deep, other, page, picture, last, first, second, moved, gone, follower, pushed] = [
  idOf(1, 'plan.md'),
  idOf(2, 'a/b/deep.md'),
  idOf(3, 'a/other.md'),
  idOf(4, 'in/page.md'),
  idOf(4, 'in/x.png'),
  idOf(15, 'in/last.md'),
  idOf(22, 'two/a.md'),
  idOf(23, 'two/b.md'),
  idOf(28, 'keep/me/a'),
  idOf(28, 'keep/me/f/b'),
  idOf(29, 'keep/me/a'),
  idOf(30, 'new/pushed.md'),
];

const mirror = (documents: EventOf<'mirror'>['moved']): EventOf<'mirror'> => ({
  type: 'mirror',
  connectorId: 'bob',
  location: at('keep/me'),
  sourceVersion: null,
  mediaTypes: { usual: 'text/x', others: new Map() },
  moved: documents,
});

/** Every type of event, each going on from the ones before it. */
export const scenario: readonly Step[] = [
  {
    event: { type: 'create', location: at('plan.md'), mediaType: 'text/markdown' },
    files: [file('plan.md', 'one')],
    message: 'First',
  },
  {
    event: { type: 'create', location: at('a/b/deep.md'), mediaType: 'text/x' },
    files: [file('a/b/deep.md', 'd', 'text/x')],
  },
  {
    event: { type: 'create', location: at('a/other.md'), mediaType: 'text/markdown' },
    files: [file('a/other.md', 'o')],
  },
  {
    event: { type: 'import', mediaTypes: { usual: 'text/markdown', others: new Map([['in/x.png', 'image/png']]) } },
    files: [file('in/page.md', 'p'), file('in/x.png', '\0png', 'image/png')],
    message: 'From the share',
  },
  {
    event: { type: 'update', documentId: plan, location: at('plan.md'), mediaType: 'text/plain' },
    files: [file('plan.md', 'two', 'text/plain')],
    message: 'Second',
  },
  {
    event: {
      type: 'restore',
      documentId: plan,
      location: at('plan.md'),
      mediaType: 'text/markdown',
      restoredVersion: versionOf(1),
    },
    files: [file('plan.md', 'one')],
  },
  { event: { type: 'rename', documentId: plan, from: at('plan.md'), to: at('map.md') } },
  { event: { type: 'create-folder', location: at('a/empty/kept') } },
  { event: { type: 'move', documentId: null, from: at('a'), to: at('in/deeper/a') } },
  { event: { type: 'delete', documentId: page, location: at('in/page.md') } },
  {
    event: { type: 'undelete', documentId: page, location: at('in/page.md'), mediaType: 'text/markdown' },
    files: [file('in/page.md', 'p')],
  },
  { event: { type: 'delete-folder', location: at('in') } },
  {
    event: {
      type: 'undelete-folder',
      location: at('in'),
      kept: [at('in/deeper/a/empty/kept')],
      restored: [
        { documentId: deep, mediaType: 'text/x', location: at('in/deeper/a/b/deep.md') },
        { documentId: other, mediaType: 'text/markdown', location: at('in/deeper/a/other.md') },
        { documentId: picture, mediaType: 'image/png', location: at('in/x.png') },
      ],
    },
    files: [
      file('in/deeper/a/b/deep.md', 'd', 'text/x'),
      file('in/deeper/a/other.md', 'o'),
      file('in/x.png', '\0png', 'image/png'),
    ],
  },
  {
    event: {
      type: 'undelete-folder',
      location: at('in'),
      kept: [],
      restored: [{ documentId: page, mediaType: 'text/markdown', location: at('in/page.md') }],
    },
    files: [file('in/page.md', 'p')],
  },
  {
    event: { type: 'create', location: at('in/last.md'), mediaType: 'text/markdown' },
    files: [file('in/last.md', 'l')],
  },
  { event: { type: 'delete', documentId: deep, location: at('in/deeper/a/b/deep.md') } },
  {
    event: {
      type: 'revert',
      location: at('in'),
      principalId: 'bob',
      restored: [
        { documentId: page, mediaType: 'text/markdown', location: at('in/page.md') },
        { documentId: deep, mediaType: 'text/x', location: at('in/deeper/a/b/deep.md') },
      ],
      deleted: [{ documentId: last, location: at('in/last.md') }],
    },
    files: [file('in/page.md', 'before'), file('in/deeper/a/b/deep.md', 'd', 'text/x')],
    message: 'Taken back',
  },
  { event: { type: 'recover', from: commitOf(17) } },
  { event: { type: 'delete-folder', location: at('in/deeper/a/empty') } },
  { event: { type: 'delete', documentId: other, location: at('in/deeper/a/other.md') } },
  { event: { type: 'erase' } },
  {
    event: { type: 'create', location: at('two/a.md'), mediaType: 'text/markdown' },
    files: [file('two/a.md', 'a')],
  },
  {
    event: { type: 'create', location: at('two/b.md'), mediaType: 'text/markdown' },
    files: [file('two/b.md', 'b')],
  },
  { event: { type: 'delete-folder', location: at('two') } },
  {
    event: {
      type: 'undelete-folder',
      location: at('two'),
      kept: [],
      restored: [{ documentId: first, mediaType: 'text/markdown', location: at('two/a.md') }],
    },
    files: [file('two/a.md', 'a')],
  },
  { event: { type: 'move', documentId: deep, from: at('in/deeper/a/b/deep.md'), to: at('top.md') } },
  { event: { type: 'create-folder', location: at('keep/me') } },
  { event: mirror([]), files: [file('keep/me/a', 'x', 'text/x'), file('keep/me/f/b', 'b', 'text/x')] },
  {
    event: mirror([{ documentId: moved ?? '', from: at('keep/me/a'), to: at('keep/me/g/a') }]),
    files: [file('keep/me/g/a', 'y', 'text/x'), file('keep/me/a', 'z', 'text/x')],
    gone: [at('keep/me/f/b')],
  },
  {
    event: {
      type: 'push',
      mediaTypes: { usual: 'text/markdown', others: new Map() },
      moved: [
        { documentId: plan, from: at('map.md'), to: at('top.md') },
        { documentId: deep, from: at('top.md'), to: at('map.md') },
      ],
    },
    files: [file('top.md', 'pushed'), file('new/pushed.md', 'n')],
    gone: [at('in/x.png')],
    message: 'From a clone',
  },
  { event: { type: 'create-folder', location: at('gone/kept') } },
  { event: { type: 'delete-folder', location: at('gone') } },
  { event: { type: 'undelete-folder', location: at('gone'), kept: [at('gone/kept')], restored: [] } },
];

/** The rows of a projection of the scenario, one line each. Documents go by the order of their creation. */
export function projectScenario(project: typeof Project): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'cartulary-projection-'));
  try {
    const path = join(folder, 'sidecar.sqlite');
    const sidecar = openSidecar(path, schemaPath('sidecar'));
    sidecar.sqlTransaction.begin();
    for (const id of ['ada', 'bob']) {
      sidecar.writer.principals.insert({ id, kind: 'person', displayName: id, createdAt: 0, disabledAt: null });
    }
    for (const [index, { event, files = [], gone: left = [], message = null }] of scenario.entries()) {
      const number = index + 1;
      const id = number % 2 === 0 ? 'bob' : 'ada';
      const recorded: RecordedEvent = {
        event,
        commit: commitOf(number),
        versionId: versionOf(number),
        at: number * 1000,
        author: { id, kind: 'person', displayName: id },
        message,
        originalAuthor: null,
      };
      runAtOnce(project(sidecar.writer, recorded, { files, gone: left }, number));
    }
    sidecar.sqlTransaction.commit();
    sidecar.close();
    return describeRows(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const names = new Map(
  [plan, deep, other, page, picture, last, first, second, moved, gone, follower, pushed].map((id, index) => [
    id,
    `document ${index + 1}`,
  ]),
);
const paths = `WITH RECURSIVE place (number, path) AS (
  SELECT number, name FROM folder WHERE number = 1
  UNION ALL SELECT f.number, trim(place.path || '/' || f.name, '/') FROM folder f JOIN place ON f.parent = place.number)`;

const queries: Readonly<Record<string, string>> = {
  folder: `${paths} SELECT path, kept FROM place JOIN folder USING (number) WHERE path <> '' ORDER BY path`,
  document: `${paths} SELECT d.id, place.path, d.name, d.created_at, d.sequence, d.deleted_at, d.deleted_by, d.deleted_commit,
    d.deleted_location FROM document d LEFT JOIN place ON place.number = d.folder ORDER BY d.number`,
  version: `SELECT d.id, v.sequence, v.id AS version, v.commit_oid, v.blob_oid, v.sha256, v.size, v.kind, v.media_type, v.location,
    v.author, v.at, v.operation, v.message, v.moment FROM version v JOIN document d ON d.number = v.document
    ORDER BY d.number, v.sequence`,
  relocation: `SELECT d.id, r.commit_oid, r.operation, r.from_location, r.to_location, r.author, r.at, r.moment
    FROM relocation r LEFT JOIN document d ON d.number = r.document ORDER BY r.number`,
  deletion: `SELECT d.id, e.moment, e.commit_oid, e.location, e.folder, e.author, e.at
    FROM deletion e JOIN document d ON d.number = e.document ORDER BY e.moment, d.number`,
  'folder deletion': 'SELECT moment, commit_oid, location, author, at FROM folder_deletion ORDER BY moment',
  'deleted folder': 'SELECT location, deletion FROM deleted_folder ORDER BY location',
};

function describeRows(path: string): string[] {
  const connection = new Sqlite(path, { readonly: true });
  try {
    return Object.entries(queries).flatMap(([table, sql]) =>
      connection
        .prepare<[], Record<string, string | number | null>>(sql)
        .all()
        .map((row) => [`${table}:`, ...Object.values(row).map(show)].join(' ')),
    );
  } finally {
    connection.close();
  }
}

/** Ids of documents by their names, and zeros in front of SHAs left out. */
function show(value: string | number | null): string {
  if (value === null) return '-';
  const text = names.get(String(value)) ?? String(value);
  return text.replace(/^0{8,}/, '#').replaceAll('\0', '~');
}
