import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { makeFolder, tidyUp } from '../support/processes/run-program.js';
import { openClientTest, type ClientTest } from './support.js';

const root = process.cwd();

describe('The package with the client', function () {
  this.timeout(120_000);
  let folder: string;
  let tarball: string;
  let test: ClientTest | undefined;

  before(async () => {
    folder = await makeFolder();
    tarball = await pack(folder);
    // As npm would lay it out. Nothing else is installed, since the client needs nothing else.
    const place = path.join(folder, 'project', 'node_modules', 'cartulary');
    mkdirSync(place, { recursive: true });
    await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', place], folder);
    test = await openClientTest();
  });
  after(async () => {
    await test?.close();
    await tidyUp();
  });

  it('passes the checks of publint beside the program', async () => {
    const pkgDir = path.join(folder, 'project', 'node_modules', 'cartulary');
    const { messages, pkg } = await publint({ pkgDir, pack: false, strict: true });
    assert.deepEqual(
      messages.map((message) => formatMessage(message, pkg, { color: false })),
      [],
    );
  });

  it('has types that every resolution of ES modules finds', async () => {
    const { problems, types } = (await checkPackage(createPackageFromTarballData(readFileSync(tarball)), {
      entrypoints: ['./client'],
    })) as {
      readonly problems?: readonly { readonly kind: string; readonly resolutionKind?: string }[];
      readonly types: unknown;
    };
    assert.ok(types !== false);
    // `node10` knows no exports, and a CommonJS program imports it with `await import`.
    const meant = new Set(['NoResolution node10', 'CJSResolvesToESM node16-cjs']);
    const found = (problems ?? []).map(({ kind, resolutionKind }) => `${kind} ${resolutionKind}`);
    assert.deepEqual(
      found.filter((each) => !meant.has(each)),
      [],
    );
  });

  it('imports nothing of the server and no part of Node', () => {
    const place = path.join(folder, 'project', 'node_modules', 'cartulary', 'dist', 'client');
    const imports = readdirSync(place)
      .filter((name) => /\.js$|\.d\.ts$/.test(name))
      .flatMap((name) => [
        ...readFileSync(path.join(place, name), 'utf8').matchAll(/^(?:import|export|\}).* from ['"]([^'"]+)['"];$/gm),
      ])
      .map(([, specifier]) => specifier ?? '');
    assert.ok(imports.length > 10);
    assert.deepEqual(
      imports.filter((specifier) => !/^\.\/[\w-]+\.js$/.test(specifier)),
      [],
    );
  });

  it('works from plain JavaScript in an empty project', async () => {
    const project = path.join(folder, 'project');
    writeFileSync(
      path.join(project, 'plain.mjs'),
      [
        "import { Cartulary } from 'cartulary/client';",
        'const cartulary = new Cartulary();',
        "const made = await cartulary.create('packed/plain.md', 'one');",
        "const next = await made.update('two');",
        "console.log(next.location, (await cartulary.read('packed/plain.md')).text);",
      ].join('\n'),
    );
    const env = { CARTULARY_URL: test?.server.rest.url, CARTULARY_KEY: test?.key };
    assert.equal(await run(process.execPath, ['plain.mjs'], project, env), 'packed/plain.md two\n');
  });

  it('runs the example of the manual', async () => {
    const project = path.join(folder, 'project');
    const manual = readFileSync(path.join(root, 'lib', 'docs', 'client.md'), 'utf8');
    const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(manual) ?? [];
    const url = test?.server.rest.url ?? '';
    writeFileSync(path.join(project, 'example.mjs'), example.replace('http://127.0.0.1:8080', url));
    const year = new Date(test?.server.host.clock.now() ?? 0).getUTCFullYear();
    assert.equal(
      await run(process.execPath, ['example.mjs'], project, { KEY: test?.key }),
      `Ada was faster:\n# Travel\n\nBook trains early.\n\nhandbook/travel.md ${year}\n`,
    );
  });

  it('runs the shorter examples of the manual', async () => {
    const project = path.join(folder, 'project');
    const manual = readFileSync(path.join(root, 'lib', 'docs', 'client.md'), 'utf8');
    const [, ...examples] = [...manual.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, example = '']) => example);
    assert.equal(examples.length, 3);
    const lines = [
      "import { Cartulary } from 'cartulary/client';",
      'const cartulary = new Cartulary();',
      "for (const location of ['a.md', 'handbook/more.md']) await cartulary.create(location, 'one');",
      "const file = new Blob(['moving pictures']);",
      // Following the feed ends only with the program: here, once the first page was worked through.
      "Object.defineProperty(globalThis, 'kept', { get: () => undefined, set: () => process.exit() });",
      ...examples.slice(0, 2),
      'console.log(await response.text());',
      ...examples.slice(2),
    ];
    writeFileSync(path.join(project, 'examples.mjs'), lines.join('\n'));
    const env = { CARTULARY_URL: test?.server.rest.url, CARTULARY_KEY: test?.key };
    const said = await run(process.execPath, ['examples.mjs'], project, env);
    assert.match(said, /^moving pictures$/m);
    assert.match(said, /^entered handbook\/more\.md$/m);
  });

  it('works from strict TypeScript in an empty project, and finds wrong uses', async () => {
    const project = path.join(folder, 'project');
    writeFileSync(path.join(project, 'package.json'), '{"type":"module"}');
    writeFileSync(
      path.join(project, 'strict.ts'),
      [
        "import { ApiError, Cartulary, type Change } from 'cartulary/client';",
        "const cartulary = new Cartulary({ baseUrl: 'http://127.0.0.1', key: 'k' });",
        'export async function use(): Promise<string | undefined> {',
        "  for await (const { name, labels } of cartulary.documents('handbook')) console.log(name.length, labels.length);",
        '  const pages: readonly Change[][] = [];',
        '  // @ts-expect-error A location is a text.',
        '  await cartulary.read(7);',
        '  // @ts-expect-error A grant has a role.',
        "  await cartulary.request('POST', '/v1/grants', { body: { scope_type: 'folder', scope_id: 'a', subject: { type: 'group', id: 'g' } } });",
        "  try { await cartulary.read('a.md'); } catch (error) {",
        "    if (error instanceof ApiError && error.is('claimed')) return error.details.holder.display_name + pages.length;",
        '  }',
        '  return undefined;',
        '}',
      ].join('\n'),
    );
    const manual = readFileSync(path.join(root, 'lib', 'docs', 'client.md'), 'utf8');
    const [first = '', ...others] = [...manual.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, example = '']) => example);
    writeFileSync(
      path.join(project, 'manual.ts'),
      ['declare const process: { readonly env: Record<string, string | undefined> };', first].join('\n'),
    );
    writeFileSync(
      path.join(project, 'manual-more.ts'),
      [
        "import { Cartulary } from 'cartulary/client';",
        'const cartulary = new Cartulary();',
        'declare const file: Blob;',
        'declare let kept: string | undefined;',
        ...others,
      ].join('\n'),
    );
    const options = {
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
    };
    const base = { ...options, target: 'ES2022', lib: ['ES2022', 'DOM'], types: [], noEmit: true };
    const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    for (const [module, moduleResolution] of [
      ['NodeNext', 'NodeNext'],
      ['ESNext', 'Bundler'],
    ]) {
      writeFileSync(
        path.join(project, 'tsconfig.json'),
        JSON.stringify({ compilerOptions: { ...base, module, moduleResolution }, include: ['*.ts'] }),
      );
      assert.equal(await run(process.execPath, [compiler, '-p', '.'], project), '');
    }
  });

  it('the client package stays small', async () => {
    const { build } = await import('esbuild');
    const entry = path.join(folder, 'project', 'node_modules', 'cartulary', 'dist', 'client', 'index.js');
    const { outputFiles } = await build({
      entryPoints: [entry],
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
      platform: 'browser',
    });
    const { gzipSync } = await import('node:zlib');
    const size = gzipSync(outputFiles[0]?.contents ?? new Uint8Array(), { level: 9 }).length;
    assert.ok(size > 2000 && size < 5500, `${size} bytes`);
  });
});

/** Runs a program, while the service of this process answers it. @returns its output */
async function run(program: string, given: readonly string[], cwd: string, env = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(program, given, { cwd, env: { ...process.env, ...env } });
  return stdout;
}

/** The scripts of the package would build it once more. */
async function pack(folder: string): Promise<string> {
  const given = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(await run('npm', given, root)) as [{ filename: string }];
  return path.join(folder, filename);
}
