import assert from 'node:assert/strict';
import { createAsBefore } from '../support/store/as-before.js';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';

/** Names that look like others, and their reports. */
const names: readonly (readonly [name: string, character: string])[] = [
  ['own\u200b.md', 'U+200B'],
  ['own.md ', 'U+0020'],
  ['\u202egnp.exe.md', 'U+202E'],
  ['a\u{e0041}\u{e0042}.md', 'U+E0041'],
  ['\u00a0a.md', 'U+00A0'],
  ['a\u2028b.md', 'U+2028'],
];

describe('A deceptive name', () => {
  let server: TestServer;
  let ada: HttpClient;

  before(async () => {
    server = await openTestServer();
    ada = await server.person('approver');
    await ada.create('lobby/a.md');
    await ada.create('lobby/sub/b.md');
  });
  after(() => server.close());

  for (const [name, character] of names) {
    const shown = encodeURIComponent(name);

    it(`is refused for anything new: ${shown}`, async () => {
      isRefused(await ada.create(`lobby/${name}`), 'location', character);
      const raw = { 'Content-Type': 'application/octet-stream' };
      const target = `/v1/documents?location=lobby/${shown}`;
      isRefused(await ada.post(target, Buffer.from('text'), raw), 'location', character);
      isRefused(await ada.create(`lobby/${name}/inside.md`), 'location', character);
      isRefused(await ada.post('/v1/folders', { location: `lobby/${name}` }), 'location', character);
      isRefused(await ada.post('/v1/renames', { location: 'lobby/a.md', name }), 'name', character);
      isRefused(await ada.post('/v1/renames', { location: 'lobby/sub', name }), 'name', character);
      const move = { location: 'lobby/a.md', to_folder: `lobby/${name}` };
      isRefused(await ada.post('/v1/moves', move), 'to_folder', character);
    });

    it(`is read, changed, moved, deleted and undeleted where it was given before: ${shown}`, async () => {
      const location = `old/${name}`;
      await createAsBefore(server.host.workspace, location);
      const target = `/v1/documents/${encode(location)}`;
      assert.equal((await ada.get(target)).json.content, 'text');
      assert.equal((await ada.put(target, { content: 'more' })).status, 200);
      const listed = await ada.get('/v1/documents?location=old');
      assert.ok(listed.json.items.some((item: { location: string }) => item.location === location));
      assert.equal((await ada.post('/v1/comments', { location, text: 'Seen.' })).status, 201);
      assert.equal((await ada.delete(target)).status, 200);
      assert.equal((await ada.post('/v1/undeletes', { location })).status, 200);
      const moved = await ada.post('/v1/moves', { location, to_folder: 'lobby/sub' });
      assert.equal(moved.status, 200, moved.text);
      const renamed = await ada.post('/v1/renames', { location: `lobby/sub/${name}`, name: 'plain.md' });
      assert.equal(renamed.status, 200, renamed.text);
      assert.equal((await ada.delete('/v1/documents/lobby/sub/plain.md')).status, 200);
    });
  }

  it('of a folder does not block its content', async () => {
    const folder = 'old\u200b';
    await createAsBefore(server.host.workspace, `${folder}/a.md`);
    assert.equal((await ada.get(`/v1/documents/${encode(folder)}/a.md`)).json.content, 'text');
    isRefused(await ada.create(`${folder}/b.md`), 'location', 'U+200B');
    const renamed = await ada.post('/v1/renames', { location: folder, name: 'plain' });
    assert.equal(renamed.status, 200, renamed.text);
    assert.equal((await ada.create('plain/b.md')).status, 201);
  });

  it('stands in no line of text for other readers', async () => {
    const location = 'lobby/a.md';
    for (const [bad, character] of [
      ['a\u200bb', 'U+200B'],
      ['a\u202eb', 'U+202E'],
      ['a\u{e0041}', 'U+E0041'],
      ['a\u0085b', 'U+0085'],
    ] as const) {
      for (const [field, answer] of [
        ['labels', ada.post('/v1/labels', { location, labels: [bad] })],
        ['labels', ada.post('/v1/documents', { location: 'lobby/new.md', content: '', labels: [bad] })],
        ['message', ada.put('/v1/documents/lobby/a.md', { content: 'b', message: bad })],
        ['purpose', ada.post('/v1/claims', { location, purpose: bad })],
      ] as const) {
        const { refusal, json } = await answer;
        assert.equal(refusal, 'INVALID_REQUEST bad_field', field);
        assert.equal(json.error.details.field, field);
        assert.ok(json.error.message.includes(`${character} as character 2`), json.error.message);
      }
    }
  });

  it('can be sought and taken off where it is a label from before', async () => {
    const label = 'draft\u200b';
    await createAsBefore(server.host.workspace, 'old/labelled.md', { labels: [label] });
    const found = await ada.get(`/v1/search?q=text&label=${encodeURIComponent(label)}`);
    assert.equal(found.json.items.length, 1, found.text);
    const location = 'old/labelled.md';
    assert.equal((await ada.post('/v1/labels', { location, labels: ['more'] })).status, 200);
    const left = await ada.send('DELETE', `/v1/labels?location=${location}&label=${encodeURIComponent(label)}`);
    assert.deepEqual(left.json?.labels ?? left.text, ['more']);
  });

  const isRefused = (answer: HttpAnswer, field: string, character: string): void => {
    assert.equal(answer.refusal, 'INVALID_REQUEST bad_location');
    const { message, details } = answer.json.error;
    assert.equal(details.field, field);
    assert.ok(message.includes(`${character} as character `), message);
  };
});

const encode = (location: string): string => location.split('/').map(encodeURIComponent).join('/');
