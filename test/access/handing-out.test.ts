import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Caller } from '../../lib/domain/caller.js';
import { parseFolderLocation, parseLocation } from '../../lib/domain/location.js';
import {
  revokeCredential,
  rotateCredential,
  mintCredential,
} from '../../lib/operations/credentials/change-credential.js';
import { exportFolder, type ExportedDocument, type FolderExport } from '../../lib/operations/folders/export-folder.js';
import { perform } from '../../lib/operations/perform.js';
import { readDocument } from '../../lib/operations/documents/read-document.js';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { eraseAt } from '../support/store/erase-at.js';
import { outcomeOf } from '../support/store/actor.js';
import { addClient, type Client } from '../support/store/client.js';
import { openTestServer } from '../support/http/server.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';
import { gather } from '../support/gather.js';

const hour = 3_600_000;

const endings: Readonly<Record<string, readonly [Happening, string]>> = {
  'the grant is revoked': [
    ({ service, group }) => service.revoke('reader', { type: 'group', id: group }, 'f'),
    'NOT_FOUND',
  ],
  'the reader leaves the group': [
    ({ service, ben, group }) => service.leave(group, { type: 'principal', id: ben }),
    'NOT_FOUND',
  ],
  'the reader is disabled': [
    ({ service, ben }) => perform(service.workspace, operator, setPrincipalState, { principalId: ben, disabled: true }),
    'NOT_FOUND',
  ],
  'the key is revoked': [
    ({ service, key }) => perform(service.workspace, operator, revokeCredential, { credentialId: key }),
    'UNAUTHENTICATED',
  ],
  'the key gets another secret': [
    ({ service, key }) => perform(service.workspace, operator, rotateCredential, { credentialId: key }),
    'UNAUTHENTICATED',
  ],
  'the key runs out': [async ({ service }) => service.clock.advance(2 * hour), 'UNAUTHENTICATED'],
  'what comes next is being erased': [({ service }) => eraseAt(service.workspace, 'f/b.md'), 'NOT_FOUND'],
};

const otherNews: Readonly<Record<string, Happening>> = {
  'others get and lose rights': async ({ service }) => {
    await service.person('reader', 'f', 'Cas');
    await service.revoke('approver', { type: 'principal', id: (await service.person('approver', 'g')).id }, 'g');
  },
  'its folder is renamed, and the grant with it': ({ ada }) => ada.rename('f', 'f2', true),
  'it is moved to where the reader has no rights': ({ ada }) => ada.move('f/b.md', 'g', true),
  'it is deleted': ({ ada }) => ada.delete('f/b.md'),
};

