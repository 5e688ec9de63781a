import type { Listing, Source, SourceEntry, SourceFile, SourceKind } from '../../../lib/connectors/source.js';
import { UnreadableFile } from '../../../lib/connectors/source.js';

/** A file of a scripted source. */
export interface ScriptedFile {
  readonly content: Buffer;
  readonly version: string;
  readonly id?: string;
}

/** What can be asked of a source. */
type Question = 'open' | 'probe' | 'list' | 'read';

/**
 * A source in memory, with everything that sources do to a sync. It keeps the whole contract of a source, and a test
 * decides when it fails, and how.
 */
export class ScriptedSource {
  readonly files = new Map<string, ScriptedFile>();
  /** Listed beside the files. */
  others: SourceEntry[] = [];
  /** Null where it knows no cursors. Every change gives the next one. */
  cursor: number | null = 1;
  /** Lists changes since the cursor. */
  listsChanges = false;
  /** The oldest cursor whose changes it still knows. */
  oldestCursor = 0;
  /** What it answers with. Thrown once, and then no more. */
  readonly faults: Partial<Record<Question, Error>> = {};
  /** Thrown by every read of these paths. */
  readonly unreadable = new Map<string, Error>();
  /** Entries after which a listing ends with an error. */
  truncatedAfter = Number.POSITIVE_INFINITY;
  /** Called before each answer. A promise that never settles is a silent source. */
  before: (question: Question, path?: string) => Promise<void> | void = () => undefined;
  /** Everything that was asked, such as `read a.md`. */
  readonly asked: string[] = [];
  openNow = 0;
  /** Files read at once, at most. */
  readsAtMost = 0;
  readonly #changes: { readonly at: number; readonly entry: SourceEntry }[] = [];
  readonly #revisions = new Map<string | undefined, number>();
  #readsNow = 0;

  /** The version of a file with an id counts the states of that file alone, as in many stores. */
  put(path: string, content: string | Buffer = `text of ${path}\n`, id?: string): void {
    const revision = (this.#revisions.get(id) ?? 0) + 1;
    this.#revisions.set(id, revision);
    const file = { content: Buffer.from(content), version: `v${revision}`, ...(id === undefined ? {} : { id }) };
    this.#place(path, file);
  }

  remove(path: string): void {
    const id = this.files.get(path)?.id;
    this.files.delete(path);
    this.note(id === undefined ? { type: 'removed', path } : { type: 'removed', id, path });
  }

  /** The content, its version and its id stay. A file that was there is gone. */
  move(from: string, to: string): void {
    const file = this.files.get(from);
    if (file === undefined) throw new Error(`There is no file ${from}.`);
    this.files.delete(from);
    if (file.id === undefined) this.note({ type: 'removed', path: from });
    this.#place(to, file);
  }

  #place(path: string, file: ScriptedFile): void {
    const before = this.files.get(path)?.id;
    this.files.set(path, file);
    this.note(fileOf(path, file));
    if (before !== undefined && before !== file.id) this.note({ type: 'removed', id: before });
  }

  /** Adds to the changes. */
  note(entry: SourceEntry): void {
    if (this.cursor === null) return;
    this.cursor += 1;
    this.#changes.push({ at: this.cursor, entry });
  }

  readonly kind: SourceKind = {
    settingsSchema: { type: 'object' },
    secretMeans: 'a password',
    readsAtOnce: 4,
    describe: () => 'a scripted source',
    open: async () => {
      await this.#answer('open');
      this.openNow += 1;
      return this.#opened();
    },
  };

  async #answer(question: Question, path?: string): Promise<void> {
    this.asked.push(path === undefined ? question : `${question} ${path}`);
    await this.before(question, path);
    const fault = this.faults[question];
    delete this.faults[question];
    if (fault !== undefined) throw fault;
  }

  #opened(): Source {
    return {
      check: () => Promise.resolve('It is there.'),
      probe: async (cursor) => {
        await this.#answer('probe');
        return cursor === String(this.cursor) ? 'unchanged' : 'maybe_changed';
      },
      list: async (cursor) => {
        await this.#answer('list');
        return this.#list(cursor);
      },
      read: (file) => this.#read(file),
      close: () => {
        this.openNow -= 1;
        return Promise.resolve();
      },
    };
  }

  #list(cursor: string | null): Listing {
    const isDelta = this.listsChanges && cursor !== null && Number(cursor) >= this.oldestCursor;
    const listed = isDelta
      ? lastOfEach(this.#changes.filter(({ at }) => at > Number(cursor)).map(({ entry }) => entry))
      : [...[...this.files].map(([path, file]) => fileOf(path, file)), ...this.others];
    const reached = this.cursor;
    const truncatedAfter = this.truncatedAfter;
    return {
      mode: isDelta ? 'delta' : 'snapshot',
      entries: inParts(listed, truncatedAfter),
      cursor: () => (reached === null ? null : String(reached)),
      version: () => `state ${reached}`,
    };
  }

  async *#read({ path }: SourceFile): AsyncGenerator<Uint8Array> {
    this.#readsNow += 1;
    this.readsAtMost = Math.max(this.readsAtMost, this.#readsNow);
    try {
      await this.#answer('read', path);
      const broken = this.unreadable.get(path);
      if (broken !== undefined) throw broken;
      const file = this.files.get(path);
      if (file === undefined) throw new UnreadableFile('unreadable', 'It is gone.');
      for (let at = 0; at < file.content.length; at += pieceLength) yield file.content.subarray(at, at + pieceLength);
    } finally {
      this.#readsNow -= 1;
    }
  }
}

const pieceLength = 64 * 1024;

function fileOf(path: string, { content, version, id }: ScriptedFile): SourceFile {
  return { type: 'file', path, version, size: content.length, ...(id === undefined ? {} : { id }) };
}

/** Where all files have ids, stores tell the last change of each, in an order of their own. */
function lastOfEach(changes: readonly SourceEntry[]): SourceEntry[] {
  const last = new Map<string, SourceEntry>();
  for (const change of changes) {
    const id = 'id' in change ? change.id : undefined;
    if (id === undefined) return [...changes];
    last.set(id, change);
  }
  return [...last].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, change]) => change);
}

async function* inParts(entries: readonly SourceEntry[], truncatedAfter: number): AsyncGenerator<SourceEntry[]> {
  for (let at = 0; at < entries.length; at += 500) {
    if (at + 500 > truncatedAfter) {
      yield entries.slice(at, truncatedAfter);
      throw new Error('The connection was closed in the middle of the listing.');
    }
    yield entries.slice(at, at + 500);
  }
}
