import assert from 'node:assert/strict';
import { sourceOf } from '../../lib/limits/work-limits.js';
import { mountManual } from '../../lib/manual/mount-manual.js';
import { mountMcp } from '../../lib/mcp/mount-mcp.js';
import { mintCredential } from '../../lib/operations/credentials/change-credential.js';
import { perform } from '../../lib/operations/perform.js';
import { RawConnection } from '../support/http/raw-connection.js';
import { openConsole, type TestConsole } from '../support/http/console.js';
import { keepLog } from '../support/http/log.js';
import { mountGit } from '../support/http/open-remote.js';
import { operator } from '../support/store/service.js';
import { makeOAuthFace } from '../../lib/signin/oauth/oauth-face.js';

const long = 'x'.repeat(9000);
const json = 'application/json';

const noHost: Fault = { name: 'no Host', wrong: { host: null }, answer: '400 The header Host is required' };

const anonymous = { host: '127.0.0.1', key: '', headers: {}, type: null, body: '', query: '' };
const longQuery = `?q=${'x'.repeat(20_000)}`;

const signInCase: Case = {
  face: 'sign-in',
  usual: { ...anonymous, method: 'GET', path: '/signin' },
  faults: [
    { name: 'a long query', wrong: { query: longQuery }, answer: '414 query' },
    { name: 'a coding', wrong: { headers: { 'Content-Encoding': 'gzip' } }, answer: '415 Content-Encoding' },
    { name: 'another host', wrong: { host: 'evil.example' }, answer: '421 ' },
    { name: 'an unknown path', wrong: { path: '/signin/nothing' }, answer: '404 ' },
    { name: 'another method', wrong: { method: 'PUT' }, answer: '405 ' },
  ],
};

const pagesCase: Case = {
  face: 'the pages of the console',
  usual: { ...anonymous, method: 'GET', path: '/console' },
  faults: [
    { name: 'a long query', wrong: { query: longQuery }, answer: '414 query' },
    { name: 'a coding', wrong: { headers: { 'Content-Encoding': 'gzip' } }, answer: '415 Content-Encoding' },
    { name: 'another method', wrong: { method: 'PUT' }, answer: '405 ' },
    { name: 'an unknown file', wrong: { path: '/console/assets/nothing.js' }, answer: '404 ' },
  ],
};

const manualCase: Case = {
  face: 'the manual',
  usual: { ...anonymous, method: 'GET', path: '/docs/' },
  faults: [
    { name: 'a long query', wrong: { query: longQuery }, answer: '414 query' },
    { name: 'a coding', wrong: { headers: { 'Content-Encoding': 'gzip' } }, answer: '415 Content-Encoding' },
    { name: 'another method', wrong: { method: 'PUT' }, answer: '405 ' },
    { name: 'an unknown page', wrong: { path: '/docs/nothing' }, answer: '404 ' },
  ],
};

const oauthCase: Case = {
  face: 'OAuth',
  usual: {
    ...anonymous,
    method: 'POST',
    path: '/oauth/token',
    type: 'application/x-www-form-urlencoded',
    body: 'grant_type=none',
  },
  faults: [
    { name: 'an unknown path', wrong: { path: '/oauth/nothing' }, answer: '404 nothing at this address' },
    { name: 'another method', wrong: { method: 'PUT' }, answer: '405 ' },
    { name: 'a long query', wrong: { query: longQuery }, answer: '414 query' },
    { name: 'a coding', wrong: { headers: { 'Content-Encoding': 'gzip' } }, answer: '415 Content-Encoding' },
  ],
};

const faces = ['REST', 'the console', 'MCP', 'git', 'sign-in', 'the pages of the console', 'the manual', 'OAuth'];

describe('the order of refusals', () => {
  let opened: TestConsole;
  let cases: readonly Case[];

  before(async () => {
    opened = await openFaces();
    const keys = await makeKeys(opened);
    const { cookie } = await opened.person('grace', 'editor');
    const withKeys = [restCase(keys), consoleCase(cookie), mcpCase(keys), gitCase(keys)];
    cases = [...withKeys, signInCase, pagesCase, manualCase, oauthCase];
  });
  after(() => opened.close());

  for (const [at, face] of faces.entries()) {
    it(`${face}: a request with two faults is refused for the one that the steps meet first`, async () => {
      const { usual, faults } = cases[at]!;
      const wrong: string[] = [];
      for (const [first, earlier] of faults.entries()) {
        const alone = await send(opened, { ...usual, ...earlier.wrong });
        if (!isAnswer(alone, earlier)) wrong.push(`${earlier.name}: ${alone}`);
        for (const later of faults.slice(first + 1).filter((each) => !shareParts(earlier, each))) {
          const both = await send(opened, { ...usual, ...earlier.wrong, ...later.wrong });
          if (!isAnswer(both, earlier)) wrong.push(`${earlier.name} and ${later.name}: ${both}`);
        }
      }
      assert.deepEqual(wrong, []);
    });
  }
});

