import assert from 'node:assert/strict';
import fc from 'fast-check';
import { faultOfLocation } from '../../lib/domain/location.js';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';
import { RawConnection } from '../support/http/raw-connection.js';
import { anyCharacter } from '../support/texts/any-text.js';

/** Locations forbidden to documents, as text. */
const badLocations: readonly string[] = [
  '',
  '/',
  '/a.md',
  'a.md/',
  'a//b.md',
  '.',
  '..',
  '../a.md',
  'a/../../b.md',
  'a/./b.md',
  'a\\b.md',
  'a\u0000b.md',
  'a\nb.md',
  'a\u007fb.md',
  'a\u0085b.md',
  '.git/config',
  'a/.GIT/hooks/x',
  '.gi\u200ct/x',
  'git~1/x',
  '.git /x',
  '.git::$INDEX_ALLOCATION/x',
  '.gitmodules',
  'a/.keep',
  'e\u0301.md',
  'x'.repeat(256),
  'é'.repeat(128),
  `${'x/'.repeat(512)}y`,
  '\ud800.md',
];

/** Values that belong in no field. */
const badValues: readonly unknown[] = [null, 0, 1, true, [], {}, ['a'], { a: 1 }, 1e308, -1];

describe('bad input over REST', () => {
  let server: TestServer;
  let ada: HttpClient;
  let key: string;
  let head: string | null;

  before(async () => {
    server = await openTestServer();
    ({ key } = await server.host.person('approver'));
    ada = server.as(key);
    await ada.create('dir/a.md');
    head = server.head;
  });
  /** After any request: no change, no internal error, and the service answers. */
  afterEach(async () => {
    assert.equal(server.head, head);
    assert.deepEqual(
      server.log.filter(({ level, message }) => level !== 'info' && !message.startsWith('X-Forwarded-For came')),
      [],
    );
    assert.equal((await ada.get('/v1/documents/dir/a.md')).status, 200);
  });
  after(() => server.close());

  describe('in locations', () => {
    for (const location of badLocations) {
      it(`refuses ${JSON.stringify(location.slice(0, 40))} wherever a location goes`, async () => {
        const isUnicode = !/\p{Surrogate}/u.test(location);
        const encoded = isUnicode ? encodeURIComponent(location) : '%ED%A0%80.md';
        const answers = [
          await ada.get(`/v1/documents/${encoded}`),
          await ada.head(`/v1/documents/${encoded}`),
          await ada.put(`/v1/documents/${encoded}`, { content: 'x' }),
          await ada.put(`/v1/documents/${encoded}`, Buffer.from('x')),
          await ada.delete(`/v1/documents/${encoded}`),
          await ada.create(location),
          await ada.post(`/v1/documents?location=${encoded}`, Buffer.from('x')),
        ];
        // Of a list the empty location is the root, and a folder can be written with slashes around it.
        if (location !== '' && !/^\/[^/]*$|^[^/]+\/$/.test(location)) {
          answers.push(await ada.get(`/v1/documents?location=${encoded}`));
          answers.push(await ada.get(`/v1/folders?location=${encoded}`));
        }
        for (const { status, json } of answers) {
          assert.equal(status, 400);
          if (json === undefined) continue;
          assert.ok(['bad_location', 'bad_field'].includes(json.error.details.reason), json.error.message);
          assert.equal(json.error.details.field, 'location');
        }
      });
    }

    for (const path of [
      '%zz',
      '%',
      '%c3%28',
      '%ff',
      'a%2',
      '%ed%a0%80',
      '%00',
      'a/%2e%2e/%2e%2e/b',
      '..%2f..%2fb',
      '%5c',
    ]) {
      it(`refuses the path /v1/documents/${path}`, async () => {
        for (const answer of [
          await ada.get(`/v1/documents/${path}`),
          await ada.put(`/v1/documents/${path}`, { content: '' }),
          await ada.delete(`/v1/documents/${path}`),
        ]) {
          assert.equal(answer.refusal, 'INVALID_REQUEST bad_location');
        }
      });
    }

    it('finds nothing, or refuses, for any path', async () => {
      const piece = fc.oneof(
        fc.string({ unit: anyCharacter, maxLength: 12 }),
        fc.constantFrom('..', '.', '', '.git', '%', '%2f', '\\', 'a', 'dir', 'a.md', ' ', '~', ';v=1', '?', '#', '*'),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(piece, { maxLength: 5 }), async (pieces) => {
          const location = pieces.join('/');
          fc.pre(!/\p{Surrogate}/u.test(location) && location !== 'dir/a.md');
          const { status, refusal } = await ada.get(`/v1/documents/${encodeURIComponent(location)}`);
          const isPossible = faultOfLocation(location) === undefined;
          assert.equal(refusal, isPossible ? 'NOT_FOUND' : 'INVALID_REQUEST bad_location', String(status));
        }),
        { numRuns: 150 },
      );
    });

    it('takes no bytes outside ASCII in a request target, since their meaning is unknown', async () => {
      const connection = await RawConnection.open(server.rest.port);
      connection.write(
        `GET /v1/documents/${Buffer.from('é.md').toString('latin1')} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`,
      );
      assert.equal((await connection.read()).status, 400);
      connection.end();
    });
  });

  describe('in queries', () => {
    const queries = [
      'limit=1&limit=2',
      'location=a&location=b',
      'limit[]=1',
      'limit[a]=1',
      'location[__proto__][x]=1',
      '__proto__=1',
      'constructor=1',
      'toString=1',
      'limit=1;DROP',
      'location=%ff',
      'location=%',
      '=1',
      'limit=%31%00',
      'LIMIT=1',
      'limit=0x10',
      'limit=+5',
      'cursor=',
      `cursor=${'A'.repeat(9000)}`,
      'cursor=%00',
      'x'.repeat(5000),
      '&&&=&',
      '?',
    ];
    for (const query of queries) {
      it(`refuses ?${query.slice(0, 40)}`, async () => {
        for (const path of ['/v1/documents', '/v1/folders']) {
          const answer = await ada.get(`${path}?${query}`);
          assert.equal(answer.status, 400, answer.text);
        }
      });
    }

    it('names the known parameters to the sender of an unknown one', async () => {
      for (const [target, known] of [
        ['/v1/documents?colour=red', ['location', 'limit', 'cursor']],
        ['/v1/documents?Location=dir', ['location', 'limit', 'cursor']],
        ['/v1/documents/dir/a.md?colour=red', ['version']],
        ['/v1/health?colour=red', []],
      ] as const) {
        const { details } = (await ada.get(target)).json.error;
        assert.equal(details.reason, 'unknown_field', target);
        assert.deepEqual(details.known, known, target);
      }
      const beside = await ada.post('/v1/documents?location=new.md', { location: 'new.md', content: '' });
      assert.deepEqual(beside.json.error.details.known, []);
    });

    it('refuses parameters where there are none', async () => {
      for (const [method, target] of [
        ['DELETE', '/v1/documents/dir/a.md?force=1'],
        ['GET', '/v1/documents/dir/a.md?limit=1'],
        ['HEAD', '/v1/documents/dir/a.md?x'],
        ['GET', '/v1/health?x=1'],
        ['GET', '/v1/openapi.yaml?x=1'],
      ] as const) {
        const answer = await ada.send(method, target, { headers: { 'If-Match': '*' } });
        assert.equal(answer.status, 400, target);
      }
    });

    it('opens no cursor that it did not seal', async () => {
      const { json } = await ada.get('/v1/folders?limit=1');
      assert.equal(json.next_cursor, null);
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 120 }), async (bytes) => {
          const cursor = Buffer.from(bytes).toString('base64url');
          const { refusal } = await ada.get(`/v1/documents?location=&cursor=${cursor}`);
          assert.equal(refusal, 'INVALID_REQUEST bad_cursor');
        }),
        { numRuns: 60 },
      );
    });
  });

  it('takes a folder with a slash at either end, and no more than one', async () => {
    const plain = await ada.get('/v1/documents?location=dir');
    for (const folder of ['dir/', '/dir', '/dir/']) {
      assert.equal((await ada.get(`/v1/documents?location=${folder}`)).text, plain.text, folder);
    }
    assert.equal((await ada.get('/v1/folders?location=/')).text, (await ada.get('/v1/folders?location=')).text);
    for (const folder of ['dir//', '//dir', '///']) {
      assert.equal((await ada.get(`/v1/documents?location=${folder}`)).refusal, 'INVALID_REQUEST bad_location', folder);
    }
  });

  describe('in headers', () => {
    it('refuses an Idempotency-Key of another form', async () => {
      for (const bad of ['a\tb', 'x'.repeat(256), 'é', '""', `"${'x'.repeat(256)}"`]) {
        const answer = await ada.create('new.md', '', { 'Idempotency-Key': bad });
        assert.equal(answer.refusal, 'INVALID_REQUEST bad_field', bad);
      }
      for (const missing of ['', ' ']) {
        const answer = await ada.create('new.md', '', { 'Idempotency-Key': missing });
        assert.equal(answer.refusal, 'INVALID_REQUEST missing_idempotency_key');
      }
    });

    it('refuses an If-Match of another form, and matches no foreign one', async () => {
      for (const bad of ['"', '"a', 'a"b', '"a" "b"', ',', '"a",', 'W/a b', '**', '"*" *', 'x'.repeat(5000) + '"']) {
        const answer = await ada.put('/v1/documents/dir/a.md', { content: '' }, { 'If-Match': bad });
        assert.ok(['INVALID_REQUEST bad_field', 'CONFLICT stale_if_match'].includes(answer.refusal), answer.text);
      }
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 50 }), async (tag) => {
          fc.pre(tag.trim() !== '*' && tag.trim() !== '');
          const answer = await ada.delete('/v1/documents/dir/a.md', { 'If-Match': tag });
          assert.ok(answer.status === 400 || answer.status === 409, answer.text);
        }),
        { numRuns: 100 },
      );
    });

    it('is not misled by headers without meaning here', async () => {
      const headers = {
        'X-HTTP-Method-Override': 'DELETE',
        'X-Forwarded-For': '"><script>',
        'X-Original-URL': '/v1/documents/other.md',
        Cookie: 'a=b; c',
        Accept: '*/*;q=x,,;',
        'Accept-Encoding': 'br;q=2',
        Range: 'bytes=99999999999999999999-',
        'If-Range': 'x',
        'If-Modified-Since': 'never',
        'Content-Type': 'multipart/form-data',
        Expect: '200-maybe',
        Origin: 'null',
      };
      const answer = await ada.get('/v1/documents/dir/a.md', headers);
      assert.deepEqual([answer.status, answer.json.content], [200, 'text']);
      assert.equal(answer.headers['access-control-allow-origin'], undefined);
    });

    it('makes no schema for each spelling of a Content-Type', async () => {
      for (let index = 0; index < 20; index += 1) {
        const type = `application/json; x${index}=y`;
        const answer = await ada.post('/v1/documents', { location: 'x.md' }, { 'Content-Type': type });
        assert.equal(answer.refusal, 'INVALID_REQUEST missing_field');
        await server.as().post('/v1/documents', {}, { 'Content-Type': type });
      }
    });
  });

  it('names the member that stands twice in a body, at any depth and in any length', async () => {
    const long = 'x'.repeat(300_000);
    const grant = '"scope_type":"folder","scope_id":"","role":"reader"';
    for (const [target, body, field] of [
      ['/v1/documents', '{"location":"a","content":"1","content":"2"}', 'content'],
      ['/v1/documents', '{"location":"a","content":"1","c\\u006fntent":"2"}', 'content'],
      ['/v1/documents', `{"location":"a","content":"${long}","content":"${long}"}`, 'content'],
      ['/v1/documents', `{"location":"a","content":"${long}","location":"b"}`, 'location'],
      ['/v1/grants', `{${grant},"subject":{"type":"group","id":"g","type":"principal"}}`, 'subject.type'],
    ] as const) {
      const { refusal, json } = await ada.post(target, body, { 'Content-Type': 'application/json' });
      assert.deepEqual([refusal, json.error.details.field], ['INVALID_REQUEST bad_field', field], body.slice(0, 60));
    }
  });

  describe('in bodies', () => {
    const fields = ['location', 'content', 'encoding', 'media_type', 'labels', 'message'] as const;
    const good = { location: 'new.md', content: '' };

    for (const field of fields) {
      it(`refuses values of another type as ${field}`, async () => {
        for (const value of badValues) {
          if (field === 'labels' && Array.isArray(value)) continue;
          for (const answer of [
            await ada.post('/v1/documents', { ...good, [field]: value }),
            await ada.put('/v1/documents/dir/a.md', { content: '', [field]: value }),
          ]) {
            assert.equal(answer.status, 400, `${field}: ${JSON.stringify(value)}`);
            assert.ok(String(answer.json.error.details.field).startsWith(field), answer.text);
          }
        }
      });
    }

    const bad: Record<string, object> = {
      'text that is no Unicode': { content: '\ud800' },
      'base64 with blanks': { content: 'YQ ==', encoding: 'base64' },
      'base64 without padding': { content: 'YQ', encoding: 'base64' },
      'another encoding': { encoding: 'utf-16' },
      'a media type with a line break': { media_type: 'text/plain\r\nSet-Cookie: a=b' },
      'a media type without a subtype': { media_type: 'text' },
      'an endless media type': { media_type: `a/${'b'.repeat(300)}` },
      'a message with a NUL': { message: 'a\u0000' },
      'an endless message': { message: 'x'.repeat(1001) },
      'a label twice': { labels: ['a', 'a'] },
      'an empty label': { labels: [''] },
      'a label with a comma': { labels: ['a,b'] },
      'a label that is no text': { labels: [1] },
      'too many labels': { labels: Array.from({ length: 51 }, (_, index) => `l${index}`) },
      'a flood of labels': { labels: Array.from({ length: 100_000 }, (_, index) => index) },
      'a flood of fields': Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`f${index}`, 0])),
      'a field too much': { title: 'x' },
    };
    for (const [what, extra] of Object.entries(bad)) {
      it(`refuses ${what}`, async () => {
        const answer = await ada.post('/v1/documents', { ...good, ...extra });
        assert.match(answer.refusal, /^INVALID_REQUEST (?:bad_field|unknown_field)$/, answer.text);
      });
    }

    it('refuses what is not JSON, or not an object', async () => {
      const json = { 'Content-Type': 'application/json' };
      for (const text of ['', '{', '{"location":"a.md",}', 'nul', '"', '{"a":1}x', "{'a':1}", 'NaN', '\ufffe']) {
        assert.equal((await ada.post('/v1/documents', text, json)).refusal, 'INVALID_REQUEST bad_json', text);
      }
      const latin1 = Buffer.from('{"location":"\xe9.md","content":""}', 'latin1');
      assert.equal((await ada.post('/v1/documents', latin1, json)).refusal, 'INVALID_REQUEST bad_json');
      for (const text of ['null', '[]', '1', '"text"', 'true']) {
        assert.equal((await ada.post('/v1/documents', text, json)).refusal, 'INVALID_REQUEST bad_field', text);
      }
    });

    it('a deeply nested body does not harm the server', async () => {
      const json = { 'Content-Type': 'application/json' };
      const deep = `{"location":${'['.repeat(100_000)}${']'.repeat(100_000)},"content":""}`;
      assert.equal((await ada.post('/v1/documents', deep, json)).status, 400);
    });

    it('looks a body over before it is parsed: a flood of values is refused as one, JSON or not', async () => {
      const json = { 'Content-Type': 'application/json' };
      for (const [flood, fault] of [
        [`[${'{},'.repeat(500_000)}`, 'has more than 1000 values'],
        [`{"location":${'['.repeat(100)}`, 'is nested too deeply'],
      ] as const) {
        const { refusal, json: answer } = await ada.post('/v1/documents', flood, json);
        assert.deepEqual([refusal, answer.error.message], ['INVALID_REQUEST bad_field', `The body ${fault}.`]);
        assert.equal(answer.error.details.field, 'body');
      }
    });

    it('takes JavaScript’s special names for unknown fields', async () => {
      const json = { 'Content-Type': 'application/json' };
      for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '', 'a/b', 'a.b']) {
        const text = `{"location":"new.md","content":"",${JSON.stringify(name)}:{"polluted":1}}`;
        assert.equal((await ada.post('/v1/documents', text, json)).refusal, 'INVALID_REQUEST unknown_field', name);
      }
      assert.equal(({} as { polluted?: number }).polluted, undefined);
    });

    it('answers as described for any JSON', async () => {
      await fc.assert(
        fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(...fields), async (value, field) => {
          fc.pre(value !== undefined);
          const answers = [
            await ada.post('/v1/documents', value ?? null),
            await ada.put('/v1/documents/none.md', { content: '', [field]: value }),
          ];
          for (const answer of answers) assert.ok(isDocumented(answer) && answer.status >= 400, answer.text);
        }),
        { numRuns: 100 },
      );
    });

    it('ignores a body where none belongs', async () => {
      const answer = await ada.send('GET', '/v1/documents/dir/a.md', { body: { content: 'x' } });
      assert.equal(answer.status, 200);
    });
  });
});

const isDocumented = ({ status, refusal }: HttpAnswer): boolean => status < 300 || (status < 500 && refusal !== '');
