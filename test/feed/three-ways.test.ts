import assert from 'node:assert/strict';
import { parseFolderLocation } from '../../lib/domain/location.js';
import { createWebhook } from '../../lib/operations/webhooks/create-webhook.js';
import { perform } from '../../lib/operations/perform.js';
import { McpStream } from '../support/http/mcp-stream.js';
import { openMcpServer, type McpTestServer } from '../support/http/open-mcp.js';
import type { HttpClient } from '../support/http/server.js';
import { Client } from '../support/store/client.js';
import { eraseAt } from '../support/store/erase-at.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';
import { Receiver, type Received } from '../support/webhooks/receiver.js';

/** Changes of what a document's address leads to. */
const ofContent = /^(?:created|updated|renamed|moved|deleted|undeleted|restored|entered|left)$/;

describe('The feed, a webhook and an MCP subscription', () => {
  let server: McpTestServer;
  let receiver: Receiver;
  let ada: Client;
  let rest: HttpClient;
  let listening: McpStream;
  let cursor: string;
  /** Where documents were, as REST told it. */
  const places = new Map<string, string>();

  before(async () => {
    receiver = await Receiver.open();
    server = await openMcpServer({ webhooks: { hosts: [receiver.host] } });
    const { host } = server;
    ada = new Client(host.workspace, operator.principalId);
    for (const folder of ['team', 'team/sub', 'secret']) await ada.createFolder(folder);
    for (const path of ['team/sub/c.md', 'team/sub/d.md', 'secret/s.md', 'secret/t.md']) await ada.create(path);
    const { id, key } = await host.person('approver', 'team', 'Low');
    const low = new Client(host.workspace, id);
    rest = server.as(key);
    await host.service.startSchedules();
    const { url } = receiver;
    const hook = { name: 'Index', url, location: parseFolderLocation('team'), kinds: null };
    await perform(host.workspace, low.caller, createWebhook, hook);
    // The last one is erased, and its place is told to nobody who did not name it.
    const resourceSubscriptions = [uriOf('team'), uriOf('team/from-secret.md')];
    listening = await McpStream.open(server.rest.url, await host.key(id, ['mcp']), { resourceSubscriptions });
    const listed = await rest.get('/v1/changes?location=team');
    for (const { document } of listed.json.items) places.set(document.id, document.location);
    cursor = listed.json.next_cursor;
    assert.deepEqual([...places.values()], ['team/sub/c.md', 'team/sub/d.md']);
  });
  after(async () => {
    listening.leave();
    await server.close();
    await receiver.close();
  });

  it('tell the same changes of the same documents, and hidden ones to nobody', async () => {
    const a = 'team/a.md';
    await step([`created ${a}`], () => ada.create(a, 'One.\n'));
    await step([`updated ${a}`], () => ada.update(a, 'Two.\n'));
    await step([], () => ada.update('secret/s.md', 'hidden'));
    await step([`label_set ${a}`], () => ada.labels('add', a, 'draft'));
    await step([`comment_added ${a}`], () => ada.comment(a, 'Why?'));
    let claim = '';
    await step([`claimed ${a}`], async () => void (claim = (await ada.claim(a)).id));
    await step([`claim_ended ${a}`], () => ada.release(claim));
    await step(['renamed team/b.md'], () => ada.rename(a, 'b.md'));
    await step(['restored team/b.md'], async () => {
      const first = (await ada.history('team/b.md')).items.findLast((entry) => entry.type === 'version');
      await ada.restore('team/b.md', first?.type === 'version' ? first.version.id : '');
    });
    await step(['moved team/sub/b.md'], () => ada.move('team/b.md', 'team/sub'));
    await step(['renamed team/low/b.md', 'renamed team/low/c.md', 'renamed team/low/d.md'], () =>
      ada.rename('team/sub', 'low', true),
    );
    await step(['deleted team/low/c.md'], () => ada.delete('team/low/c.md'));
    await step([], () => ada.delete('secret/t.md'));
    await step(['undeleted team/low/c.md'], () => ada.undelete('team/low/c.md'));
    await step(['left team/low/d.md'], () => ada.move('team/low/d.md', 'secret', true));
    await step([], () => ada.rename('secret/s.md', 'from-secret.md'));
    await step(['entered team/from-secret.md'], () => ada.move('secret/from-secret.md', 'team', true));
    await step(['left -'], () => eraseAt(server.host.workspace, 'team/from-secret.md'));
    await step(['created team/last.md'], () => ada.create('team/last.md'));
  });

  async function poll(): Promise<Told[]> {
    const items: Told[] = [];
    for (;;) {
      const { json } = await rest.get(`/v1/changes?location=team&cursor=${cursor}`);
      cursor = json.next_cursor;
      if (json.items.length === 0) return items;
      items.push(
        ...(json.items as Told[]).map(({ id, kind, document, version, actor }) => ({
          id,
          kind,
          document,
          version,
          actor,
        })),
      );
    }
  }

  /** What the webhook told, once each: an erase breaks the message about its document off, which then comes again. */
  function posted(): Received[] {
    return [...new Map(receiver.received.map((each) => [each.headers['webhook-id'], each])).values()];
  }

  /** Does one thing, and compares what came of it in the three ways. */
  async function step(expected: readonly string[], does: () => Promise<unknown>): Promise<void> {
    const [before, said] = [posted().length, listening.told.length];
    await does();
    const items = await poll();
    assert.deepEqual(
      items.map(({ kind, document }) => `${kind} ${document.location ?? '-'}`),
      expected,
    );
    await until('the webhook has told it', () => posted().length >= before + items.length);
    const hooked = posted()
      .slice(before)
      .map(({ body }) => {
        const { type, data } = JSON.parse(body);
        const { id, document, version, actor } = data;
        return { id, kind: type.replace('document.', ''), document, version, actor };
      });
    assert.deepEqual(hooked, items);

    const addresses = new Set<string>();
    for (const { kind, document } of items) {
      if (!ofContent.test(kind)) continue;
      for (const place of [places.get(document.id), document.location]) if (place) addresses.add(uriOf(place));
      if (kind === 'left' || kind === 'deleted') places.delete(document.id);
      else if (document.location !== null) places.set(document.id, document.location);
    }
    const told = (): string[] => [...new Set(listening.told.slice(said))].toSorted();
    await until(
      () => `the subscription told ${JSON.stringify([...addresses])}, not ${JSON.stringify(told())}`,
      () => told().length >= addresses.size,
    );
    assert.deepEqual(told(), [...addresses].toSorted(), expected.join());
  }
});

const uriOf = (location: string): string => `cartulary://doc/${location}`;

/** What REST and webhooks both say of a change. */
interface Told {
  readonly id: string;
  readonly kind: string;
  readonly document: { readonly id: string; readonly location: string | null; readonly etag: string | null };
  readonly version: string | null;
  readonly actor: object | null;
}
