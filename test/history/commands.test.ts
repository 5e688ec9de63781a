import assert from 'node:assert/strict';
import { toDocumentRecord } from '../../lib/records/document-record.js';
import type { HistoryRecord } from '../../lib/records/history-record.js';
import { runCommand } from '../../lib/commands/carrier/run-command.js';
import { addClient, type Client } from '../support/store/client.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('the command line on documents, folders, claims and comments', () => {
  let service: TestService;
  let ada: Client;

  beforeEach(async () => {
    service = await openTestService();
    ada = await addClient({ service, workspace: service.workspace }, 'Ada', 'editor');
  });
  afterEach(() => service.close());

  it('shows a history and a diff, and restores', async () => {
    const first = (await ada.create('a.md', 'one\n')).current.id;
    await ada.update('a.md', 'two\n');
    const { items } = await run('document.history', { location: 'a.md' });
    assert.deepEqual(
      (items as HistoryRecord[]).map((entry) => [
        entry.operation,
        entry.principal.display_name,
        entry.type === 'version' && entry.location,
      ]),
      [
        ['update', 'Ada', 'a.md'],
        ['create', 'Ada', 'a.md'],
      ],
    );
    assert.equal((await run('document.diff', { location: 'a.md' }))['diff'], '@@ -1,1 +1,1 @@\n-one\n+two\n');
    assert.equal((await run('document.restore', { location: 'a.md', version: first }))['restored'], first);
    assert.equal(await ada.read('a.md'), 'one\n');
    assert.deepEqual(await run('document.restore', { location: 'a.md', version: 'x' }), { refused: 'INVALID_REQUEST' });
    assert.deepEqual(await run('document.history', { location: 'none.md' }), { refused: 'NOT_FOUND' });
  });

  it('deletes a folder, undeletes it, and reverts the preview', async () => {
    await ada.create('f/a.md', 'one');
    assert.equal((await run('folder.delete', { location: 'f' }))['documents'], 1);
    assert.equal((await run('folder.undelete', { location: 'f' }))['documents'], 1);
    service.clock.advance(3_600_000);
    await ada.update('f/a.md', 'bad');
    const fields = { location: '', principal: ada.id, since: '10m' };
    const [step] = (await run('folder.revert', fields))['items'] as Record<string, unknown>[];
    assert.deepEqual([step?.['action'], step?.['location']], ['restore', 'f/a.md']);
    const since = new Date(service.clock.now() - 600_000).toISOString();
    assert.equal((await run('folder.revert', { ...fields, since, apply: step?.['apply'] }))['documents'], 1);
    assert.equal(await ada.read('f/a.md'), 'one');
    assert.deepEqual(await run('folder.revert', { ...fields, since: 'soon' }), { refused: 'INVALID_REQUEST' });
  });

  it('lists and breaks claims, which the record over REST shows, and lists comments', async () => {
    await ada.create('a.md', '# One\n');
    const { id, expiresAt } = await ada.claim('a.md', 'one');
    assert.deepEqual((toDocumentRecord(await ada.record('a.md')) as { claim: unknown }).claim, {
      holder: { id: ada.id, kind: 'person', display_name: 'Ada' },
      section: 'one',
      expires_at: new Date(expiresAt).toISOString(),
    });
    assert.equal(((await run('claim.list', {}))['items'] as { id: string }[])[0]?.id, id);
    assert.equal((await run('claim.break', { location: 'a.md', claim: id }))['broken'], true);
    assert.deepEqual(await run('claim.list', {}), { items: [] });
    assert.equal((toDocumentRecord(await ada.record('a.md')) as { claim: unknown }).claim, null);
    await ada.comment('a.md', 'why?', { passage: { quote: 'One' } });
    const [comment] = (await run('comment.list', { location: 'a.md', open: true }))['items'] as {
      readonly author: { readonly display_name: string };
      readonly anchor: { readonly line: number };
      readonly resolved: unknown;
      readonly text: string;
    }[];
    assert.deepEqual(
      [comment?.author.display_name, comment?.anchor.line, comment?.resolved, comment?.text],
      ['Ada', 1, null, 'why?'],
    );
  });

  const hostOf = ({ clock, workspace, service: opened }: TestService) => ({
    clock,
    randomness: workspace.randomness,
    people: opened.people,
    file: opened.file,
    readiness: () => opened.readiness(),
    findLags: () => opened.findLags(),
    findFaults: () => opened.findFaults(),
    dataFolder: null,
    find: () => workspace,
    addWorkspace: (name: string) => opened.addWorkspace(name),
    listWorkspaces: () => opened.listWorkspaces(),
    removeWorkspace: (name: string) => opened.removeWorkspace(name),
  });

  async function run(command: string, fields: Record<string, unknown>): Promise<Record<string, unknown>> {
    const host = { ...hostOf(service), names: () => ['acme'] };
    const options = {
      host,
      server: null,
      address: 'http://127.0.0.1:8080',
      onProgress: () => Promise.resolve(),
      signal: new AbortController().signal,
      onFault: (what: string, cause: unknown) => assert.fail(`${what}: ${String(cause)}`),
    };
    const answer = await runCommand({ command, fields }, options);
    return ('error' in answer ? { refused: answer.error.code } : answer.result) as Record<string, unknown>;
  }
});
