import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { cutAddress } from '../../lib/limits/cut-address.js';
import type { RatedKind } from '../../lib/limits/token-buckets.js';
import { unavailable } from '../../lib/domain/refusal.js';
import { formatKey } from '../../lib/access/secret.js';
import { mountMcp } from '../../lib/mcp/mount-mcp.js';
import { openOAuthServer, type OAuthServer } from '../support/oauth/server.js';
import { noLog } from '../support/http/log.js';
import { openSignIn, Visitor, type SignInTest } from '../support/signin/open-sign-in.js';

describe('A host with a network of 2^64 addresses', function () {
  let test: SignInTest;

  beforeEach(async () => {
    test = await openSignIn({ server: { trustProxy: 1 } });
  });
  afterEach(() => test.close());

  it('waits like one address after many wrong passwords, and no other address waits with it', async () => {
    const statuses = [];
    for (let guess = 0; guess < 22; guess += 1) {
      statuses.push((await test.visitor(from(sameNetwork(guess))).signIn(`name${guess}`, 'wrong')).status);
    }
    assert.deepEqual(statuses.slice(19), [422, 429, 429]);
    assert.equal((await test.visitor(from(otherNetwork(3))).signIn('another', 'wrong')).status, 422);
  });

  it('sends as many forms a minute as one address', async () => {
    const visitor = test.visitor();
    await visitor.get('/signin');
    const csrf = /name="csrf" value="([^"]*)"/.exec(visitor.page)?.[1] ?? '';
    const send = (address: string) => visitor.post('/signin/link', { csrf, link: 'x' }, from(address));
    for (let form = 0; form < 60; form += 1) assert.equal((await send(sameNetwork(form))).status, 410);
    assert.equal((await send(sameNetwork(60))).status, 429);
    assert.equal((await send(otherNetwork(3))).status, 410);
  });

  it('guesses as many keys a minute as one address, and stands in the log as one', async () => {
    const guess = (number: number, address: string) => {
      const secret = 'a'.repeat(52);
      const credentialId = String(number).padStart(16, '0');
      const key = formatKey({ workspace: 'acme', credentialId, secret });
      return test.server.as(key).get('/v1/folders', from(address));
    };
    for (let number = 0; number < 300; number += 1) {
      assert.equal((await guess(number, sameNetwork(number))).refusal, 'UNAUTHENTICATED');
    }
    assert.equal((await guess(300, sameNetwork(300))).refusal, 'RATE_LIMITED');
    assert.equal((await guess(301, otherNetwork(3))).refusal, 'UNAUTHENTICATED');
    test.server.host.clock.advance(60_000);
    await test.server.rest.later.flush();
    const sources = test.records().filter((line) => line.includes('"reason":"unknown"'));
    assert.equal(sources.length, 2);
    assert.ok(sources[0]?.includes('"count":300') && sources[0].includes('"source":"2001:db8:1:2::/64"'), sources[0]);
  });

  it('registers as many applications a minute as one address', async () => {
    const oauth = await openOAuthServer({ server: { trustProxy: 1 } });
    try {
      const register = (address: string) =>
        fetch(`${oauth.url}/oauth/register`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...from(address) },
          body: JSON.stringify({ redirect_uris: ['https://a.example/cb'] }),
        });
      for (let count = 0; count < 60; count += 1) assert.equal((await register(sameNetwork(count))).status, 201);
      assert.equal((await register(sameNetwork(60))).status, 429);
      assert.equal((await register(otherNetwork(3))).status, 201);
    } finally {
      await oauth.close();
    }
  });
});

