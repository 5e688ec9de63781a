import assert from 'node:assert/strict';
import { goodPassword, openSignIn, type SignInTest, type Visitor } from '../support/signin/open-sign-in.js';

const minute = 60_000;

describe('Signing in again', function () {
  let test: SignInTest;
  let ada: Visitor;

  beforeEach(async () => {
    test = await openSignIn();
    await test.person('Ada', 'ada@example.org');
    await test.person('Grace', 'grace@example.org', 'another five white cranes');
    ada = test.visitor();
    await ada.signIn('ada@example.org');
    test.server.host.clock.advance(60 * minute);
  });
  afterEach(() => test.close());

  it('takes the password of the person who is signed in, leads back, and makes the proof recent', async () => {
    const { clock } = test.server.host;
    const before = cookieOf(ada);
    const page = await ada.get('/signin/again?return=/console/w/acme/erase/a.md');
    assert.match(page.text, /value="ada@example\.org"/);
    assert.equal(provenAt(), clock.now() - 60 * minute, 'looking at the form proves nothing');
    const answer = await prove(goodPassword);
    assert.match(answer.text, /content="0;url=\/console\/w\/acme\/erase\/a\.md"/);
    assert.equal(provenAt(), clock.now());
    assert.equal(test.signIn.readSession(before), undefined, 'a copy of the old cookie does not profit');
    assert.equal(test.records().at(-1), 'session.begin done {"method":"password"}');
  });

  it('takes nobody else’s password, and no name from the form', async () => {
    const before = provenAt();
    const wrong = await prove('another five white cranes', { name: 'grace@example.org' });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /not your password/);
    assert.equal(provenAt(), before);
    assert.equal(test.signIn.readSession(cookieOf(ada))?.signInName, 'ada@example.org');
  });

  it('delays wrong passwords like a sign-in does, and counts them with it', async () => {
    for (let tries = 0; tries < 5; tries += 1) assert.equal((await prove('wrong')).status, 422);
    await prove('wrong');
    const held = await prove(goodPassword);
    assert.equal(held.status, 429);
    assert.ok(Number(held.headers['retry-after']) > 0);
    assert.match(held.text, /Too many attempts/);
    assert.equal((await ada.signIn('ada@example.org')).status, 429, 'the sign-in waits too');
  });

  it('takes no form of another page, and no target on another host', async () => {
    await ada.get('/signin');
    await ada.get('/signin/again');
    assert.equal((await ada.post('/signin/again', { password: goodPassword, csrf: 'x' })).status, 400);
    const away = await prove(goodPassword, { return: '//example.net/' });
    assert.match(away.text, /content="0;url=\/console"/);
  });

  it('takes no form of another session, and none twice', async () => {
    const grace = test.visitor();
    await grace.signIn('grace@example.org', 'another five white cranes');
    const formOf = async (visitor: Visitor): Promise<string> =>
      /name="csrf" value="([^"]*)"/.exec((await visitor.get('/signin/again')).text)?.[1] ?? assert.fail('no form');
    const [hers, own] = [await formOf(grace), await formOf(ada)];
    const before = provenAt();
    const send = (csrf: string) => ada.post('/signin/again', { password: goodPassword, csrf });
    assert.equal((await send(hers)).status, 400);
    assert.equal((await ada.post('/signin/again/upstream', { csrf: hers })).status, 400);
    assert.equal(provenAt(), before);
    assert.equal((await send(own)).status, 200);
    assert.equal((await send(own)).status, 400, 'the session of that form has ended');
  });

  it('is a sign-in for a person who is signed out', async () => {
    const stranger = test.visitor();
    const { headers } = await stranger.get('/signin/again?return=/console/w/acme/erase/a.md');
    assert.equal(headers.location, '/signin?return=%2Fconsole%2Fw%2Facme%2Ferase%2Fa.md');
    assert.equal((await stranger.post('/signin/again', { password: goodPassword })).headers.location, '/signin');
    assert.equal((await stranger.post('/signin/again/upstream', {})).headers.location, '/signin');
  });

  const cookieOf = (visitor: Visitor): string => `cartulary=${visitor.cookies.get('cartulary')}`;

  const provenAt = () => test.signIn.readSession(cookieOf(ada))?.provenAt;

  const prove = async (password: string, fields: Readonly<Record<string, string>> = {}) => {
    await ada.get('/signin/again?return=/console/w/acme/erase/a.md');
    return ada.post('/signin/again', { password, return: '/console/w/acme/erase/a.md', ...fields });
  };
});
