import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { readDescription } from '../../lib/api/requests/description.js';
import { timeout } from '../support/processes/run-program.js';
import { openTestServer, type HttpClient, type TestServer } from '../support/http/server.js';

const run = promisify(execFile);
const methods = ['get', 'head', 'post', 'put', 'delete'] as const;

const operations = Object.entries(readDescription('openapi.yaml').document.paths).flatMap(([where, item]) =>
  methods.flatMap((method): Operation[] => {
    const operation = item[method] as { readonly operationId: string } | undefined;
    return operation === undefined ? [] : [{ id: operation.operationId, method: method.toUpperCase(), path: where }];
  }),
);

/** HEAD has no content to have a type. */
const answering = operations.filter(({ method }) => method !== 'HEAD');

/** Fails to compile for `unknown`, `any` and `never`. */
const known = `type Known<T> = unknown extends T ? never : [T] extends [never] ? never : T;
const known = <T>(value: Known<T>): T => value;
`;

const options = {
  target: 'ES2022',
  module: 'NodeNext',
  lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
};

describe('a developer with a generated client in strict TypeScript', function () {
  this.timeout(timeout);
  let server: TestServer;
  let ada: HttpClient;
  let key: string;
  let folder: string;
  let complaints: string;

  before(async () => {
    server = await openTestServer();
    ({ key } = await server.host.person('approver'));
    ada = server.as(key);
    // Below the checkout, so that the generated files find the packages that they import.
    folder = mkdtempSync(path.resolve('dist', 'typed-clients-'));
    const description = path.join(folder, 'openapi.yaml');
    writeFileSync(description, (await ada.get('/v1/openapi.yaml')).text);
    await run(process.execPath, [fileURLToPath(new URL('generate-clients.js', import.meta.url)), description, folder]);
    writeFileSync(path.join(folder, 'manual.ts'), readManual());
    writeFileSync(path.join(folder, 'fetch-page.ts'), writeFetchPage());
    writeFileSync(path.join(folder, 'sdk-page.ts'), writeSdkPage());
    writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
    const files = ['manual.ts', 'fetch-page.ts', 'sdk-page.ts'];
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files }));
    complaints = await compile();
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await server.close();
  });

  it('gets a type for the answer of every operation, from two generators', async () => {
    assert.ok(answering.length > 30);
    assert.equal(complaints, '');
  });

  it('writes, meets a conflict, retries, lists, uploads, downloads and searches by the page of the manual', async () => {
    const manual = (await load('manual.js')) as Manual;
    const client = manual.connect(server.rest.url, key);
    const made = await manual.create(client, 'first', 'notes/a.md', '# Notes\n');
    const retried = await manual.create(client, 'first', 'notes/a.md', '# Notes\n');
    assert.deepEqual([retried.id, retried.etag], [made.id, made.etag]);
    await Promise.all(['wombat', 'quoll', 'numbat'].map((word) => manual.addLine(client, 'notes/a.md', word)));
    const { content } = (await ada.get('/v1/documents/notes/a.md')).json as { content: string };
    assert.deepEqual(content.trim().split('\n').toSorted(), ['# Notes', 'numbat', 'quoll', 'wombat']);

    const bytes = new Blob([new Uint8Array([0, 255, 7])]);
    const uploaded = await manual.upload(client, 'notes/b c.bin', 'image/x-dots', bytes);
    assert.deepEqual([uploaded.media_type, uploaded.size], ['image/x-dots', 3]);
    await assert.rejects(manual.upload(client, 'notes/b c.bin', 'image/x-dots', bytes), /lives at/);
    const downloaded = await manual.download(client, 'notes/b c.bin');
    assert.deepEqual([...new Uint8Array(await downloaded.arrayBuffer())], [0, 255, 7]);

    await manual.create(client, 'third', 'notes/c.md', 'A third one.');
    const names: string[] = [];
    for await (const { name } of manual.list(client, 'notes', 1)) names.push(name);
    assert.deepEqual(names, ['a.md', 'b c.bin', 'c.md']);
    assert.deepEqual(
      (await manual.search(client, 'quoll')).map(({ location }) => location),
      ['notes/a.md'],
    );
  });

  it('writes and reads bytes by the other generator’s functions', async () => {
    const { use } = (await load('sdk-page.js')) as { use(url: string, key: string): Promise<object> };
    const used = await use(server.rest.url, key);
    const read = await ada.get('/v1/files/sdk/a%20b.md');
    assert.deepEqual(used, { etag: read.etag, content: '# Sdk', text: '# Sdk', code: 'CONFLICT' });
  });

  const load = async (name: string): Promise<unknown> => import(pathToFileURL(path.join(folder, name)).href);

  /** Compiles the pages. @returns the compiler's complaints */
  async function compile(): Promise<string> {
    try {
      await run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', folder]);
      return '';
    } catch (error) {
      return (error as { readonly stdout: string }).stdout;
    }
  }
});

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