const bearer = (key: string): Partial<Sent> => ({ key: `Bearer ${key}` });

const basic = (key: string): Partial<Sent> => ({ key: `Basic ${Buffer.from(`git:${key}`).toString('base64')}` });

const shareParts = (one: Fault, other: Fault): boolean => Object.keys(one.wrong).some((part) => part in other.wrong);

function isAnswer(sent: string, { answer }: Fault): boolean {
  const [status = '', ...words] = answer.split(' ');
  return sent.startsWith(`${status} `) && sent.includes(words.join(' '));
}

/** @returns the status and the body */
async function send({ server }: TestConsole, sent: Sent): Promise<string> {
  const { method, path, query, host, key, headers, type, body } = sent;
  const auth = key === '' ? {} : key.startsWith('cartulary=') ? { Cookie: key } : { Authorization: key };
  const lines = {
    ...(host === null ? {} : { Host: host }),
    ...auth,
    ...(type === null ? {} : { 'Content-Type': type }),
    ...(body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
    ...headers,
    Connection: 'close',
  };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  const connection = await RawConnection.open(server.rest.port);
  connection.write(`${method} ${path}${query} HTTP/1.1\r\n${head.join('')}\r\n${body}`);
  const answer = await connection.read();
  connection.end();
  return `${answer.status} ${answer.body}`;
}

/** One request, as its parts. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly host: string | null;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly type: string | null;
  readonly body: string;
}

/** One thing wrong with a request, and its answer. Two faults of one part cannot be in one request. */
interface Fault {
  readonly name: string;
  readonly wrong: Partial<Sent>;
  /** The status, and words of the answer. */
  readonly answer: string;
}

interface Case {
  readonly face: string;
  readonly usual: Sent;
  /** In the order in which they are refused. */
  readonly faults: readonly Fault[];
}

/** Keys and cookies of one person, in the states that a face can meet. */
interface Keys {
  readonly good: string;
  readonly bad: string;
  /** Above its rate. */
  readonly spent: string;
  /** With as many requests under way as it may have. */
  readonly busy: string;
}

async function openFaces() {
  const opened = await openConsole({ store: 'disk' });
  const { server, signIn } = opened;
  const { host, rest } = server;
  const log = keepLog([]);
  const options = { log, later: rest.later, addressOf: rest.addressOf };
  rest.mount(mountMcp(host.service, { ...options, version: '0.0.0', publicUrl: rest.url, corsOrigins: [] }));
  mountGit(server);
  rest.mount(mountManual({ ...options, randomness: host.service.randomness }));
  const { clock, randomness, limiter, journal, file, people } = host.service;
  const membershipsOf = (identityId: string) => people.identities.heldBy(identityId);
  const { readSession, proof } = signIn;
  const dependencies = { clock, randomness, limiter, journal, file, membershipsOf, readSession, proof };
  const oauthLog = { ...log, debug: () => undefined, warn: () => undefined };
  const oauthOptions = { publicUrl: rest.url, log: oauthLog, addressOf: rest.addressOf };
  rest.mount(await makeOAuthFace({ ...dependencies, find: (name) => host.service.find(name) }, oauthOptions));
  await server.as((await host.person('editor')).key).create('handbook/a.md', 'text');
  return opened;
}

async function makeKeys({ host }: TestConsole): Promise<Keys> {
  const principalId = await host.principal('ada');
  await host.grant('editor', { type: 'principal', id: principalId }, '');
  const mint = async (requestsPerMinute: number | null) => {
    const input = { principalId, name: 'test', interfaces: ['rest', 'mcp', 'git'] as const, expiresAt: null };
    const { result } = await perform(host.workspace, operator, mintCredential, { ...input, requestsPerMinute });
    return { id: result.credential.id, secret: result.secret ?? '' };
  };
  const [good, spent, busy] = [await mint(null), await mint(1), await mint(null)];
  const { limiter, workLimits } = host.service;
  limiter.take('credential', `acme/${spent.id}`, 1, 1);
  const caller = { ...operator, credentialId: busy.id };
  for (let under = 0; under < 100; under += 1) workLimits.requests.takeNow(sourceOf('acme', caller));
  return { good: good.secret, bad: 'ck_no', spent: spent.secret, busy: busy.secret };
}

function restCase({ good, bad, spent, busy }: Keys): Case {
  const usual: Sent = {
    method: 'PUT',
    path: '/v1/documents/handbook/a.md',
    query: '',
    host: '127.0.0.1',
    key: `Bearer ${good}`,
    headers: { 'If-Match': '*' },
    type: json,
    body: '{"content":"other"}',
  };
  return {
    face: 'REST',
    usual,
    faults: [
      noHost,
      { name: 'a bad key', wrong: bearer(bad), answer: '401 UNAUTHENTICATED' },
      { name: 'a spent key', wrong: bearer(spent), answer: '429 RATE_LIMITED' },
      { name: 'a busy key', wrong: bearer(busy), answer: '429 RATE_LIMITED' },
      { name: 'an unknown path', wrong: { path: '/v1/nothing' }, answer: '404 NOT_FOUND' },
      { name: 'another method', wrong: { method: 'POST' }, answer: '400 method_not_allowed' },
      { name: 'a long header', wrong: { headers: { 'If-Match': long } }, answer: '400 If-Match' },
      { name: 'no If-Match', wrong: { headers: {} }, answer: '400 missing_if_match' },
      { name: 'another media type', wrong: { type: 'multipart/form-data' }, answer: '400 unsupported_media_type' },
      { name: 'no JSON', wrong: { body: '{' }, answer: '400 bad_json' },
      { name: 'an unknown parameter', wrong: { query: '?odd=1' }, answer: '400 odd' },
      { name: 'an unknown member', wrong: { body: '{"content":"a","odd":1}' }, answer: '400 odd' },
    ],
  };
}

function consoleCase(cookie: string): Case {
  const ours = { 'Sec-Fetch-Site': 'same-origin', 'X-Cartulary-Console': '1', 'If-Match': '*' };
  const usual: Sent = {
    method: 'PUT',
    path: '/console/api/workspaces/acme/documents/handbook/a.md',
    query: '',
    host: '127.0.0.1',
    key: cookie,
    headers: ours,
    type: json,
    body: '{"content":"other"}',
  };
  return {
    face: 'the console',
    usual,
    faults: [
      noHost,
      { name: 'a path of no workspace', wrong: { path: '/console/api/nothing' }, answer: '404 NOT_FOUND' },
      { name: 'another site', wrong: { headers: { 'If-Match': '*' } }, answer: '401 UNAUTHENTICATED' },
      { name: 'no session', wrong: { key: 'cartulary=no' }, answer: '401 UNAUTHENTICATED' },
      {
        name: 'an unknown workspace',
        wrong: { path: '/console/api/workspaces/other/documents/a.md' },
        answer: '404 NOT_FOUND',
      },
      { name: 'another method', wrong: { method: 'POST' }, answer: '400 method_not_allowed' },
      { name: 'another media type', wrong: { type: 'multipart/form-data' }, answer: '400 unsupported_media_type' },
      { name: 'no JSON', wrong: { body: '{' }, answer: '400 bad_json' },
      { name: 'an unknown parameter', wrong: { query: '?odd=1' }, answer: '400 odd' },
    ],
  };
}

function mcpCase({ good, bad, spent, busy }: Keys): Case {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const usual: Sent = {
    method: 'POST',
    path: '/mcp',
    query: '',
    host: '127.0.0.1',
    key: `Bearer ${good}`,
    headers: { Accept: 'application/json' },
    type: json,
    body: JSON.stringify(message),
  };
  const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${'['.repeat(200)}${']'.repeat(200)}}`;
  return {
    face: 'MCP',
    usual,
    faults: [
      { name: 'a foreign host', wrong: { host: 'evil.example' }, answer: '403 host name' },
      {
        name: 'a foreign origin',
        wrong: { headers: { Origin: 'https://evil.example' } },
        answer: '403 origin may not call',
      },
      { name: 'another method', wrong: { method: 'GET' }, answer: '405 Method not allowed' },
      { name: 'a bad key', wrong: bearer(bad), answer: '401 UNAUTHENTICATED' },
      { name: 'a spent key', wrong: bearer(spent), answer: '429 RATE_LIMITED' },
      { name: 'a busy key', wrong: bearer(busy), answer: '429 RATE_LIMITED' },
      { name: 'a long header', wrong: { headers: { Accept: long } }, answer: '400 accept' },
      { name: 'another media type', wrong: { type: 'text/plain' }, answer: '415 application/json' },
      { name: 'a coding', wrong: { headers: { 'Content-Encoding': 'gzip' } }, answer: '415 Content-Encoding' },
      { name: 'a deep message', wrong: { body: deep }, answer: '400 The message' },
      { name: 'no JSON', wrong: { body: '{' }, answer: '400 Parse error' },
      { name: 'a batch', wrong: { body: `[${JSON.stringify(message)}]` }, answer: '400 Batches' },
    ],
  };
}

function gitCase({ good, bad, spent, busy }: Keys): Case {
  const usual: Sent = {
    method: 'GET',
    path: '/git/acme/info/refs',
    query: '?service=git-upload-pack',
    host: '127.0.0.1',
    key: '',
    headers: {},
    type: null,
    body: '',
    ...basic(good),
  };
  return {
    face: 'git',
    usual,
    faults: [
      noHost,
      { name: 'a bad key', wrong: basic(bad), answer: '401 key' },
      { name: 'a spent key', wrong: basic(spent), answer: '429 ' },
      { name: 'a busy key', wrong: basic(busy), answer: '429 ' },
      { name: 'another path', wrong: { path: '/git/acme/HEAD' }, answer: '403 ' },
      { name: 'another method', wrong: { method: 'PUT' }, answer: '405 ' },
      { name: 'another workspace', wrong: { path: '/git/other/info/refs' }, answer: '404 ' },
    ],
  };
}
