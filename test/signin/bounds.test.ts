import assert from 'node:assert/strict';
import { Agent, request, type OutgoingHttpHeaders } from 'node:http';
import { OAuthRoutes } from '../../lib/signin/oauth/oauth-routes.js';
import { signInRoutes } from '../../lib/signin/sign-in.js';
import { WatchedProgram } from '../support/processes/event-loop.js';
import { cookieShapes, headerShapes, jsonShapes, queryShapes, type Shape } from '../support/texts/hostile-shapes.js';
import type { WatchedSignIn } from './serve-watched.js';

/** Milliseconds of a hold: no request may reach them, and they are so few that one measurement is enough. */
const maxHold = 50;
const enough = 20;
/** Bytes left for a header in a request of the largest accepted size. */
const maxHeader = 31_000;
/** More than any form. */
const maxBodyBytes = 128 * 1024;

/** Every route, from the tables by which requests are answered: a new route needs no line here. */
const oauthRoutes = new OAuthRoutes('https://example.org').all;
const routes: readonly TestedRoute[] = [
  ...signInRoutes.map(({ method, ...route }) => ({ ...route, methods: [method] })),
  ...oauthRoutes,
  { path: '/signin/nothing', methods: ['GET', 'POST'], maxQueryLength: 100, maxBodyBytes: 0 },
  { path: '/oauth/nothing', methods: ['GET', 'POST'], maxQueryLength: 100, maxBodyBytes: 0 },
];

const parameters = ['client_id', 'redirect_uri', 'resource', 'scope', 'state', 'prompt', 'id_token_hint', 'return'];
const fields = ['name', 'password', 'link', 'token', 'refresh_token', 'code', 'code_verifier', 'client_secret', 'csrf'];
const metadata = ['redirect_uris', 'client_name', 'grant_types', 'scope', 'jwks', 'contacts'];
const readCookies = ['cartulary', 'cartulary-form', 'cartulary-known', 'cartulary-upstream', 'cartulary_request'];
const readHeaders = [
  'Host',
  'Origin',
  'Authorization',
  'Content-Type',
  'Content-Encoding',
  'Transfer-Encoding',
  'Content-Length',
  'User-Agent',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'Forwarded',
  'Accept',
  'Accept-Language',
  'Accept-Encoding',
  'Accept-Charset',
  'Sec-Fetch-Site',
  'Referer',
  'Range',
  'If-None-Match',
  'Access-Control-Request-Method',
  'Access-Control-Request-Headers',
  'DPoP',
];
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
const json = { 'Content-Type': 'application/json' };

const knownQueries = keepTexts(queryShapes(parameters));
const queries = keepTexts(queryShapes());
const cookies = keepTexts(cookieShapes(readCookies));
const headerValues = keepTexts(headerShapes);
const forms = keepTexts(queryShapes(fields));
const documents = keepTexts(jsonShapes(metadata));
const plainDocuments = keepTexts(jsonShapes());

