import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Upstream } from '../../lib/signin/upstream.js';
import { makeSystemRandomness } from '../../lib/app/real-world.js';
import { perform } from '../../lib/operations/perform.js';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { operator } from '../support/store/service.js';
import { openSignIn, type SignInTest, type Visitor } from '../support/signin/open-sign-in.js';
import { UpstreamProvider } from './upstream-provider.js';

describe('Signing in with another provider', function () {
  let provider: UpstreamProvider;
  let test: SignInTest;

  before(async () => {
    test = await openSignIn({
      upstream: async (url) => {
        provider = await UpstreamProvider.open(`${url}/signin/upstream/callback`);
        const { issuer } = provider;
        const settings = { issuer, clientId: 'cartulary', clientSecret: 'shared-with-cartulary', name: 'Example' };
        return new Upstream(settings, makeSystemRandomness());
      },
    });
  });
  after(async () => {
    await provider.close();
    await test.close();
  });

  it('works for a person whose verified e-mail address is a sign-in name here', async () => {
    await test.person('Ada', 'ada@example.org');
    provider.somebody = { email: 'Ada@Example.ORG', email_verified: true };
    const visitor = test.visitor();
    const back = await goThrough(await press(visitor, { return: '/oauth/go-on' }));
    const answer = await comeBack(visitor, back);
    assert.match(answer.text, /content="0;url=\/oauth\/go-on"/);
    assert.ok(await visitor.isSignedIn());
    assert.equal(test.records().at(-1), 'session.begin done {"method":"upstream"}');
    const asked = provider.asked.at(-1);
    assert.equal(asked?.get('code_challenge_method'), 'S256');
    assert.equal(new Set([asked.get('state'), asked.get('nonce'), asked.get('code_challenge')]).size, 3);
    assert.equal(asked.get('scope'), 'openid email');
  });

  it('opens a workspace that the person has still to join in that browser alone, which it vouched for', async () => {
    const there = await test.server.addWorkspace();
    const here = await test.person('Eve', 'lin@example.org');
    const lin = await there.host.principal('Lin');
    await test.link(lin, 'lin@example.org', there.host);
    const taken = test.visitor();
    await taken.signIn('lin@example.org');
    provider.somebody = { email: 'lin@example.org', email_verified: true };
    const visitor = test.visitor();
    await comeBack(visitor, await goThrough(await press(visitor)));
    const seatsOf = (each: Visitor) =>
      test.signIn
        .readSession(`cartulary=${each.cookies.get('cartulary')}`)
        ?.memberships.map(({ principalId }) => principalId)
        .toSorted();
    assert.deepEqual(seatsOf(visitor), [here, lin].toSorted());
    assert.deepEqual(seatsOf(taken), [here]);
    const admin = await there.host.person('approver', '', 'Root');
    const provenAt = there.host.clock.now();
    const caller = { ...operator, principalId: admin.id, kind: 'person', provenAt, interface: 'console' } as const;
    const input = { principalId: lin, disabled: true };
    const { result } = await perform(there.host.workspace, caller, setPrincipalState, input);
    assert.equal(result.ended?.sessions, 1, 'the one that opened this workspace');
    assert.deepEqual([seatsOf(visitor), seatsOf(taken)], [undefined, [here]]);
  });

  it('works for no person whose address is unverified, unknown, missing or invalid', async () => {
    await test.person('Grace', 'grace@example.org');
    await test.person('Name', 'name');
    for (const somebody of [
      { email: 'grace@example.org', email_verified: false },
      { email: 'grace@example.org' },
      { email: 'nobody@example.org', email_verified: true },
      { email: 'name', email_verified: true },
      {},
    ]) {
      provider.somebody = somebody;
      const visitor = test.visitor();
      const answer = await comeBack(visitor, await goThrough(await press(visitor)));
      assert.equal(answer.status, 422, JSON.stringify(somebody));
      assert.ok(!(await visitor.isSignedIn()));
    }
  });

  for (const email of [
    'a\u1d48a@example.org',
    '\ufb01ona@example.org',
    '\u212aim@example.org',
    'ada@ex\uff41mple.org',
  ]) {
    it(`refuses an address that only looks like another: ${email}`, async () => {
      for (const [name, signInName] of [
        ['Ada', 'ada@example.org'],
        ['Fiona', 'fiona@example.org'],
        ['Kim', 'kim@example.org'],
      ] as const) {
        if (test.server.host.service.people.identities.findByName(signInName) === undefined) {
          await test.person(name, signInName);
        }
      }
      provider.somebody = { email, email_verified: true };
      const visitor = test.visitor();
      const answer = await comeBack(visitor, await goThrough(await press(visitor)));
      assert.equal(answer.status, 422);
      assert.match(answer.text, /characters that look like others/);
      assert.ok(!(await visitor.isSignedIn()));
    });
  }

  it('leads back to the longest request of an application, with any content', async () => {
    await test.person('Long', 'long@example.org');
    provider.somebody = { email: 'long@example.org', email_verified: true };
    const request = `/oauth/authorize?state=${'s'.repeat(3700)}&x=a;b,c"d`;
    const visitor = test.visitor();
    const back = await goThrough(await press(visitor, { return: request }));
    for (const [name, value] of visitor.cookies) assert.ok(name.length + value.length < 4096, name);
    const answer = await comeBack(visitor, back);
    const to = /content="0;url=([^"]*)"/.exec(answer.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assert.equal(to, request.replace(';', '%3B').replace(',', '%2C').replace('"', '%22'));
    assert.equal(visitor.cookies.get('cartulary-way'), undefined);
  });

  it('asks the provider no more often for one address than it takes forms', async () => {
    const visitor = test.visitor();
    await press(visitor);
    const cookie = visitor.cookies.get('cartulary-upstream') ?? '';
    test.server.host.clock.advance(60_000);
    const statuses = new Map<number, number>();
    for (let count = 0; count < 62; count += 1) {
      visitor.cookies.set('cartulary-upstream', cookie);
      const { status } = await visitor.get('/signin/upstream/callback?code=x&state=y');
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    assert.deepEqual(Object.fromEntries(statuses), { 502: 60, 429: 2 });
    test.server.host.clock.advance(60_000);
  });

  it('proves a signed-in person once more, who has to sign in there again, and as the same person', async () => {
    await test.person('Mary', 'mary@example.org');
    await test.person('Else', 'else@example.org');
    const { clock } = test.server.host;
    const visitor = test.visitor();
    await visitor.signIn('mary@example.org');
    const provenAt = (): number | undefined =>
      test.signIn.readSession(`cartulary=${visitor.cookies.get('cartulary')}`)?.provenAt ?? undefined;
    const again = async (email: string) => {
      clock.advance(60_000);
      provider.somebody = { email, email_verified: true };
      await visitor.get('/signin/again?return=/console');
      const { text } = await visitor.post('/signin/again/upstream', { return: '/console' });
      const to = /content="0;url=([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
      return comeBack(visitor, await goThrough(to));
    };
    assert.equal((await again('mary@example.org')).status, 200);
    assert.equal(provenAt(), clock.now());
    const asked = provider.asked.at(-1);
    assert.deepEqual([asked?.get('prompt'), asked?.get('max_age')], ['login', '0']);
    const other = await again('else@example.org');
    assert.equal(other.status, 422);
    assert.match(other.text, /somebody else/);
    assert.equal(provenAt(), clock.now() - 60_000);
  });

  it('takes a plain sign-in with the provider, which may be one click, for no proof', async () => {
    await test.person('Anne', 'anne@example.org');
    provider.somebody = { email: 'anne@example.org', email_verified: true };
    const visitor = test.visitor();
    const session = () => test.signIn.readSession(`cartulary=${visitor.cookies.get('cartulary')}`);
    await visitor.signIn('anne@example.org');
    assert.equal(session()?.provenAt, test.server.host.clock.now());
    await comeBack(visitor, await goThrough(await press(visitor)));
    assert.deepEqual([session()?.method, session()?.provenAt], ['upstream', null]);
  });

  it('takes no earlier sign-in at the provider for a new one', async () => {
    await test.person('Old', 'old@example.org');
    const { clock } = test.server.host;
    const visitor = test.visitor();
    await visitor.signIn('old@example.org');
    provider.somebody = { email: 'old@example.org', email_verified: true };
    // Ahead of the provider's clock, so that what it vouches for is of the past.
    const ahead = Date.now() - clock.now() + 3_600_000;
    clock.advance(ahead);
    await visitor.signIn('old@example.org');
    await visitor.get('/signin/again');
    const { text } = await visitor.post('/signin/again/upstream', {});
    const to = /content="0;url=([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const answer = await comeBack(visitor, await goThrough(to));
    clock.advance(-ahead);
    assert.equal(answer.status, 422);
    assert.match(answer.text, /does not say that you have just signed in/);
  });

  it('takes no answer meant for another browser, nor one twice, nor one after a quarter of an hour', async () => {
    await test.person('Joan', 'joan@example.org');
    provider.somebody = { email: 'joan@example.org', email_verified: true };
    const [attacker, victim] = [test.visitor(), test.visitor()];
    const back = await goThrough(await press(attacker));
    assert.equal((await comeBack(victim, back)).status, 400);
    await press(victim);
    assert.equal((await comeBack(victim, back)).status, 502, 'the state is that of another attempt');
    assert.ok(!(await victim.isSignedIn()));
    const cookie = attacker.cookies.get('cartulary-upstream') ?? '';
    assert.ok((await comeBack(attacker, back)).status < 400);
    attacker.cookies.set('cartulary-upstream', cookie);
    assert.equal((await comeBack(attacker, back)).status, 502, 'the code was used');
    const late = test.visitor();
    const address = await goThrough(await press(late));
    test.server.host.clock.advance(15 * 60_000);
    assert.equal((await comeBack(late, address)).status, 400);
  });

  it('believes no attempt that it did not remember itself', async () => {
    const visitor = test.visitor();
    await press(visitor);
    const [text = ''] = (visitor.cookies.get('cartulary-upstream') ?? '').split('.');
    const remembered = JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>;
    const forged = Buffer.from(JSON.stringify({ ...remembered, state: 'chosen' })).toString('base64url');
    for (const value of [`${forged}.${'A'.repeat(43)}`, forged, '', 'x.y.z']) {
      visitor.cookies.set('cartulary-upstream', value);
      assert.equal((await visitor.get('/signin/upstream/callback?code=x&state=chosen')).status, 400);
    }
  });

  it('is not offered, and leads nowhere, where none is configured', async () => {
    const plain = await openSignIn();
    try {
      const visitor = plain.visitor();
      assert.doesNotMatch((await visitor.get('/signin')).text, /upstream/);
      assert.equal((await visitor.post('/signin/upstream', {})).status, 404);
      assert.equal((await visitor.get('/signin/upstream/callback?code=x&state=y')).status, 404);
    } finally {
      await plain.close();
    }
  });

  it('reports that the provider does not answer', async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const issuer = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    await new Promise((resolve) => silent.close(resolve));
    const settings = { issuer, clientId: 'cartulary', clientSecret: 'x', name: 'Example' };
    const other = await openSignIn({ signIn: { upstream: new Upstream(settings, makeSystemRandomness()) } });
    try {
      const visitor = other.visitor();
      assert.match((await visitor.get('/signin')).text, /Sign in with Example/);
      const { status, text } = await visitor.post('/signin/upstream', {});
      assert.equal(status, 502);
      assert.match(text, /Example did not answer/);
    } finally {
      await other.close();
    }
  });

  /** Presses the button. @returns the next page */
  async function press(visitor: Visitor, fields: Readonly<Record<string, string>> = {}): Promise<string> {
    await visitor.get('/signin?again=1');
    const { text } = await visitor.post('/signin/upstream', fields);
    const target = /content="0;url=([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assert.ok(target.startsWith(`${provider.issuer}/auth?`), text);
    return target;
  }

  async function comeBack(visitor: Visitor, address: string) {
    const { pathname, search } = new URL(address);
    return visitor.get(pathname + search);
  }
});

/**
 * Follows the redirects through the other provider, with the cookies it gives. @returns the address back at the service
 */
async function goThrough(start: string): Promise<string> {
  const cookies = new Map<string, string>();
  for (let url = start, steps = 0; steps < 6; steps += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const next = answer.headers.get('location');
    assert.ok(next !== null, `${answer.status} at ${url}: ${await answer.text()}`);
    url = new URL(next, url).href;
    if (url.includes('/signin/upstream/callback')) return url;
  }
  throw new Error('The provider never sent the browser back.');
}
