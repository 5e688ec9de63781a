import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../lib/operations/perform.js';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';
import { operator } from '../support/store/service.js';
import { readDescription } from '../../lib/api/requests/description.js';

describe('the examples of errors in the description', () => {
  let server: TestServer;
  let ada: HttpClient;
  let ben: HttpClient;
  let examples: Readonly<Record<string, Example>>;
  const place = 'handbook/policies/travel.md';

  /** The version before the current one. */
  let stale: { readonly 'If-Match': string };
  before(async () => {
    ({ examples } = (
      parse(readDescription('openapi.yaml').text, { maxAliasCount: -1 }) as {
        components: { examples: Record<string, Example> };
      }
    ).components);
    server = await openTestServer();
    ada = await server.person('approver');
    ben = await server.person('editor', 'handbook', 'Ben');
    const created = await ada.create(place, '# Trips\n');
    stale = { 'If-Match': created.headers.etag ?? '' };
    await ada.put(at, { content: '# Travel\n' }, stale);
    await ada.create('handbook/taken.md');
    await ada.post('/v1/claims', { location: 'handbook/taken.md' });
  });
  after(() => server.close());

  const at = `/v1/documents/${place}`;
  const provoked: Readonly<Record<string, () => Promise<HttpAnswer>>> = {
    MissingField: () => ada.get('/v1/history'),
    UnknownField: () => ada.post('/v1/documents', { location: 'x.md', content: '', titel: 'x' }),
    UnknownQueryParameter: () => ada.get('/v1/documents?page=2'),
    BadLimit: () => ada.get('/v1/folders?limit=201'),
    BadRole: () =>
      ada.post('/v1/grants', {
        scope_type: 'folder',
        scope_id: '',
        subject: { type: 'group', id: 'x' },
        role: 'owner',
      }),
    BadLocation: () => ada.get('/v1/documents/a/../b.md'),
    BadCursor: () => ada.get('/v1/folders?cursor=x'),
    IntoItself: () => ada.post('/v1/moves', { location: 'handbook', to_folder: 'handbook' }),
    MissingIdempotencyKey: () => ada.send('POST', '/v1/documents', { body: { location: 'x.md', content: '' } }),
    MissingIfMatch: () => ada.send('PUT', at, { body: { content: '' } }),
    BadJson: () =>
      ada.send('POST', '/v1/documents', {
        body: Buffer.from('{'),
        headers: { 'Idempotency-Key': '1', 'Content-Type': 'application/json' },
      }),
    UnsupportedMediaType: () => ada.create('x.md', 'x', { 'Content-Type': 'text/plain' }),
    NoSuchSection: () => ada.post('/v1/claims', { location: place, section: 'none' }),
    QuoteNotFound: () => ada.post('/v1/comments', { location: place, text: 'x', passage: { quote: 'none' } }),
    StaleIfMatch: () => ada.put(at, { content: '' }, stale),
    NameTaken: () => ada.create(place),
    IdempotencyKeyReused: async () => {
      await ada.create('once.md', 'x', { 'Idempotency-Key': 'once' });
      return ada.create('once.md', 'y', { 'Idempotency-Key': 'once' });
    },
    LocationOccupied: async () => {
      await ada.create('handbook/gone.md');
      await ada.delete('/v1/documents/handbook/gone.md');
      await ada.create('handbook/gone.md');
      return ada.post('/v1/undeletes', { location: 'handbook/gone.md' });
    },
    AccessWouldWiden: async () => {
      await server.person('reader', 'public', 'Rita');
      return ada.post('/v1/moves', { location: place, to_folder: 'public' });
    },
    AccessReportChanged: () =>
      ada.post('/v1/moves', {
        location: place,
        to_folder: 'public',
        acknowledge_access_change: true,
        access_report: 'x',
      }),
    BadSince: () => ada.get('/v1/reverts?principal_id=prn_0&since=9999-01-01T00:00:00Z'),
    PreviewChanged: () =>
      ada.post('/v1/reverts', { principal_id: 'prn_0', since: '2000-01-01T00:00:00Z', preview: '0'.repeat(64) }),
    Claimed: () => ben.put('/v1/documents/handbook/taken.md', { content: '' }),
    ContentTooLarge: async () => {
      await perform(server.host.workspace, operator, changePolicy, { largestText: 1000 });
      return ada.create('large.md', 'x'.repeat(1001));
    },
    BodyTooLarge: () => ada.create('large.md', 'x'.repeat(80_000)),
    RangeNotSatisfiable: async () => {
      await ada.create('short.md');
      return ada.get('/v1/files/short.md', { Range: 'bytes=88-' });
    },
    UseRawForm: async () => {
      await ada.post('/v1/documents?location=long.md', Buffer.alloc(1001, 'x'));
      return ada.get('/v1/documents/long.md');
    },
  };

  for (const [name, provoke] of Object.entries(provoked)) {
    it(`${name}: the words and the details are those that are sent`, async () => {
      const example = examples[name]?.value.error ?? assert.fail(name);
      const { error } = (await provoke()).json;
      assert.deepEqual([error.code, general(error.message)], [example.code, general(example.message)]);
      assert.deepEqual(Object.keys(error.details).toSorted(), Object.keys(example.details ?? {}).toSorted());
    });
  }

  /** Names, numbers and reasons of the examples themselves. */
  const general = (message: string): string => message.replaceAll(/\d+/g, 'N').replaceAll(/"[^"]*"/g, '"…"');
});

interface Example {
  readonly value: { readonly error?: { readonly code: string; readonly message: string; readonly details?: object } };
}
