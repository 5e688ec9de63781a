import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { makeFolder, tidyUp } from '../support/processes/run-program.js';
import { openClientTest, type ClientTest } from './support.js';

const root = process.cwd();

const program = `
import { Cartulary, StaleVersionError, type Change } from 'cartulary-client';

const cartulary = new Cartulary();
const made = await cartulary.create('alone/a.md', 'one');
await made.update('two');
const kinds: Change['kind'][] = [];
for await (const { changes } of cartulary.changes({ location: 'alone', wait: false }))
  kinds.push(...changes.map(({ kind }) => kind));
// @ts-expect-error A location is a text.
const wrong = (): unknown => cartulary.read(7);
try {
  await made.update('three');
} catch (error) {
  if (!(error instanceof StaleVersionError)) throw error;
  console.log(error.current?.text, kinds.length > 0, typeof wrong);
}
`;

describe('The package of the client alone', function () {
  this.timeout(120_000);
  let project: string;
  let test: ClientTest | undefined;

  before(async () => {
    const folder = await makeFolder();
    const given = ['pack', path.join(root, 'dist', 'client'), '--json', '--pack-destination', folder];
    const [{ filename }] = JSON.parse(await run('npm', given, folder)) as [{ filename: string }];
    project = await makeFolder();
    writeFileSync(path.join(project, 'package.json'), '{"type":"module","private":true}');
    // No registry is asked, since it depends on nothing.
    await run('npm', ['install', '--offline', '--no-audit', path.join(folder, filename)], project);
    test = await openClientTest();
  });
  after(async () => {
    await test?.close();
    await tidyUp();
  });

  it('is installed without a network, brings no other package, and runs nothing', () => {
    const modules = path.join(project, 'node_modules');
    assert.deepEqual(
      readdirSync(modules).filter((name) => !name.startsWith('.')),
      ['cartulary-client'],
    );
    const files = readdirSync(path.join(modules, 'cartulary-client'));
    assert.ok(files.includes('LICENSE'), files.join());
    const sizes = files.map((name) => statSync(path.join(modules, 'cartulary-client', name)).size);
    const size = sizes.reduce((sum, each) => sum + each, 0);
    assert.ok(size < 500_000, `${size} bytes`);
    const read = (...place: string[]): Record<string, unknown> =>
      JSON.parse(readFileSync(path.join(...place, 'package.json'), 'utf8')) as Record<string, unknown>;
    const [own, whole] = [read(modules, 'cartulary-client'), read(root)];
    assert.deepEqual([own['version'], own['license']], [whole['version'], whole['license']]);
    assert.deepEqual([own['dependencies'], own['scripts']], [undefined, undefined]);
  });

  it('passes the checks of publint as a package of its own', async () => {
    const pkgDir = path.join(project, 'node_modules', 'cartulary-client');
    const { messages, pkg } = await publint({ pkgDir, pack: false, strict: true });
    assert.deepEqual(
      messages.map((message) => formatMessage(message, pkg, { color: false })),
      [],
    );
  });

  it('compiles into a strict TypeScript program, which then works with a service', async () => {
    writeFileSync(path.join(project, 'main.ts'), program);
    const strict = { strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true };
    const compilerOptions = { ...strict, target: 'ES2022', lib: ['ES2022', 'DOM'], types: [], module: 'NodeNext' };
    writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    assert.equal(await run(process.execPath, [compiler, '-p', '.'], project), '');
    const env = { CARTULARY_URL: test?.server.rest.url, CARTULARY_KEY: test?.key };
    assert.equal(await run(process.execPath, ['main.js'], project, env), 'two true function\n');
  });
});

/** Runs a program, while the service of this process answers it. @returns its output */
async function run(program: string, given: readonly string[], cwd: string, env = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(program, given, { cwd, env: { ...process.env, ...env } });
  return stdout;
}