describe('a long answer while access ends', () => {
  let scene: Scene;
  let caller: Caller;

  beforeEach(async () => {
    const service = await openTestService();
    const ada = await addClient({ service, workspace: service.workspace }, 'Ada', 'approver');
    for (const name of ['a', 'b', 'c']) await ada.create(`f/${name}.md`, name);
    const ben = await service.principal('Ben');
    const group = await service.group('Readers', { type: 'principal', id: ben });
    await service.grant('reader', { type: 'group', id: group }, 'f');
    const expiresAt = service.clock.now() + hour;
    const minted = { principalId: ben, name: 'key', interfaces: ['rest'] as const, expiresAt, requestsPerMinute: null };
    const { credential } = (await perform(service.workspace, operator, mintCredential, minted)).result;
    scene = { service, ada, ben, group, key: credential.id };
    caller = { principalId: ben, kind: 'person', credentialId: credential.id, interface: 'rest', requestId: 'req_ben' };
  });
  afterEach(() => scene.service.close());

  for (const [what, [work, code]] of Object.entries(endings)) {
    it(`ends where ${what}, and the log says so`, async () => {
      const { documents, close } = await startExport();
      const [first, second, third] = await gather(documents);
      assert.equal(await textOf(first), 'a');
      await work(scene);
      assert.equal(await outcomeOf(second?.open() ?? Promise.resolve()), code);
      if (what !== 'what comes next is being erased') {
        assert.equal(await outcomeOf(third?.open() ?? Promise.resolve()), code);
      }
      assert.deepEqual(recorded(), ['folder.export done', `folder.export ${code}`]);
      close();
    });
  }

  for (const [what, work] of Object.entries(otherNews)) {
    it(`continues unchanged where ${what}`, async () => {
      const { documents, close } = await startExport();
      const [, second, third] = await gather(documents);
      await work(scene);
      assert.equal(await textOf(second), 'b');
      assert.equal(await textOf(third), 'c');
      assert.deepEqual(recorded(), ['folder.export done']);
      close();
    });
  }

  it('ends in the middle of a large document, alone or in an export', async () => {
    await scene.ada.create('f/large.bin', randomBytes(3_000_000).toString('hex'));
    const { documents, close } = await startExport();
    const exported = (await (
      await gather(documents)
    )
      .find(({ document }) => document.name === 'large.bin')
      ?.open()) as Readable;
    const input = { location: parseLocation('f/large.bin'), withContent: true };
    const { result } = await perform(scene.service.workspace, caller, readDocument, input);
    const read = await result.openStream?.();
    assert.ok(read !== undefined);
    for (const stream of [exported, read]) {
      await once(stream, 'readable');
      assert.ok((stream.read() as Buffer).length < 6_000_000);
    }
    await endings['the grant is revoked']?.[0](scene);
    for (const stream of [exported, read]) assert.equal(await outcomeOf(drain(stream)), 'NOT_FOUND');
    const refused = recorded().filter((line) => line.endsWith('NOT_FOUND'));
    assert.deepEqual(refused.toSorted(), ['document.read NOT_FOUND', 'folder.export NOT_FOUND']);
    close();
  });

  const startExport = async (): Promise<FolderExport> =>
    (await perform(scene.service.workspace, caller, exportFolder, { location: parseFolderLocation('f') })).result;

  const textOf = async (part: ExportedDocument | undefined): Promise<string> => {
    const content = await part?.open();
    return Buffer.isBuffer(content) ? content.toString() : assert.fail('it is a stream, or nothing');
  };

  /** The log's records of the reader's own requests. */
  const recorded = (): string[] =>
    scene.service.workspace.journal.reader.audit
      .after(0, 1000)
      .filter(({ request_id: id }) => id === 'req_ben')
      .map(({ action, code }) => `${action} ${code ?? 'done'}`);

  async function drain(stream: Readable): Promise<void> {
    for await (const _ of stream);
  }
});

describe('a long answer over HTTP while access ends', () => {
  it('breaks off in sight of the client when its key is revoked, and is no fault in the log', async () => {
    const server = await openTestServer();
    try {
      const { host } = server;
      const ada = await server.person('approver');
      for (let index = 0; index < 24; index += 1) {
        await ada.post(`/v1/documents?location=f/${index}.bin`, randomBytes(1_000_000));
      }
      const { id, key } = await host.person('reader', 'f');
      const { port } = new URL(server.rest.url);
      const outgoing = request({
        port,
        path: '/v1/folders/export?location=f',
        headers: { Authorization: `Bearer ${key}` },
      });
      outgoing.end();
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
      assert.equal(answer.statusCode, 200);
      let bytes = 0;
      await once(answer, 'readable');
      const credential = host.workspace.journal.reader.credentials.list().find(({ principalId }) => principalId === id);
      await perform(host.workspace, operator, revokeCredential, { credentialId: credential?.id ?? '' });
      await assert.rejects(async () => {
        for await (const piece of answer as AsyncIterable<Buffer>) bytes += piece.length;
      }, /aborted/);
      assert.ok(bytes < 24_000_000, `${bytes} bytes`);
      assert.deepEqual(
        server.log.filter(({ level }) => level === 'error'),
        [],
      );
      const last = server.records().slice(-2);
      assert.deepEqual(
        last.map(({ record: { action, code } }) => `${action} ${code ?? 'done'}`),
        ['folder.export UNAUTHENTICATED', 'folder.exported done'],
      );
    } finally {
      await server.close();
    }
  });
});

/** Ben reads `f` by a group, with a key of his own. */
interface Scene {
  readonly service: TestService;
  readonly ada: Client;
  readonly ben: string;
  readonly group: string;
  readonly key: string;
}

type Happening = (scene: Scene) => Promise<unknown>;
