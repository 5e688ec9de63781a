import assert from 'node:assert/strict';
import { claim, mirror } from '../support/store/place.js';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';

/** A request of both kinds, from and to the same places. */
const relocations: readonly [
  name: string,
  ask: (
    who: HttpClient,
    from: string,
    to: string,
    more?: object,
    headers?: Record<string, string>,
  ) => Promise<HttpAnswer>,
][] = [
  [
    'A rename',
    (who, location, to, more, headers) =>
      who.post('/v1/renames', { location, name: to.slice(to.lastIndexOf('/') + 1), ...more }, headers),
  ],
  [
    'A move',
    (who, location, to, more, headers) =>
      who.post('/v1/moves', { location, to_folder: to.slice(0, Math.max(0, to.lastIndexOf('/'))), ...more }, headers),
  ],
];

describe('renames and moves over REST', () => {
  let service: TestServer;
  let server: TestServer;
  let ada: HttpClient;

  before(async () => {
    service = await openTestServer();
  });
  beforeEach(async () => {
    server = await service.addWorkspace();
    ada = await server.person('approver', '', 'Ada');
  });
  after(() => service.close());

  for (const [index, [kind, relocate]] of relocations.entries()) {
    /** Where something at `a/name` goes: beside itself with a rename, into `b` with a move. */
    const target = (name: string): string => (index === 0 ? `a/new-${name}` : `b/${name}`);

    describe(kind, () => {
      it('of a document gives its record at the new place, its ETag and id as before, and makes no version', async () => {
        const created = await ada.create('a/x.md');
        server.host.clock.advance(5000);
        const moved = await relocate(ada, 'a/x.md', target('x.md'));
        assert.deepEqual([moved.status, moved.etag], [200, created.etag]);
        const { from, to, losses, location, ...record } = moved.json;
        assert.deepEqual([from, to, losses, location], ['a/x.md', target('x.md'), [], target('x.md')]);
        const { location: _, ...before } = created.json;
        assert.deepEqual({ ...record, name: '' }, { ...before, name: '' });
        const read = await ada.get(`/v1/documents/${target('x.md')}`);
        assert.deepEqual([read.json.content, read.etag], ['text', created.etag]);
        assert.equal(await exists('a/x.md'), false);
      });

      it('of a folder takes everything along in one commit, and every ETag stays', async () => {
        const etags = new Map<string, string>();
        for (const name of ['one.md', 'two.md', 'in/three.md']) etags.set(name, (await ada.create(`a/f/${name}`)).etag);
        const { head } = server;
        const moved = await relocate(ada, 'a/f', target('f'));
        assert.deepEqual([moved.status, moved.etag], [200, '']);
        assert.deepEqual(Object.keys(moved.json).toSorted(), [
          'from',
          'location',
          'losses',
          'name',
          'read_only',
          'source',
          'to',
        ]);
        assert.notEqual(server.head, head);
        for (const [name, etag] of etags) {
          assert.equal((await ada.get(`/v1/documents/${target('f')}/${name}`)).etag, etag);
          assert.equal(await exists(`a/f/${name}`), false);
        }
        const left = (await ada.get('/v1/folders')).json.items.map((item: { name: string }) => item.name);
        assert.deepEqual(left, index === 0 ? ['a'] : ['b']);
      });

      it('onto an existing document or folder is refused with its place, and changes nothing', async () => {
        await ada.create('a/x.md');
        await ada.create('a/f/y.md');
        for (const location of [target('x.md'), `${target('f')}/z.md`]) await ada.create(location);
        const { head } = server;
        for (const name of ['x.md', 'f']) {
          const refused = await relocate(ada, `a/${name}`, target(name));
          assert.equal(refused.refusal, 'CONFLICT name_taken');
          assert.equal(refused.json.error.details.location, target(name));
        }
        assert.equal(server.head, head);
      });

      it('to where it is already is a name taken, by itself', async () => {
        await ada.create('a/x.md');
        await ada.create('a/f/y.md');
        for (const name of ['x.md', 'f']) {
          assert.equal((await relocate(ada, `a/${name}`, `a/${name}`)).refusal, 'CONFLICT name_taken');
        }
      });

      it('of an absent, deleted or uneditable document is NOT_FOUND', async () => {
        await ada.create('a/gone.md');
        await ada.delete('/v1/documents/a/gone.md');
        await ada.create('a/x.md');
        const [reader, stranger] = [await server.person('reader'), await server.person('editor', 'c', 'stranger')];
        const answers = [
          await relocate(ada, 'a/none.md', target('none.md')),
          await relocate(ada, 'a/gone.md', target('gone.md')),
          await relocate(reader, 'a/x.md', target('x.md')),
          await relocate(stranger, 'a/x.md', target('x.md')),
        ];
        assert.ok(answers.every(({ refusal }) => refusal === 'NOT_FOUND'));
        assert.ok(await exists('a/x.md'));
      });

      it('follows If-Match when it is sent: stale is refused with the present ETag, current and * go ahead', async () => {
        const first = await ada.create('a/x.md', 'one');
        const second = await ada.put('/v1/documents/a/x.md', { content: 'two' });
        const stale = await relocate(ada, 'a/x.md', target('x.md'), {}, { 'If-Match': first.etag });
        assert.deepEqual([stale.refusal, stale.etag], ['CONFLICT stale_if_match', second.etag]);
        const moved = await relocate(ada, 'a/x.md', target('x.md'), {}, { 'If-Match': second.etag });
        assert.equal(moved.status, 200);
        await ada.create('a/y.md');
        assert.equal((await relocate(ada, 'a/y.md', target('y.md'), {}, { 'If-Match': '*' })).status, 200);
      });

      it('with a document’s ETag finds nothing where a folder has taken its place, which * takes along', async () => {
        const { etag } = await ada.create('a/x');
        assert.equal((await ada.delete('/v1/documents/a/x', { 'If-Match': etag })).status, 200);
        const { etag: inner } = await ada.create('a/x/inner.md');
        for (const known of [etag, inner, '"foreign"', `${etag}, ${inner}`]) {
          const refused = await relocate(ada, 'a/x', target('x'), {}, { 'If-Match': known });
          assert.equal(refused.refusal, 'NOT_FOUND', known);
        }
        assert.equal((await relocate(ada, 'a/x', 'a/x/x', {}, { 'If-Match': etag })).refusal, 'NOT_FOUND');
        assert.equal(await exists('a/x/inner.md'), true);
        assert.equal((await relocate(ada, 'a/x', target('x'), {}, { 'If-Match': '*' })).status, 200);
      });

      it('of a document with somebody else’s claim is refused, naming who and until when; the holder’s own is not', async () => {
        const bob = await server.host.person('editor', '', 'Bob');
        await ada.create('a/x.md');
        await ada.create('a/f/deep/y.md');
        for (const location of ['a/x.md', 'a/f/deep/y.md']) await claim(server.host, location, bob.id);
        for (const name of ['x.md', 'f']) {
          const refused = await relocate(ada, `a/${name}`, target(name));
          assert.equal(refused.refusal, 'CONFLICT claimed');
          const { reason: _, ...details } = refused.json.error.details;
          assert.deepEqual(details, {
            holder: { id: bob.id, kind: 'person', display_name: 'Bob' },
            expires_at: new Date(server.host.clock.now() + 60 * 60 * 1000).toISOString(),
            section: null,
          });
        }
        assert.equal((await relocate(server.as(bob.key), 'a/x.md', target('x.md'))).status, 200);
        server.host.clock.advance(60 * 60 * 1000);
        assert.equal((await relocate(ada, 'a/f', target('f'))).status, 200, 'a claim that ran out binds nobody');
      });

      it('of, out of, or into a mirror is refused, and not as a conflict', async () => {
        await ada.create('a/m/x.md');
        await ada.create('a/f/y.md');
        await ada.create('b/f/kept.md');
        await mirror(server.host, 'a/m');
        await mirror(server.host, 'b');
        const asked: [string, string][] =
          index === 0
            ? [
                ['a/m/x.md', 'a/m/y.md'],
                ['a/m', 'a/n'],
                ['a', 'c'],
              ]
            : [
                ['a/m/x.md', 'c/x.md'],
                ['a/m', 'c/m'],
                ['a', 'c/a'],
                ['a/f/y.md', 'b/y.md'],
                ['a/f', 'b/g/f'],
              ];
        for (const [from, to] of asked) {
          const refused = await relocate(ada, from, to);
          assert.equal(refused.refusal, 'INVALID_REQUEST read_only_source', `${from} → ${to}`);
          assert.deepEqual(refused.json.error.details.connector, { id: 'con_test' });
        }
        const nobody = await server.person('reader');
        assert.equal((await relocate(nobody, 'a/m/x.md', 'c/x.md')).refusal, 'NOT_FOUND');
      });

      it('repeated with its key gives the first answer, though the document is long elsewhere', async () => {
        await ada.create('a/x.md');
        const key = { 'Idempotency-Key': 'once' };
        const first = await relocate(ada, 'a/x.md', target('x.md'), {}, key);
        const { head } = server;
        const again = await relocate(ada, 'a/x.md', target('x.md'), {}, key);
        assert.deepEqual([again.status, again.text, again.etag], [200, first.text, first.etag]);
        assert.equal(again.headers['idempotent-replayed'], 'true');
        assert.equal(server.head, head);
      });

      it('refused for widening keeps its key for the acknowledged request', async () => {
        await ada.create('a/x.md');
        await server.host.grant('reader', { type: 'group', id: await readers() }, target('x.md').split('/')[0] ?? '');
        // A rename changes no reader of the folder; a grant has to wait on the new name.
        if (index === 0) await ada.create('a/f/y.md');
        const [from, to] = index === 0 ? ['a/f', 'a/new-f'] : ['a/x.md', 'b/x.md'];
        if (index === 0) await server.host.grant('editor', { type: 'group', id: await readers() }, to);
        const key = { 'Idempotency-Key': 'widen' };
        assert.equal((await relocate(ada, from, to, {}, key)).refusal, 'CONFLICT access_would_widen');
        const done = await relocate(ada, from, to, { acknowledge_access_change: true }, key);
        assert.deepEqual([done.status, done.headers['idempotent-replayed']], [200, undefined]);
      });

      async function readers(): Promise<string> {
        return server.host.group('Readers', { type: 'principal', id: await server.host.principal('Rita') });
      }

      it('refuses a body that is not as described, naming the field', async () => {
        await ada.create('a/x.md');
        const path = index === 0 ? '/v1/renames' : '/v1/moves';
        const right = index === 0 ? { name: 'y.md' } : { to_folder: 'b' };
        const wrong: [object, string, string][] = [
          [{ ...right }, 'missing_field', 'location'],
          [{ location: 'a/x.md' }, 'missing_field', index === 0 ? 'name' : 'to_folder'],
          [{ location: 'a/x.md', ...right, mode: 'fast' }, 'unknown_field', 'mode'],
          [{ location: 'a//x.md', ...right }, 'bad_location', 'location'],
          [{ location: '', ...right }, 'bad_location', 'location'],
          [
            { location: 'a/x.md', ...right, acknowledge_access_change: 'yes' },
            'bad_field',
            'acknowledge_access_change',
          ],
          index === 0
            ? [{ location: 'a/x.md', name: 'b/y.md' }, 'bad_location', 'name']
            : [{ location: 'a/x.md', to_folder: '../b' }, 'bad_location', 'to_folder'],
        ];
        for (const [body, reason, field] of wrong) {
          const { json, status } = await ada.post(path, body);
          assert.deepEqual([status, json.error.details.reason, json.error.details.field], [400, reason, field]);
        }
      });
    });
  }

  describe('a folder', () => {
    it('is not moved into itself or below itself', async () => {
      await ada.create('a/f/x.md');
      await ada.create('a/file.md');
      for (const folder of ['a', 'a/f', 'a/f/deeper']) {
        const refused = await ada.post('/v1/moves', { location: 'a', to_folder: folder });
        assert.equal(refused.refusal, 'INVALID_REQUEST into_itself', folder);
        assert.equal(refused.json.error.details.field, 'to_folder');
      }
      // A name with the same beginning is another folder.
      assert.equal((await ada.post('/v1/moves', { location: 'a', to_folder: 'a-b' })).status, 200);
    });

    it('goes to the root, and into folders made by it', async () => {
      await ada.create('a/f/x.md');
      assert.equal((await ada.post('/v1/moves', { location: 'a/f', to_folder: '' })).json.location, 'f');
      assert.equal((await ada.post('/v1/moves', { location: 'f', to_folder: 'p/q' })).json.location, 'p/q/f');
      assert.ok(await exists('p/q/f/x.md'));
      assert.deepEqual(
        (await ada.get('/v1/folders')).json.items.map((item: { name: string }) => item.name),
        ['p'],
      );
    });

    it('a folder is not moved below a document', async () => {
      await ada.create('a/f/x.md');
      await ada.create('note.md');
      const refused = await ada.post('/v1/moves', { location: 'a/f', to_folder: 'note.md' });
      assert.equal(refused.refusal, 'CONFLICT name_taken');
      assert.equal(refused.json.error.details.location, 'note.md');
    });

    it('can change only the case of a name', async () => {
      await ada.create('a/Plan.md');
      assert.equal((await ada.post('/v1/renames', { location: 'a/Plan.md', name: 'plan.md' })).status, 200);
      assert.equal((await ada.post('/v1/renames', { location: 'a', name: 'A' })).status, 200);
      assert.ok(await exists('A/plan.md'));
    });
  });

  describe('the retry of a move', () => {
    it('gives the first answer to the editor of the document, who has no grant at its old place', async () => {
      await ada.create('team/a.md');
      const bob = await server.host.person('editor', 'mine', 'Bob');
      const subject = { type: 'principal', id: bob.id } as const;
      await server.host.grant('editor', subject, 'team/a.md', 'document');
      const retry = (): Promise<HttpAnswer> =>
        server
          .as(bob.key)
          .post('/v1/moves', { location: 'team/a.md', to_folder: 'mine' }, { 'Idempotency-Key': 'once' });
      const first = await retry();
      assert.equal(first.status, 200);
      const again = await retry();
      assert.deepEqual([again.status, again.text], [200, first.text]);
      await server.host.revoke('editor', subject, 'mine');
      await server.host.revoke('editor', subject, 'mine/a.md', 'document');
      assert.equal((await retry()).refusal, 'NOT_FOUND');
    });

    it('gives the first answer to the approver of the folder, whose grant went along', async () => {
      await ada.create('team/f/a.md');
      const bob = await server.host.person('approver', 'mine', 'Bob');
      await server.host.grant('approver', { type: 'principal', id: bob.id }, 'team/f');
      const retry = (): Promise<HttpAnswer> =>
        server.as(bob.key).post('/v1/moves', { location: 'team/f', to_folder: 'mine' }, { 'Idempotency-Key': 'once' });
      const first = await retry();
      assert.equal(first.status, 200);
      const again = await retry();
      assert.deepEqual([again.status, again.text], [200, first.text]);
    });
  });

  describe('a name taken by a hidden document', () => {
    it('is NOT_FOUND, as where the caller may not write', async () => {
      await ada.create('a/x.md');
      await ada.create('closed/x.md');
      const bob = await server.person('editor', 'a', 'Bob');
      const taken = await bob.post('/v1/moves', { location: 'a/x.md', to_folder: 'closed' });
      const free = await bob.post('/v1/moves', { location: 'a/x.md', to_folder: 'nowhere' });
      const strip = ({ status, text, json }: HttpAnswer): string =>
        `${status} ${text.replace(json.error.request_id, '')}`;
      assert.equal(strip(taken), strip(free));
      assert.equal(taken.refusal, 'NOT_FOUND');
    });
  });

  const exists = async (location: string): Promise<boolean> =>
    (await ada.get(`/v1/documents/${location}`)).status === 200;
});
