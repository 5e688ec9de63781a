import assert from 'node:assert/strict';
import type { Caller } from '../../lib/domain/caller.js';
import { parseFolderLocation, rootLocation } from '../../lib/domain/location.js';
import { exportFolder, type FolderExport } from '../../lib/operations/folders/export-folder.js';
import { perform } from '../../lib/operations/perform.js';
import { searchDocuments } from '../../lib/operations/documents/search-documents.js';
import { addClient, type Client } from '../support/store/client.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';
import { gather } from '../support/gather.js';

describe('the record', () => {
  let test: TestService;
  let ada: Client;
  let caller: Caller;

  beforeEach(async () => {
    test = await openTestService();
    ada = await addClient({ service: test, workspace: test.workspace }, 'Ada', 'editor');
    for (const name of ['a', 'b', 'c']) await ada.create(`f/${name}.md`, `text ${name}`);
    await ada.create('f/large.bin', 'large'.repeat(600_000));
    caller = { ...operator, requestId: 'req_export' };
  });
  afterEach(() => test.close());

  const whole = 3 * 'text a'.length + 5 * 600_000;

  it('of an export names the commit at its beginning, and how much has left at its end', async () => {
    const exported = await start();
    const version = test.workspace.journal.state.head;
    assert.deepEqual(await recorded(1), [{ action: 'folder.export', version, target: 'f', detail: null }]);
    await take(exported, 9);
    await ada.create('f/later.md', 'not in it');
    exported.close();
    exported.close();
    const [, end, ...others] = await recorded(2);
    const detail = { documents: 4, bytes: whole };
    assert.deepEqual(end, { action: 'folder.exported', version, target: 'f', detail });
    assert.deepEqual(others, []);
  });

  it('of an export that is broken off records how much had left', async () => {
    const exported = await start();
    await take(exported, 2);
    exported.close();
    const [, end] = await recorded(2);
    assert.deepEqual(end?.detail, { documents: 2, bytes: 2 * 'text a'.length, broken_off: true });
  });

  it('of an export that is broken off in the middle of a document counts the part that had left', async () => {
    const exported = await start();
    const all = await gather(exported.documents);
    const content = await all.find(({ document }) => document.name === 'large.bin')?.open();
    assert.ok(content !== undefined && !Buffer.isBuffer(content));
    for await (const piece of content) {
      assert.ok(piece);
      break;
    }
    exported.close();
    const [, end] = await recorded(2);
    const { bytes = 0, ...others } = (end?.detail ?? {}) as { bytes?: number };
    assert.deepEqual(others, { documents: 0, broken_off: true });
    assert.ok(bytes > 0 && bytes < whole, `${bytes}`);
  });

  it('of a search names the searched commit', async () => {
    const version = test.workspace.journal.state.head;
    const query = { query: 'text', labels: [], limit: 2, position: null };
    await perform(test.workspace, caller, searchDocuments, { ...query, location: parseFolderLocation('f') });
    await perform(test.workspace, caller, searchDocuments, { ...query, query: 'nowhere', location: rootLocation });
    assert.deepEqual(await recorded(2), [
      { action: 'document.search', version, target: 'text', detail: { folder: 'f' } },
      { action: 'document.search', version, target: 'nowhere', detail: {} },
    ]);
  });

  const start = async (): Promise<FolderExport> =>
    (await perform(test.workspace, caller, exportFolder, { location: parseFolderLocation('f') })).result;

  /** The log's record of the request, once it has so many parts. */
  async function recorded(entries: number): Promise<Recorded[]> {
    for (;;) {
      const { audit } = test.workspace.journal.reader;
      const found = audit.after(0, 1000).filter(({ request_id: id }) => id === caller.requestId);
      if (found.length >= entries) {
        return found.map(({ seq, action, version }) => {
          const text = audit.textOf(seq);
          return { action, version, target: text?.target, detail: JSON.parse(text?.detail ?? 'null') as unknown };
        });
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Takes so many documents, whole. */
  async function take({ documents }: FolderExport, count: number): Promise<void> {
    let taken = 0;
    for await (const each of documents) {
      if (taken === count) return;
      const content = await each.open();
      if (!Buffer.isBuffer(content)) for await (const piece of content) assert.ok(piece);
      taken += 1;
    }
  }
});

interface Recorded {
  readonly action: string;
  readonly version: string | null;
  readonly target: string | null | undefined;
  readonly detail: unknown;
}
