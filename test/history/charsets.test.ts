import assert from 'node:assert/strict';
import { join } from 'node:path';
import { parseLocation } from '../../lib/domain/location.js';
import { verifyWorkspace } from '../../lib/integrity/verify-workspace.js';
import { createDocument } from '../../lib/operations/documents/create-document.js';
import { rebuild } from '../../lib/operations/workspaces/rebuild.js';
import { addClient, type Client } from '../support/store/client.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';
import { Sqlite } from '../support/store/sqlite.js';

describe('Texts in other charsets in a history', () => {
  let service: TestService;
  let ada: Client;
  let sidecar: string;

  beforeEach(async () => {
    service = await openTestService({ store: 'disk' });
    ada = await addClient({ service, workspace: service.workspace }, 'Ada', 'approver');
    sidecar = join(service.dataFolder ?? '', 'acme', 'sidecar.sqlite');
    for (const [location, mediaType, bytes] of [
      ['declared.csv', 'text/csv; charset=windows-1252', Buffer.from('Zoë', 'latin1')],
      ['large.csv', 'text/csv; charset=koi8-r', Buffer.alloc(1_100_000, 0xc1)],
      ['lie.csv', 'text/csv; charset=shift_jis', Buffer.from([0x41, 0x82])],
      ['marked.txt', undefined, Buffer.from('\ufeffZoë', 'utf16le')],
      ['undeclared.csv', undefined, Buffer.from('Zoë', 'latin1')],
    ] as const) {
      const input = { location: parseLocation(location), content: { bytes }, mediaType, labels: [], message: null };
      await ada.perform(createDocument, input);
    }
  });
  afterEach(() => service.close());

  const expected = [
    ['declared.csv', 'text'],
    ['large.csv', 'text'],
    ['lie.csv', 'binary'],
    ['marked.txt', 'text'],
    ['undeclared.csv', 'binary'],
  ];

  it('texts in other charsets are the same after a rebuild', async () => {
    assert.deepEqual(kinds(), expected);
    await rebuild(service.workspace, operator);
    assert.deepEqual(kinds(), expected);
  });

  it('may be binary in the rows of an earlier release, until a rebuild', async () => {
    const connection = new Sqlite(sidecar);
    connection.exec("UPDATE version SET kind = 'binary'");
    connection.close();
    const options = { dataFolder: service.dataFolder ?? '', name: 'acme', git: 'never' } as const;
    await service.workspace.checkpointer.run();
    assert.deepEqual((await verifyWorkspace(options, () => undefined)).problems, []);
    await rebuild(service.workspace, operator);
    assert.deepEqual(kinds(), expected);
  });

  it('are told by the mark alone to be UTF-16 in a guessed media type', () => {
    const mediaTypeOf = (location: string) =>
      service.workspace.view(ada.caller).document(parseLocation(location))?.current.mediaType;
    assert.equal(mediaTypeOf('marked.txt'), 'text/plain; charset=utf-16');
    assert.equal(mediaTypeOf('undeclared.csv'), 'application/octet-stream');
  });

  const kinds = (): unknown[] => {
    const connection = new Sqlite(sidecar, { readonly: true });
    try {
      return connection.prepare('SELECT location, kind FROM version ORDER BY location').raw().all();
    } finally {
      connection.close();
    }
  };
});
