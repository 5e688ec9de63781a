import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { openRemoteServer, type RemoteTestServer } from '../support/http/open-remote.js';
import { Actor } from '../support/store/actor.js';
import { readHead, readStore } from '../support/git/read-store.js';
import { pathsOf } from '../../lib/journal/workspace-files.js';
import { operator } from '../support/store/service.js';
import { delimiter, flush, mainOf, packet, RawGit, unpack, type RawAnswer } from './raw-git.js';

/** An id that no repository has. */
const absent = createHash('sha1').update('nothing').digest('hex');

describe('An object out of a key’s reach', () => {
  let server: RemoteTestServer;
  let low: RawGit;
  let head: string;
  /** Of the workspace’s own repository, by type: none is in the repository that low is served. */
  const hidden = new Map<string, string[]>();
  let own: { readonly head: string; readonly folder: string };

  before(async function () {
    this.timeout(60_000);
    server = await openRemoteServer();
    const { workspace, dataFolder } = server.host;
    const actor = new Actor(workspace, operator.principalId);
    await actor.create('open/seen.md', 'seen');
    await actor.create('shut/hidden.md', 'hidden');
    await actor.update('shut/hidden.md', 'hidden again');
    await actor.update('open/seen.md', 'seen again');
    const { id } = await server.host.person('reader', 'open');
    low = new RawGit(server.rest.port, 'acme', await server.host.key(id, ['git']));
    head = mainOf(await low.listRefs()) ?? '';
    await workspace.checkpointer.run();
    const folder = pathsOf(dataFolder ?? '', 'acme').repository;
    own = { folder, head: readHead(folder) ?? '' };
    const served = await workspace.derived.prepare(id);
    const seen = readStore(served.path);
    for (const [oid, { type }] of readStore(folder)) {
      if (!seen.has(oid)) hidden.set(type, [...(hidden.get(type) ?? []), oid]);
    }
  });
  after(() => server.close());

  it('exists in the workspace’s own repository, as a commit, a tree and a blob', () => {
    assert.deepEqual([...hidden.keys()].toSorted(), ['blob', 'commit', 'tree']);
    assert.notEqual(head, '');
    assert.notEqual(head, own.head);
  });

  it('leaves what may be read to be served', async () => {
    assert.ok(isPack(await low.fetch([head])));
  });

  /** Ways to ask, each with an id. */
  const ways: Readonly<Record<string, (oid: string) => Promise<RawAnswer>>> = {
    'wanted by protocol 2': (oid) => low.fetch([oid]),
    'wanted beside what may be read': (oid) => low.fetch([head, oid]),
    'wanted with a filter': (oid) => low.fetch([oid], [], ['filter blob:none']),
    'wanted alone in its depth': (oid) => low.fetch([oid], [], ['deepen 1']),
    'wanted as a ref': (oid) => low.fetch([], [], [`want-ref ${oid}`]),
    'named as shallow': (oid) => low.fetch([head], [], [`shallow ${oid}`, 'deepen 3']),
    'named as what must not come': (oid) => low.fetch([head], [], [`deepen-not ${oid}`]),
    'named as what the client has': (oid) => low.fetch([head], [oid]),
    'named as what the client has, without the end': (oid) =>
      low.upload(2, packet('command=fetch') + delimiter + packet(`want ${head}\n`) + packet(`have ${oid}\n`) + flush),
    'asked for its size': (oid) =>
      low.upload(2, packet('command=object-info') + delimiter + packet('size\n') + packet(`oid ${oid}\n`) + flush),
    'named as a filter': (oid) => low.fetch([head], [], [`filter sparse:oid=${oid}`]),
    'wanted by protocol 0': (oid) => low.fetchOld([oid]),
    'wanted beside what may be read, by protocol 0': (oid) => low.fetchOld([head, oid]),
    'wanted in depth, by protocol 0': (oid) => low.fetchOld([oid], [], ['deepen 1']),
    'named as shallow, by protocol 0': (oid) => low.fetchOld([head], [], [`shallow ${oid}`, 'deepen 3']),
    'wanted with a filter, by protocol 0': (oid) => low.fetchOld([oid], [], ['filter blob:none']),
    'named as what the client has, by protocol 0': (oid) => low.fetchOld([head], [oid]),
  };
  /** These ask for what may be read, so that they get it. */
  const isServed = (way: string): boolean => /named as (?:shallow|what the client has)/.test(way);

  for (const [way, ask] of Object.entries(ways)) {
    it(`is answered like one that does not exist, ${way}`, async function () {
      this.timeout(20_000);
      const expected = await ask(absent);
      if (!isServed(way)) assert.ok(!isPack(expected), expected.body.toString('latin1'));
      for (const oid of asked()) {
        const answer = await ask(oid);
        assert.deepEqual(without(oid, answer), without(absent, expected), `${oid} is answered in another way`);
      }
    });
  }

  it('a request for an object out of reach does not stop the server', async () => {
    assert.ok(isPack(await low.fetch([head])));
  });

  /** One id of each type, and the newest commit of the workspace. */
  const asked = (): string[] => [...[...hidden.values()].flatMap((oids) => oids.slice(0, 1)), own.head];
});

const isPack = ({ body }: RawAnswer): boolean => body.includes('PACK');

/** The answer with its own id taken out, so that two about different ids can be compared. */
function without(oid: string, answer: RawAnswer): unknown {
  const { status, headers, body } = answer;
  if (status !== 200) return [status, headers['content-type'], body.toString().replaceAll(oid, 'ID')];
  const { lines, pack, said } = unpack(answer);
  const texts = [...lines, said].map((text) => text.replaceAll(oid, 'ID'));
  return [headers['content-type'], texts, pack.toString('hex')];
}
