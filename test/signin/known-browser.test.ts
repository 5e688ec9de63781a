import assert from 'node:assert/strict';
import { goodPassword, openSignIn, type SignInTest, type Visitor } from '../support/signin/open-sign-in.js';

const day = 24 * 60 * 60_000;

describe('A browser of an earlier sign-in', function () {
  let test: SignInTest;
  let ada: string;

  beforeEach(async () => {
    test = await openSignIn();
    ada = await test.person('Ada', 'ada');
  });
  afterEach(() => test.close());

  it('does not wait for strangers who fail in that name, however long they go on', async () => {
    const known = await makeKnown();
    guessUntilDelayed(() => 'ada');
    for (let round = 0; round < 3; round += 1) {
      // A polling guesser wins the moment at which the name may be tried again.
      test.server.host.clock.advance(60_000);
      assert.equal((await test.visitor().signIn('ada', 'wrong')).status, 422);
      assert.equal((await test.visitor().signIn('ada', goodPassword)).status, 429, 'another browser waits');
      assert.equal((await known.signIn('ada', goodPassword)).status, 303);
    }
    assert.equal((await test.visitor().signIn('ada', goodPassword)).status, 429, 'success helps no stranger');
  });

  it('does not wait for others at its address either', async () => {
    const known = await makeKnown();
    guessUntilDelayed((guess) => `name${guess}`);
    assert.equal((await test.visitor().signIn('ada', goodPassword)).status, 429);
    assert.equal((await known.signIn('ada', goodPassword)).status, 303);
  });

  it('waits for its own failures, and makes no other wait by them', async () => {
    const known = await makeKnown();
    const other = await makeKnown();
    const statuses = [];
    for (let guess = 0; guess < 7; guess += 1) statuses.push((await known.signIn('ada', 'wrong')).status);
    assert.deepEqual(statuses, [422, 422, 422, 422, 422, 429, 429]);
    assert.equal((await known.signIn('ada', goodPassword)).status, 429);
    assert.equal((await other.signIn('ada', goodPassword)).status, 303);
    assert.equal((await test.visitor().signIn('ada', 'wrong')).status, 422);
    test.server.host.clock.advance(60_000);
    assert.equal((await known.signIn('ada', goodPassword)).status, 303);
  });

  it('is also one that chose a password by a link there', async () => {
    const visitor = test.visitor();
    const path = await test.link(ada);
    await visitor.get(path);
    const link = path.split('/').pop() ?? '';
    const sent = { link, password: 'a quite different thing', again: 'a quite different thing' };
    assert.equal((await visitor.post('/signin/link', sent)).status, 303);
    guessUntilDelayed(() => 'ada');
    assert.equal((await visitor.signIn('ada', 'a quite different thing')).status, 303);
  });

  describe('is a stranger', () => {
    const cookie = 'cartulary-known';

    it('to another name', async () => {
      await test.person('Eve', 'eve');
      await assertStranger(await makeKnown('eve'));
    });

    it('with a changed cookie, or one of another service', async () => {
      const known = await makeKnown();
      const own = known.cookies.get(cookie) ?? '';
      const [at = '', mark = '', proof = ''] = own.split('.');
      const other = await openSignIn({ seed: 'another' });
      await other.person('Ada', 'ada');
      const elsewhere = other.visitor();
      await elsewhere.signIn('ada');
      await other.close();
      guessUntilDelayed(() => 'ada');
      for (const text of [
        '',
        '..',
        `${at}.${mark}.`,
        `${at}.${mark.replace(/./, (first) => (first === 'a' ? 'b' : 'a'))}.${proof}`,
        `${(Number.parseInt(at, 36) + 1).toString(36)}.${mark}.${proof}`,
        `${own}x`,
        elsewhere.cookies.get(cookie) ?? '',
      ]) {
        known.cookies.set(cookie, text);
        assert.equal((await known.signIn('ada', goodPassword)).status, 429, text);
      }
      known.cookies.set(cookie, own);
      assert.equal((await known.signIn('ada', goodPassword)).status, 303);
    });

    it('after four hundred days', async () => {
      const known = await makeKnown();
      test.server.host.clock.advance(400 * day);
      await assertStranger(known);
    });

    it('after a new password, so that cookies are not worth collecting', async () => {
      const known = await makeKnown();
      const { people } = test.server.host.service;
      const secret = (await test.link(ada)).split('/').pop() ?? '';
      people.links.use(secret, await people.passwords.hash(goodPassword));
      await assertStranger(known);
    });

    async function assertStranger(visitor: Visitor, name = 'ada'): Promise<void> {
      guessUntilDelayed(() => name);
      assert.equal((await visitor.signIn(name, goodPassword)).status, 429);
    }
  });

  /** A browser that knows the password, and is signed out again. */
  async function makeKnown(name = 'ada'): Promise<Visitor> {
    const visitor = test.visitor();
    await visitor.signIn(name);
    assert.ok(await visitor.isSignedIn());
    await visitor.post('/signin/out', {});
    return visitor;
  }

  /** Strangers at the same address fail until a name, or the address, has to wait. */
  function guessUntilDelayed(name: (guess: number) => string): void {
    const { delay } = test.server.host.service.people;
    for (let guess = 0; guess < 30; guess += 1) if (delay.begin(name(guess), '127.0.0.1') > 0) return;
    assert.fail('nobody had to wait');
  }
});