describe('The address of a client', () => {
  let server: OAuthServer;

  afterEach(() => server.close());

  /** Each face's cost, from an address's allowance, for a request without sign-in. */
  const faces: readonly { name: string; kind: RatedKind; atOnce: number; method: 'get' | 'post'; path: string }[] = [
    { name: 'REST', kind: 'address', atOnce: 300, method: 'get', path: '/v1/folders' },
    { name: 'MCP', kind: 'address', atOnce: 300, method: 'post', path: '/mcp' },
    { name: 'sign-in', kind: 'form', atOnce: 60, method: 'post', path: '/signin' },
    { name: 'OAuth', kind: 'oauth', atOnce: 200, method: 'post', path: '/oauth/token' },
  ];

  const near = '127.0.0.1';
  const cases: readonly [trustProxy: number | readonly string[], forwarded: string | string[], expected: string][] = [
    [0, '203.0.113.7', near],
    [1, [], near],
    [1, '203.0.113.7', '203.0.113.7'],
    [1, '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    [1, ['198.51.100.1', '203.0.113.7'], '203.0.113.7'],
    [1, ' , 203.0.113.7 ,, ', '203.0.113.7'],
    [1, '2001:db8:1:2::9', '2001:db8:1:2::1'],
    [2, '192.0.2.1, 198.51.100.1, 203.0.113.7', '198.51.100.1'],
    [3, '203.0.113.7', '203.0.113.7'],
    [['loopback'], '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    [['10.0.0.0/8'], '203.0.113.7', near],
    [['loopback', '10.0.0.0/8'], '198.51.100.1, 203.0.113.7, 10.1.2.3', '203.0.113.7'],
    [['loopback', '10.0.0.0/8'], '10.9.9.9, 10.1.2.3', '10.9.9.9'],
    [['loopback'], 'nobody knows', 'nobody knows'],
  ];
  for (const [trustProxy, forwarded, expected] of cases) {
    const proxies = typeof trustProxy === 'number' ? `${trustProxy} proxies` : `proxies in ${trustProxy.join(' and ')}`;
    it(`is ${expected} to every face for ${JSON.stringify(forwarded)} behind ${proxies}`, async () => {
      await open(trustProxy);
      const counted = await facesThatCount(expected, { 'X-Forwarded-For': forwarded });
      assert.deepEqual(counted, ['REST', 'MCP', 'sign-in', 'OAuth']);
    });
  }

  async function open(trustProxy: number | readonly string[]): Promise<void> {
    server = await openOAuthServer({ server: { trustProxy } });
    const { rest, host } = server.server;
    rest.mount(
      mountMcp(host.service, {
        version: '0.0.0',
        log: noLog,
        publicUrl: rest.url,
        corsOrigins: [],
        later: rest.later,
        addressOf: rest.addressOf,
      }),
    );
  }

  /** The faces that counted a request by this address. */
  async function facesThatCount(expected: string, headers: OutgoingHttpHeaders): Promise<string[]> {
    const { limiter } = server.host.service;
    const counted: string[] = [];
    for (const { name, kind, atOnce, method, path } of faces) {
      const left = () => limiter.take(kind, cutAddress(expected), atOnce, atOnce).remaining;
      const before = left();
      const visitor = new Visitor(server.url, headers);
      await (method === 'get' ? visitor.get(path) : visitor.post(path, {}));
      // The second look takes one, too.
      if (before - left() === 2) counted.push(name);
    }
    return counted;
  }
});

describe('The memory of wrong passwords', function () {
  let test: SignInTest;

  beforeEach(async () => {
    test = await openSignIn();
  });
  afterEach(() => test.close());

  it('is bounded: the address with the fewest failures is forgotten first', async () => {
    const { people } = test.server.host.service.file;
    const now = test.server.host.clock.now();
    const sourceOf = (name: string): Buffer => createHash('sha256').update(name).digest();
    people.within(() => {
      people.failures.set(sourceOf('guessed'), { count: 15, lastAt: now - 1000 });
      for (let other = 0; other < 100_001; other += 1) {
        people.failures.set(sourceOf(`other ${other}`), { count: 1, lastAt: now - 200_000 + other });
      }
    });
    await test.visitor().signIn('ada', 'wrong');
    const isKnown = (name: string): boolean => people.failures.find(sourceOf(name)) !== undefined;
    assert.deepEqual(['guessed', 'other 0', 'other 1', 'other 100000'].filter(isKnown), ['guessed', 'other 100000']);
  });

  it('holds nothing of an attempt that was turned away because too many were waiting', async () => {
    await test.person('Ada', 'ada');
    const { passwords, delay } = test.server.host.service.people;
    // As with sixty-six under way, without the half minute that they take.
    passwords.requireRoom = () => {
      throw unavailable();
    };
    for (let attempt = 0; attempt < 7; attempt += 1) {
      assert.equal((await test.visitor().signIn('ada', 'wrong')).status, 503);
    }
    for (let failure = 0; failure < 5; failure += 1) assert.equal(delay.begin('ada', '127.0.0.1'), 0, String(failure));
  });
});

const from = (address: string) => ({ 'X-Forwarded-For': address });

const sameNetwork = (host: number): string => `2001:db8:1:2::${host.toString(16)}`;

const otherNetwork = (network: number): string => `2001:db8:1:${network.toString(16)}::1`;
