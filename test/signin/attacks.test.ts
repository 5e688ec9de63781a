import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readReturnPath } from '../../lib/signin/return-path.js';
import { goodPassword, openSignIn, type SignInTest } from '../support/signin/open-sign-in.js';

describe('Signing in, attacked', function () {
  let test: SignInTest;

  beforeEach(async () => {
    test = await openSignIn();
  });
  afterEach(() => test.close());

  it('keeps no person waiting longer because the clock was set back', async () => {
    await test.person('Ada', 'ada');
    const visitor = test.visitor();
    const { clock } = test.server.host;
    for (let guess = 0; guess < 6; guess += 1) await visitor.signIn('ada', `guess ${guess}`);
    clock.advance(-3_600_000);
    const { status, headers } = await visitor.signIn('ada', goodPassword);
    assert.deepEqual([status, headers['retry-after']], [429, '1']);
    clock.advance(1000);
    await visitor.signIn('ada', goodPassword);
    assert.ok(await visitor.isSignedIn());
  });

  it('makes a guesser wait, longer each time, and checks nothing meanwhile', async () => {
    await test.person('Ada', 'ada');
    const { clock } = test.server.host;
    const visitor = test.visitor();
    const waits: string[] = [];
    for (let guess = 0; guess < 14; guess += 1) {
      const { status, headers } = await visitor.signIn('ada', `guess ${guess}`);
      const wait = headers['retry-after'];
      waits.push(wait === undefined ? String(status) : `wait ${wait}`);
      if (wait !== undefined) clock.advance(Number(wait) * 1000);
    }
    assert.deepEqual(waits, [
      '422',
      '422',
      '422',
      '422',
      '422',
      'wait 1',
      '422',
      'wait 2',
      '422',
      'wait 4',
      '422',
      'wait 8',
      '422',
      'wait 16',
    ]);
    await visitor.signIn('ada', 'one more guess');
    const right = await visitor.signIn('ada', goodPassword);
    assert.equal(right.status, 429, 'even the right password waits');
    clock.advance(60_000);
    await visitor.signIn('ada', goodPassword);
    assert.ok(await visitor.isSignedIn());
    await visitor.signIn('ada', 'a slip');
    assert.equal((await visitor.signIn('ada', goodPassword)).status, 303, 'success starts the name again');
  });

  it('delays an unknown name like a known one', async () => {
    await test.person('Ada', 'ada');
    for (const name of ['ada', 'bob']) {
      const statuses = [];
      for (let guess = 0; guess < 7; guess += 1) statuses.push((await test.visitor().signIn(name, 'wrong')).status);
      assert.deepEqual(statuses, [422, 422, 422, 422, 422, 429, 429], name);
    }
  });

  it('counts simultaneous guesses like guesses one after the other', async () => {
    await test.person('Ada', 'ada');
    const visitors = Array.from({ length: 12 }, () => test.visitor());
    await Promise.all(visitors.map((visitor) => visitor.get('/signin')));
    const answers = await Promise.all(visitors.map((each) => each.post('/signin', { name: 'ada', password: 'wrong' })));
    assert.equal(answers.filter(({ status }) => status === 422).length, 5);
    assert.equal(answers.filter(({ status }) => status === 429).length, 7);
  });

  it('makes an address wait that tries many names', async () => {
    const statuses = [];
    for (let guess = 0; guess < 22; guess += 1) {
      statuses.push((await test.visitor().signIn(`name${guess}`, 'wrong')).status);
    }
    assert.deepEqual(statuses.slice(18), [422, 422, 429, 429]);
  });

  it('takes sixty forms a minute from an address, and no more', async () => {
    const visitor = test.visitor();
    await visitor.get('/signin');
    const csrf = /name="csrf" value="([^"]*)"/.exec(visitor.page)?.[1] ?? '';
    const statuses = new Map<number, number>();
    for (let form = 0; form < 62; form += 1) {
      const { status } = await visitor.post('/signin/link', { csrf, link: 'x' });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    assert.deepEqual(
      [...statuses],
      [
        [410, 60],
        [429, 2],
      ],
    );
    assert.match(visitor.page, /Too many attempts/);
  });

  it('takes the same steps for an unknown name', async () => {
    await test.person('Ada', 'ada');
    const steps: string[] = [];
    const { people } = test.server.host.service;
    for (const part of Object.values(people) as object[]) {
      for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(part))) {
        const own = Reflect.get(part, name) as unknown;
        if (typeof own !== 'function' || name === 'constructor') continue;
        Object.defineProperty(part, name, {
          value: (...values: unknown[]): unknown => {
            steps.push(`${part.constructor.name}.${name}`);
            return Reflect.apply(own, part, values);
          },
        });
      }
    }
    const stepsOf = async (name: string): Promise<string[]> => {
      await test.visitor().get('/signin');
      steps.length = 0;
      await test.visitor().signIn(name, 'wrong');
      return [...steps];
    };
    const known = await stepsOf('ada');
    assert.ok(known.includes('PasswordHasher.matches'), known.join(' '));
    assert.deepEqual(await stepsOf('bob'), known);
  });

  it('does nothing for a form from elsewhere', async () => {
    await test.person('Ada', 'ada');
    const victim = test.visitor();
    await victim.signIn('ada');
    await victim.get('/signin/sessions');
    for (const [fields, headers] of [
      [{ csrf: '' }, {}],
      [{ csrf: 'x'.repeat(43) }, {}],
      [{}, { 'Sec-Fetch-Site': 'cross-site' }],
      [{}, { 'Sec-Fetch-Site': 'same-site' }],
      [{}, { Origin: 'https://evil.example' }],
    ] as const) {
      assert.equal((await victim.post('/signin/out', fields, headers)).status, 400);
      assert.ok(await victim.isSignedIn());
    }
    const stranger = test.visitor();
    await stranger.get('/signin');
    const csrf = /name="csrf" value="([^"]*)"/.exec(stranger.page)?.[1] ?? '';
    assert.equal((await victim.post('/signin', { csrf, name: 'eve', password: goodPassword })).status, 400);
    const page = (await victim.get('/signin?again=1')).text;
    assert.equal(
      (await victim.post('/signin/out', {})).status,
      400,
      'the proof of a form before sign-in is none after it',
    );
    assert.match(page, /name="csrf"/);
  });

  it('gives a new cookie at each sign-in, and takes no foreign one', async () => {
    await test.person('Ada', 'ada');
    const planted = 'a'.repeat(52);
    const visitor = test.visitor();
    visitor.cookies.set('cartulary', planted);
    await visitor.signIn('ada');
    const first = visitor.cookies.get('cartulary');
    assert.notEqual(first, planted);
    assert.equal(test.signIn.readSession(`cartulary=${planted}`), undefined);
    await visitor.signIn('ada');
    assert.notEqual(visitor.cookies.get('cartulary'), first);
    assert.equal(test.signIn.readSession(`cartulary=${first}`), undefined, 'the one before has ended');
  });

  it('cannot be framed, kept or referred to by any site', async () => {
    for (const path of ['/signin', '/signin/forgotten', '/signin/out', '/signin/nothing', '/signin/link/x']) {
      const { headers } = await test.visitor().get(path);
      const policy = String(headers['content-security-policy']);
      assert.match(
        policy,
        /^default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; /,
      );
      assert.match(policy, /frame-ancestors 'none'$/);
      assert.equal(headers['x-frame-options'], 'DENY');
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['x-content-type-options'], 'nosniff');
    }
  });

  it('has cookies that scripts, other sites and plain connections do not get', async () => {
    const secure = await openSignIn({ signIn: { url: 'https://files.example.org/store' } });
    try {
      await secure.person('Ada', 'ada');
      const visitor = secure.visitor({ Host: 'files.example.org' });
      const { text } = await visitor.get('/signin');
      assert.match(text, /action="\/store\/signin"/);
      const { headers } = await visitor.post('/signin', { name: 'ada', password: goodPassword });
      const [session = '', known = '', ...others] = headers['set-cookie'] ?? [];
      assert.match(session, /^__Host-cartulary=[0-9a-x]{52}; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
      assert.match(
        known,
        /^__Host-cartulary-known=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=34560000$/,
      );
      assert.deepEqual(others, []);
      assert.equal(headers.location, '/store/console');
      const cookie = `__Host-cartulary=${visitor.cookies.get('__Host-cartulary')}`;
      assert.equal(secure.signIn.readSession(cookie)?.signInName, 'ada');
      assert.equal(secure.signIn.readSession(cookie.replace('__Host-', '')), undefined);
    } finally {
      await secure.close();
    }
  });

  it('answers only at its own address, and never over a readable connection', async () => {
    assert.equal((await test.visitor({ Host: 'evil.example' }).get('/signin')).status, 421);
    assert.equal((await test.visitor({ Host: 'localhost:1' }).get('/signin')).status, 200);
    const plain = await openSignIn({ signIn: { url: 'http://files.example.org' } });
    try {
      const { status, text } = await plain.visitor({ Host: 'files.example.org' }).get('/signin');
      assert.equal(status, 421);
      assert.match(text, /https only/);
    } finally {
      await plain.close();
    }
  });

  it('sends no browser to another site', () => {
    for (const hostile of [
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      'https://evil.example',
      'javascript:alert(1)',
      '/\t/evil.example',
      '/\n/evil.example',
      '/.//evil.example',
      '/..//evil.example',
      'signin',
      '',
      ' /signin',
      '/a\\b',
      '/%0d%0aSet-Cookie:x\r\n',
      `/${'a'.repeat(8001)}`,
      '@evil.example',
      '///evil.example',
      7,
      null,
    ]) {
      assert.equal(readReturnPath(hostile, ''), undefined, JSON.stringify(hostile));
    }
    assert.equal(readReturnPath('/oauth/auth?x=1&y=//z', ''), '/oauth/auth?x=1&y=//z');
    assert.equal(readReturnPath('/store/oauth', '/store'), '/store/oauth');
    for (const outside of ['/oauth', '/storeroom', '/store/../oauth', '/store/..//evil.example']) {
      assert.equal(readReturnPath(outside, '/store'), undefined, outside);
    }
  });

  it('answers invalid and oversized forms with a status of 400 or above', async () => {
    const visitor = test.visitor();
    await visitor.get('/signin');
    const twice = await visitor.post('/signin', {}, {});
    assert.equal(twice.status, 422, 'empty fields are a wrong password');
    const type = { 'Content-Type': 'application/json' };
    assert.equal((await visitor.post('/signin', {}, type)).status, 400);
    const long = await visitor.post('/signin', { name: 'a'.repeat(40_000), password: 'x' });
    assert.equal(long.status, 413);
    assert.match(long.text, /at most 32768 bytes/);
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}`, 'x']));
    assert.equal((await visitor.post('/signin', many)).status, 413);
    assert.equal((await visitor.get('/signin/../v1/health')).status, 404);
    assert.equal((await visitor.get('/signin/nothing')).status, 404);
    const wrong = await visitor.post('/signin/forgotten', {});
    assert.deepEqual([wrong.status, wrong.headers.allow], [405, 'GET, HEAD']);
    assert.equal((await visitor.get(`/signin?${'a&'.repeat(20)}`)).status, 414);
    assert.equal((await visitor.get('/signin', { Origin: 'x'.repeat(301) })).status, 431);
    const elsewhere = Array.from({ length: 400 }, (_, index) => `other${index}=${'x'.repeat(20)}`).join('; ');
    assert.equal(
      (await visitor.get('/signin', { Cookie: elsewhere })).status,
      200,
      'what others have set is no matter',
    );
  });

  it('gives a thief of the data folder nothing that opens anything, and the log no secret', async () => {
    const kept = await openSignIn({ store: 'disk-without-git' });
    try {
      await kept.person('Ada', 'ada@example.org');
      const unused = await kept.link(await kept.server.host.principal('New'), 'new@example.org');
      const visitor = kept.visitor();
      await visitor.signIn('ada@example.org');
      await visitor.get(unused);
      const typed = 'not-a-name-but-a-password';
      await visitor.signIn(typed, 'another-secret-typed');
      const secrets = [
        goodPassword,
        unused.split('/').pop(),
        visitor.cookies.get('cartulary'),
        visitor.cookies.get('cartulary-known')?.split('.')[1],
        visitor.cookies.get('cartulary-known')?.split('.')[2],
        typed,
        'another-secret-typed',
      ];
      const folder = kept.server.host.dataFolder ?? '';
      const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
      assert.ok(files.some(({ name }) => name === 'service.sqlite'));
      for (const file of files) {
        const bytes = readFileSync(join(file.parentPath, file.name));
        for (const secret of secrets)
          assert.ok(secret !== undefined && !bytes.includes(secret), `${file.name}: ${secret}`);
      }
      const log = JSON.stringify(kept.server.log);
      assert.match(log, /signin\/link\/:secret/);
      for (const secret of secrets) assert.ok(!log.includes(secret ?? '?'));
    } finally {
      await kept.close();
    }
  });
});
