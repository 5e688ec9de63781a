import assert from 'node:assert/strict';
import { runCommand } from '../../lib/commands/carrier/run-command.js';
import { addClient, type Client } from '../support/store/client.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('the command line on readers, briefs and messages', () => {
  let service: TestService;
  let ada: Client;

  beforeEach(async () => {
    service = await openTestService();
    ada = await addClient({ service, workspace: service.workspace }, 'Ada', 'editor', 'team');
    await ada.create('team/a.md');
  });
  afterEach(() => service.close());

  it('lists the readers of a place, whether it exists or not', async () => {
    const group = await service.group('Crew', { type: 'principal', id: ada.id });
    await service.grant('reader', { type: 'group', id: group }, '');
    const via = [
      { role: 'reader', scope_type: 'folder', scope_id: '', groups: [{ id: group, display_name: 'Crew' }] },
      { role: 'editor', scope_type: 'folder', scope_id: 'team', groups: [] },
    ];
    const principal = { id: ada.id, kind: 'person', display_name: 'Ada' };
    const expected = { items: [{ principal, role: 'editor', via }] };
    assert.deepEqual(await run('readers', { location: 'team/a.md' }), expected);
    assert.deepEqual(await run('readers', { location: 'team/new/b.md' }), expected);
    assert.deepEqual(await run('readers', { location: 'a//b' }), { refused: 'INVALID_REQUEST' });
  });

  it('lists the changes since the last brief, or since a time', async () => {
    const brief = async (fields: Shown = {}): Promise<unknown[]> =>
      ((await run('brief', fields))['items'] as Shown[]).map(({ what, where, by }) => [what, where, by]);
    assert.deepEqual(await brief(), [['created', 'team/a.md', 'Ada']]);
    service.clock.advance(10 * 60_000);
    assert.deepEqual(await brief(), []);
    service.clock.advance(10 * 60_000);
    await ada.rename('team/a.md', 'b.md');
    assert.deepEqual(await brief({ keep: true, location: 'elsewhere' }), []);
    assert.deepEqual(await brief({ keep: true }), [['moved', 'team/a.md > team/b.md', 'Ada']]);
    assert.deepEqual(await brief({ since: '1h' }), [['created', 'team/b.md', 'Ada']]);
    assert.deepEqual(await run('brief', { since: 'soon' }), { refused: 'INVALID_REQUEST' });
  });

  it('sends as the operator, and lists the replies', async () => {
    const sent = await run('message.send', { to: ada.id, subject: 'Tonight', text: 'Restart.', about: 'team/a.md' });
    assert.deepEqual(await ada.mail(), ['Operator: Restart. [team/a.md] *']);
    await ada.send(undefined, 'Fine.', { threadId: String(sent['thread_id']) });
    const [answer] = (await run('message.list', {}))['items'] as Shown[];
    assert.deepEqual(
      [(answer?.['from'] as Shown | undefined)?.['display_name'], answer?.['preview'], answer?.['subject']],
      ['Ada', 'Fine.', 'Tonight'],
    );
    const thread = (await run('message.list', { thread: sent['thread_id'] }))['items'] as Shown[];
    assert.deepEqual(
      thread.map(({ text }) => text),
      ['Fine.', 'Restart.'],
    );
    assert.equal(((await run('message.list', { sent: true }))['items'] as Shown[]).length, 1);
    assert.deepEqual(await run('message.send', { to: 'prn_none', subject: 'x', text: 'x' }), { refused: 'NOT_FOUND' });
    assert.deepEqual(await run('message.send', { text: 'x' }), { refused: 'INVALID_REQUEST' });
  });

  async function run(command: string, fields: Shown): Promise<Shown> {
    const { clock, workspace, service: opened } = service;
    const host = {
      clock,
      randomness: workspace.randomness,
      people: opened.people,
      file: opened.file,
      dataFolder: null,
      names: () => ['acme'],
      find: () => workspace,
      addWorkspace: (name: string) => opened.addWorkspace(name),
      listWorkspaces: () => opened.listWorkspaces(),
      removeWorkspace: (name: string) => opened.removeWorkspace(name),
      readiness: () => opened.readiness(),
      findLags: () => opened.findLags(),
      findFaults: () => opened.findFaults(),
    };
    const answer = await runCommand(
      { command, fields },
      {
        host,
        server: null,
        address: 'http://127.0.0.1:8080',
        onProgress: () => Promise.resolve(),
        signal: new AbortController().signal,
        onFault: (what: string, cause: unknown) => assert.fail(`${what}: ${String(cause)}`),
      },
    );
    return ('error' in answer ? { refused: answer.error.code } : answer.result) as Shown;
  }
});

type Shown = Record<string, unknown>;