describe('The hold of a request without a key', function () {
  this.timeout(120_000);
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  let program: WatchedProgram<WatchedSignIn>;
  let serial = 0;

  before(async () => {
    program = await WatchedProgram.start<WatchedSignIn>(new URL('serve-watched.js', import.meta.url));
  });
  after(async () => {
    agent.destroy();
    await program.close();
  });

  for (const route of routes) {
    const [method = ''] = route.methods;
    describe(`at ${method} ${route.path}`, () => {
      const visitors = (): readonly (readonly [string, OutgoingHttpHeaders])[] => [
        ['a stranger', {}],
        ['a person signed in', { Cookie: program.facts.cookies }],
      ];

      it('is next to nothing, for any query', async () => {
        const start = begin(route);
        for (const [who, headers] of visitors()) {
          await assertBrief(
            each(route.maxQueryLength > 1000 ? knownQueries : queries, (shape, name) =>
              [maxHeader - 1000, route.maxQueryLength].map((size) => ({
                what: `${who}, ${name}, ${size} bytes`,
                method,
                path: `${pathOf(route)}?${start}${shape(Math.max(0, size - start.length))}`,
                headers,
              })),
            ),
          );
        }
      });

      it('is next to nothing, for any cookies', async () => {
        await assertBrief(
          each(cookies, (shape, name) =>
            ['', `${program.facts.cookies}; `].map((own) => ({
              what: name,
              method,
              path: pathOf(route),
              headers: { Cookie: own + shape(maxHeader - own.length) },
            })),
          ),
        );
      });

      it('is next to nothing, for any other headers', async () => {
        await assertBrief(
          each(headerValues, (shape, name) =>
            readHeaders.flatMap((header) =>
              [maxHeader, 200].map((size) => ({
                what: `${header} of ${name}, ${size} bytes`,
                method,
                path: pathOf(route),
                headers: { [header]: shape(size) },
              })),
            ),
          ),
        );
      });

      it('is next to nothing, for any body', async () => {
        const start = begin(route);
        for (const [who, headers] of visitors()) {
          const size = who === 'a stranger' ? maxBodyBytes : route.maxBodyBytes;
          await assertBrief([
            ...each(route.maxBodyBytes === 0 ? queries : forms, (shape, name) => [
              {
                what: `${who}, a form of ${name}, ${size} bytes`,
                method: 'POST',
                path: pathOf(route),
                headers: { ...headers, ...form },
                body: start + shape(Math.max(0, size - start.length)),
              },
            ]),
            ...each(route.maxBodyBytes === 0 ? plainDocuments : documents, (shape, name) => [
              {
                what: `${who}, JSON of ${name}, ${size} bytes`,
                method: 'POST',
                path: pathOf(route),
                headers: { ...headers, ...json },
                body: shape(size),
              },
            ]),
          ]);
        }
      });
    });
  }

  const pathOf = ({ path }: TestedRoute): string =>
    path
      .replace(':secret', 'a'.repeat(52))
      .replace('/oauth/interaction/{id}', program.facts.interaction)
      .replace('{id}', 'x'.repeat(43));

  /** The answer, or its absence, does not matter: a body that is too large is not read to its end. */
  function send({ method, path, headers, body }: Asked): Promise<void> {
    serial += 1;
    const address = `10.${(serial >> 16) & 255}.${(serial >> 8) & 255}.${serial & 255}`;
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    return new Promise((resolve) => {
      const { hostname, port } = new URL(program.facts.url);
      const sent = { 'X-Forwarded-For': address, ...length, ...headers };
      try {
        const outgoing = request({ hostname, port, agent, method, path, headers: sent }, (response) => {
          response.resume();
          response.on('close', resolve);
        });
        outgoing.on('error', () => resolve());
        outgoing.end(body);
      } catch {
        // Node's client refuses to send an illegal request.
        resolve();
      }
    });
  }

  /** Sends all of it, and looks for the one to blame where they hold up the loop together. */
  async function assertBrief(asked: readonly Asked[]): Promise<void> {
    const sendAll = async (): Promise<void> => {
      for (let at = 0; at < asked.length; at += 8) await Promise.all(asked.slice(at, at + 8).map(send));
    };
    if ((await program.holdOf(sendAll, enough, 3)) <= maxHold) return;
    const found: string[] = [];
    for (const one of asked) {
      const hold = await program.holdOf(() => send(one), enough);
      if (hold > maxHold) found.push(`${one.what}: ${Math.round(hold)} ms`);
    }
    assert.deepEqual(found, []);
  }

  /** The fields with which a request goes as far as it can before its hostile part is met. */
  function begin({ path }: TestedRoute): string {
    const { clientId, clientSecret, redirectUri, tokens } = program.facts;
    const client = { client_id: clientId, redirect_uri: redirectUri };
    const code = { response_type: 'code', code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' };
    const secret = { ...client, client_secret: clientSecret };
    const beginnings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      '/oauth/authorize': { ...client, ...code },
      '/oauth/token': { ...secret, grant_type: 'refresh_token', refresh_token: tokens[1] ?? '' },
      '/oauth/introspect': { ...secret, token: tokens[0] ?? '' },
      '/oauth/revoke': { ...secret, token: 'x' },
    };
    const beginning = beginnings[path];
    return beginning === undefined ? '' : `${new URLSearchParams(beginning).toString()}&`;
  }
});

interface Asked {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

interface TestedRoute {
  readonly path: string;
  readonly methods: readonly string[];
  readonly maxQueryLength: number;
  readonly maxBodyBytes: number;
}

/** Makes a text of each length once: it goes to every route. */
function keepTexts(shapes: Readonly<Record<string, Shape>>): Readonly<Record<string, Shape>> {
  const keep = (shape: Shape): Shape => {
    const texts = new Map<number, string>();
    return (length) => {
      const text = texts.get(length) ?? shape(length);
      texts.set(length, text);
      return text;
    };
  };
  return Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, keep(shape)]));
}

function each(shapes: Readonly<Record<string, Shape>>, make: (shape: Shape, name: string) => Asked[]): Asked[] {
  return Object.entries(shapes).flatMap(([name, shape]) => make(shape, name));
}
