import assert from 'node:assert/strict';
import { revokeCredential } from '../../lib/operations/credentials/change-credential.js';
import { rootLocation } from '../../lib/domain/location.js';
import { usualBeat } from '../../lib/operations/feed/feed-stream.js';
import { readChanges } from '../../lib/operations/feed/read-feed-pages.js';
import { perform } from '../../lib/operations/perform.js';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { fromOurPage, openConsole, type TestConsole } from '../support/http/console.js';
import { EventStream } from '../support/http/event-stream.js';
import type { HttpAnswer, HttpClient, TestServer } from '../support/http/server.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';

const hour = 3_600_000;

describe('who listens to changes is cut off', () => {
  let console: TestConsole;
  let server: TestServer;
  let ada: HttpClient;
  let reader: { readonly id: string; readonly key: string };
  let stream: EventStream | undefined;

  beforeEach(async () => {
    console = await openConsole();
    ({ server } = console);
    ada = await server.person('approver', '', 'Ada');
    reader = await server.host.person('reader', 'team', 'Rea');
    await ada.create('team/a.md');
  });
  afterEach(async () => {
    stream?.leave();
    await console.close();
  });

  it('with a key that is revoked', async () => {
    const followed = await follow(reader.key);
    const waited = await wait(reader.key);
    const credentialId = reader.key.split('_')[2] ?? '';
    await perform(server.host.workspace, operator, revokeCredential, { credentialId });
    await ada.create('team/b.md');
    await followed.ended();
    assert.equal(followed.messages.length, 1);
    assert.equal((await waited()).refusal, 'UNAUTHENTICATED');
    assert.ok(isNobodyLeft());
  });

  it('with a key that expires', async () => {
    const key = await server.host.key(reader.id, ['rest'], server.host.clock.now() + hour);
    const followed = await follow(key);
    const waited = await wait(key);
    server.host.clock.advance(hour + 1);
    await followed.ended();
    assert.equal((await waited()).refusal, 'UNAUTHENTICATED');
    assert.ok(isNobodyLeft());
  });

  it('with a principal that is disabled', async () => {
    const followed = await follow(reader.key);
    const waited = await wait(reader.key);
    await perform(server.host.workspace, operator, setPrincipalState, { principalId: reader.id, disabled: true });
    await followed.ended();
    assert.doesNotMatch(followed.text, /left|gone/);
    assert.equal((await waited()).refusal, 'UNAUTHENTICATED');
    assert.ok(isNobodyLeft());
  });

  it('with a session of the console that is signed out', async () => {
    const person = await console.person('Cy', 'reader', 'team');
    const path = '/console/api/workspaces/acme/changes';
    stream = await EventStream.open(server.rest.port, path, { Cookie: person.cookie, ...fromOurPage });
    await stream.messagesToCome(1);
    await person.send('DELETE', '/session');
    await stream.ended();
    assert.equal(stream.messages.length, 1);
    assert.ok(isNobodyLeft());
  });

  it('before a page that waited for its turn is given to a revoked key', async () => {
    const { workspace } = server.host;
    const credentialId = reader.key.split('_')[2] ?? '';
    const taken = [1, 2, 3, 4].map(() => workspace.workLimits.feeds.takeNow(`acme/${reader.id}`));
    const { feeds } = workspace.workLimits;
    const take = feeds.take.bind(feeds);
    let hasCome = false;
    feeds.take = (...args) => {
      hasCome = true;
      return take(...args);
    };
    const answer = server.as(reader.key).get('/v1/changes');
    await until('it waits for its turn', () => hasCome);
    await perform(workspace, operator, revokeCredential, { credentialId });
    await ada.create('team/b.md');
    for (const release of taken) release();
    assert.equal((await answer).refusal, 'UNAUTHENTICATED');
  });

  it('not without a sign of life meanwhile, each 15 seconds', async () => {
    assert.equal(usualBeat, 15_000);
    const leaving = new AbortController();
    const { result } = await perform(server.host.workspace, operator, readChanges, {
      location: rootLocation,
      kinds: null,
      after: null,
      limit: 10,
      wait: 0,
      form: 'stream',
      standAside: () => leaving.signal,
      beat: 5,
    });
    const items: unknown[] = [];
    for await (const item of result.stream?.open() ?? []) {
      items.push(item);
      if (items.length === 3) leaving.abort();
    }
    assert.deepEqual(items, ['beat', 'beat', 'beat']);
  });

  const follow = async (key: string): Promise<EventStream> => {
    stream = await EventStream.open(server.rest.port, '/v1/changes', { Authorization: `Bearer ${key}` });
    await stream.messagesToCome(1);
    return stream;
  };

  /** Waits with the key until there is something, in the place of nothing. */
  const wait = async (key: string): Promise<() => Promise<HttpAnswer>> => {
    const before = server.host.workspace.feedTail.size;
    const answer = server.as(key).get('/v1/changes?start=now&wait=60');
    await until('it waits', () => server.host.workspace.feedTail.size === before + 1);
    return () => answer;
  };

  const isNobodyLeft = (): boolean => server.host.workspace.feedTail.size === 0;
});