/** A page that calls each operation by openapi-fetch, and needs the type of its answer. */
function writeFetchPage(): string {
  const calls = answering.map(
    ({ id, method, path: where }) => `export async function ${id}(init: never) {
  const { data } = await client.${method}('${where}', init);
  if (data !== undefined) known<typeof data>(data);
}`,
  );
  return `import createClient from 'openapi-fetch';
import type { paths } from './cartulary.js';
${known}const client = createClient<paths>();
${calls.join('\n')}
export async function misspell() {
  const { data } = await client.GET('/v1/documents/{location}', { params: { path: { location: 'a.md' } } });
  const content: string | undefined = data?.content;
  // @ts-expect-error There is no such field.
  const contents = data?.contents;
  // @ts-expect-error The field is content.
  const body = { body: { contents: '' }, params: { path: { location: '' }, header: { 'If-Match': '*' } } } satisfies Put;
  // @ts-expect-error The folder to list is required.
  await client.GET('/v1/documents', { params: { query: {} } });
  return { content, contents, body };
}
type Put = Parameters<typeof client.PUT<'/v1/documents/{location}', Init>>[1];
type Init = { body: { content: string }; params: { path: { location: string }; header: { 'If-Match': string } } };
`;
}

/** The same by the functions of @hey-api/openapi-ts. */
function writeSdkPage(): string {
  const calls = answering.map(
    ({ id }) => `export async function ${id}(options: Parameters<typeof sdk.${id}<false>>[0]) {
  const { data } = await sdk.${id}<false>(options as never);
  if (data !== undefined) known<typeof data>(data);
}`,
  );
  return `import * as sdk from './sdk/index.js';
${known}${calls.join('\n')}
export async function use(baseUrl: string, key: string) {
  const { createClient, createConfig } = await import('./sdk/client/index.js');
  const client = createClient(createConfig({ baseUrl, auth: key }));
  const path = { location: 'sdk/a b.md' };
  const headers = { 'If-None-Match': '*' };
  const made = await sdk.writeFile({ client, path, headers, body: new Blob(['# Sdk']), throwOnError: true });
  const read = await sdk.readDocument({ client, path, throwOnError: true });
  const content: string = read.data.content;
  const file = await sdk.readFile({ client, path, parseAs: 'blob', throwOnError: true });
  const bytes: Blob = file.data;
  const stale = await sdk.deleteDocument({ client, path, headers: { 'If-Match': '"x"' } });
  return { etag: made.data.etag, content, text: await bytes.text(), code: stale.error?.error.code };
}
`;
}

/** The page of the manual for developers. */
function readManual(): string {
  const page = readFileSync('lib/docs/applications.md', 'utf8');
  return /```ts\n(.*?)```/s.exec(page)?.[1] ?? assert.fail('the manual has no page of TypeScript');
}

/** The functions of the manual's page, with what this test uses of their results. */
interface Manual {
  connect(url: string, key: string): object;
  create(client: object, key: string, location: string, content: string): Promise<{ id: string; etag: string }>;
  addLine(client: object, location: string, line: string): Promise<{ etag: string }>;
  list(client: object, location: string, limit?: number): AsyncIterable<{ name: string }>;
  upload(client: object, location: string, type: string, bytes: Blob): Promise<{ media_type: string; size: number }>;
  download(client: object, location: string): Promise<Blob>;
  search(client: object, q: string): Promise<readonly { location: string }[]>;
}
