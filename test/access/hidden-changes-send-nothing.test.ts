import assert from 'node:assert/strict';
import { rootLocation } from '../../lib/domain/location.js';
import { McpStream } from '../support/http/mcp-stream.js';
import { openMcpServer, type McpTestServer } from '../support/http/open-mcp.js';
import { addClient, type Client } from '../support/store/client.js';
import { eraseAt } from '../support/store/erase-at.js';
import { until } from '../support/until.js';

describe('A hidden change', () => {
  let server: McpTestServer;
  let ada: Client;
  let key: string;
  let low: string;
  const leaving = new AbortController();

  before(async () => {
    server = await openMcpServer();
    ada = await addClient({ service: server.host, workspace: server.host.workspace }, 'Ada', 'approver', '');
    for (const folder of ['team', 'secret', 'secret/deep']) await ada.createFolder(folder);
    for (const path of ['team/a.md', 'team/granted.md', 'secret/s.md', 'secret/deep/d.md', 'secret/e.md']) {
      await ada.create(path, 'One.\n');
    }
    low = await server.host.principal('Low');
    await server.host.grant('approver', { type: 'principal', id: low }, 'team');
    // A grant on a document makes the longer way through the rows necessary.
    await server.host.grant('reader', { type: 'principal', id: low }, 'team/granted.md', 'document');
    key = await server.host.key(low, ['rest', 'mcp']);
  });
  after(async () => {
    leaving.abort();
    await server.close();
  });

  it('sends not a byte to those who listen, and answers nobody who waits; a seen one reaches all with the same news', async () => {
    const events = await ask('/changes?start=now', 'text/event-stream');
    let streamed = '';
    const reading = (async () => {
      const decoder = new TextDecoder();
      for await (const piece of events.body ?? []) streamed += decoder.decode(piece, { stream: true });
    })().catch(() => undefined);
    const uris = ['cartulary://doc/', 'cartulary://doc/secret/s.md', 'cartulary://doc/secret'];
    const listening = await McpStream.open(server.rest.url, key, {
      resourceSubscriptions: uris,
      resourcesListChanged: true,
    });
    const start = await (await ask('/changes?start=now', 'application/json')).json();
    const polled: Polled[][] = [];
    const polling = (async () => {
      const page = await ask(`/changes?cursor=${(start as { next_cursor: string }).next_cursor}&wait=60`, '*/*');
      polled.push(((await page.json()) as { items: Polled[] }).items);
    })();
    await until('the stream has begun', () => streamed !== '');
    await until('all three listen', () => server.host.workspace.feedTail.size === 3);
    const before = [streamed, listening.text];
    const wakes = { low: 0, ada: 0, checks: 0 };
    const { workspace } = server.host;
    const leaves = [
      { caller: { ...ada.caller, principalId: low }, wake: () => void (wakes.low += 1) },
      { caller: ada.caller, wake: () => void (wakes.ada += 1) },
    ].map(({ caller, wake }) => {
      const reach = () => workspace.view(caller).reach;
      return workspace.feedTail.listen({ location: rootLocation, reach, wake, check: () => void (wakes.checks += 1) });
    });

    const nextLooks = async (): Promise<void> => {
      const looked = wakes.checks;
      await until('the tail has looked again', () => wakes.checks > looked + 1);
    };
    await workInSecret();
    await nextLooks();
    assert.ok(wakes.ada > 0);
    assert.equal(wakes.low, 0);
    // These let everyone look, and say nothing.
    await shareSecret();
    await nextLooks();
    assert.deepEqual([streamed, listening.text], before);
    assert.equal(polled.length, 0);
    for (const leave of leaves) leave();

    await ada.rename('team/a.md', 'z.md');
    await polling;
    await until('both have heard', () => listening.told.length === 3 && streamed.includes('data: '));
    const told = [...streamed.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''));
    const polledItems = polled.flat();
    assert.deepEqual(told, polledItems);
    assert.deepEqual(
      polledItems.map(({ kind, document }) => `${kind} ${document.location}`),
      ['renamed team/z.md'],
    );
    const both = ['cartulary://doc/team/a.md', 'cartulary://doc/team/z.md', 'the list'];
    assert.deepEqual(listening.told.toSorted(), both);
    listening.leave();
    leaving.abort();
    await reading;
  });

  const ask = (path: string, accept: string): Promise<Response> =>
    fetch(`${server.rest.url}/v1${path}`, {
      headers: { Authorization: `Bearer ${key}`, Accept: accept },
      signal: leaving.signal,
    });

  /** Everything that can be done where the caller reaches nothing. */
  async function workInSecret(): Promise<void> {
    await ada.create('secret/new.md', 'x');
    await ada.update('secret/new.md', 'y');
    await ada.labels('add', 'secret/new.md', 'draft');
    await ada.comment('secret/new.md', 'Why?');
    const { id } = await ada.claim('secret/new.md');
    await ada.release(id);
    await ada.rename('secret/new.md', 'newer.md');
    await ada.move('secret/newer.md', 'secret/deep');
    await ada.delete('secret/deep/newer.md');
    await ada.undelete('secret/deep/newer.md');
  }

  /** Changes that may concern anyone: of access, of folders with whatever is granted in them, and erases. */
  async function shareSecret(): Promise<void> {
    const other = await server.host.principal('Somebody');
    const group = await server.host.group('Others');
    await ada.createFolder('secret/moves');
    await ada.create('secret/moves/m.md', 'x');
    await ada.rename('secret/moves', 'moved');
    await server.host.grant('reader', { type: 'group', id: group }, 'secret');
    await ada.deleteFolder('secret/deep');
    await server.host.join(group, { type: 'principal', id: other });
    await server.host.leave(group, { type: 'principal', id: other });
    await server.host.revoke('reader', { type: 'group', id: group }, 'secret');
    await eraseAt(server.host.workspace, 'secret/e.md');
  }
});

interface Polled {
  readonly kind: string;
  readonly document: { readonly location: string };
}
