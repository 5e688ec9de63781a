import { applyCreateFolder } from '../../../lib/operations/folders/create-folder.js';
import type { Caller } from '../../../lib/domain/caller.js';
import { parseLocation, type Location } from '../../../lib/domain/location.js';
import type { EventFile } from '../../../lib/history/projection.js';
import {
  mirrorSource,
  type MirrorResult,
  type MirrorSourceInput,
} from '../../../lib/operations/connectors/mirror-source.js';
import { guessMediaType } from '../../../lib/operations/documents/content.js';
import { perform } from '../../../lib/operations/perform.js';
import { findFolder } from '../../../lib/view/locate.js';
import type { MirrorEntry } from '../../../lib/sidecar/tables/mirror-entry-table.js';
import type { Workspace } from '../../../lib/workspace/workspace.js';
import { operator } from './service.js';

/** What a source has changed. Paths lie below the mirror's folder. */
export interface SourceChange {
  /** Texts by path. */
  readonly written?: Readonly<Record<string, string>>;
  /** Old paths and new ones. */
  readonly moved?: Readonly<Record<string, string>>;
  readonly deleted?: readonly string[];
  readonly version?: string;
  /** Left out: its own. */
  readonly connectorId?: string;
  readonly entries?: Partial<MirrorSourceInput['entries']>;
  /** Called when everything was read, and nothing is shown or committed yet. */
  readonly whenRead?: () => Promise<unknown>;
}

export async function* inOnePiece(text: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof text === 'string' ? Buffer.from(text) : text;
}

export const entryOf = (path: string, more: Partial<MirrorEntry> = {}): MirrorEntry => ({
  path,
  sourceId: null,
  version: '1',
  reason: null,
  detail: null,
  ...more,
});

/** A folder that a connector mirrors into, without a source: what it found is told to it. */
export class TestMirror {
  readonly workspace: Workspace;
  readonly folder: Location;
  readonly caller: Caller;

  private constructor(workspace: Workspace, folder: Location, id: string) {
    this.workspace = workspace;
    this.folder = folder;
    this.caller = {
      principalId: id,
      kind: 'connector',
      credentialId: null,
      interface: 'connector',
      requestId: 'req_run',
    };
  }

  static async open(workspace: Workspace, folder: string, id = 'prn_con00000000000000000000000'): Promise<TestMirror> {
    const location = parseLocation(folder);
    await workspace.journal.write({
      run: (transaction) => {
        const { tables, now } = transaction;
        tables.principals.insert({ id, kind: 'connector', displayName: 'Docs', createdAt: now, disabledAt: null });
        applyCreateFolder(workspace.openWriteContext(transaction, operator), location);
        const found = findFolder(tables, location);
        if (found !== undefined) tables.folders.setMirror(found.row.number, id);
        const settings = { url: 'https://example.com/docs.git' };
        const connector = { id, kind: 'git', location, settings, secret: null, interval: 3_600_000 } as const;
        tables.connectors.insert({ ...connector, createdAt: now, createdBy: operator.principalId });
      },
    });
    return new TestMirror(workspace, location, id);
  }

  at(path: string): Location {
    return `${this.folder}/${path}` as Location;
  }

  /** Mirrors what the source has changed. */
  async sync({
    written = {},
    moved = {},
    deleted = [],
    version,
    connectorId,
    entries = {},
    whenRead,
  }: SourceChange): Promise<MirrorResult> {
    const stage = this.workspace.stages.open({ type: 'connector', id: this.caller.principalId });
    try {
      const files: EventFile[] = [];
      for (const [path, text] of Object.entries(written)) {
        const content = await stage.add(inOnePiece(text));
        files.push({ location: this.at(path), content, mediaType: guessMediaType(path, content) });
      }
      await whenRead?.();
      await stage.show();
      const { result } = await perform(this.workspace, this.caller, mirrorSource, {
        connectorId: connectorId ?? this.caller.principalId,
        generation: this.workspace.journal.reader.connectors.byId(this.caller.principalId)?.generation ?? 1,
        written: files,
        moved: Object.entries(moved).map(([from, to]) => ({ from: this.at(from), to: this.at(to) })),
        maxDeleted: Number.POSITIVE_INFINITY,
        deleted: deleted.map((path) => this.at(path)),
        entries: {
          put: [...Object.keys(written), ...Object.values(moved)].map((path) => entryOf(path)),
          remove: [...deleted, ...Object.keys(moved)],
          ...entries,
        },
        reached: { sourceVersion: version ?? null, isPartial: false, cursor: 'cursor' },
      });
      return result;
    } finally {
      await stage.close();
    }
  }
}
