import assert from 'node:assert/strict';
import type { Location } from '../../lib/domain/location.js';
import { makeOriginalAuthor } from '../../lib/domain/original-author.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { perform } from '../../lib/operations/perform.js';
import { openTestServer, type TestServer } from '../support/http/server.js';
import { operator } from '../support/store/service.js';

describe('the original author of an imported version over REST', () => {
  let server: TestServer;

  before(async () => {
    server = await openTestServer();
    await perform(server.host.workspace, operator, importDocuments, {
      into: 'wiki' as Location,
      files: [{ location: 'wiki/a.md' as Location, content: { bytes: Buffer.from('a') } }],
      message: null,
      originalAuthor: makeOriginalAuthor('Grace Hopper', 'grace@example.org', 1_580_706_246),
    });
  });
  after(() => server.close());

  it('stands beside the principal, and only where there is one', async () => {
    const ada = await server.person('approver', '', 'Ada');
    const expected = { name: 'Grace Hopper', email: 'grace@example.org', at: '2020-02-03T05:04:06.000Z' };
    const { version } = (await ada.get('/v1/documents/wiki/a.md')).json;
    assert.deepEqual([version.original_author, version.author.id], [expected, 'operator']);
    await ada.put('/v1/documents/wiki/a.md', { content: 'b' });
    const history = await ada.get('/v1/history?location=wiki/a.md');
    assert.deepEqual(
      history.json.items.map((item: { version: { original_author?: object } }) => item.version.original_author),
      [undefined, expected],
    );
  });

  it('cannot be claimed in a request', async () => {
    const ada = await server.person('approver', '', 'Ada');
    const body = { location: 'wiki/b.md', content: 'b', original_author: { name: 'Grace', email: 'g', at: null } };
    assert.equal((await ada.post('/v1/documents', body)).refusal, 'INVALID_REQUEST unknown_field');
  });
});
