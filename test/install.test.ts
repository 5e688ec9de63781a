import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { packagePath } from '../lib/config.js';
import { makeFolder, tidyUp, timeout } from './support/processes/run-program.js';
import { skipBecause } from './support/skip.js';

/** Fails where the checkout has a file `obstacle`, and tells which headers it was given. */
const script = `
const { existsSync, writeFileSync } = require('node:fs');
const checkout = require('node:path').join(__dirname, '..', '..');
writeFileSync(checkout + '/headers', String(process.env.npm_config_nodedir));
if (existsSync(checkout + '/obstacle')) {
  console.error('There is no compiler here.');
  process.exit(1);
}
writeFileSync('built.js', '');
`;

/** The packages of the registry, each in version 1.0.0. */
const packages: Readonly<Record<string, Files>> = {
  'better-sqlite3': {
    'package.json': JSON.stringify({
      name: 'better-sqlite3',
      version: '1.0.0',
      scripts: { install: 'node install.js' },
    }),
    'install.js': script,
    'index.js': "require('./built.js');\nmodule.exports = class { close() {} };",
  },
  compiler: { 'package.json': '{"name":"compiler","version":"1.0.0"}' },
  checker: { 'package.json': '{"name":"checker","version":"1.0.0","engines":{"node":">=999"}}' },
};

const manifest = {
  name: 'checkout',
  workspaces: ['test'],
  devDependencies: { compiler: '1.0.0' },
  optionalDependencies: { 'better-sqlite3': '1.0.0' },
};
const workspace = { name: 'checkout-tests', devDependencies: { checker: '1.0.0' } };
const lock = {
  name: 'checkout',
  lockfileVersion: 3,
  requires: true,
  packages: {
    '': manifest,
    'node_modules/better-sqlite3': { version: '1.0.0', hasInstallScript: true, optional: true },
    'node_modules/checker': { version: '1.0.0', dev: true, engines: { node: '>=999' } },
    'node_modules/checkout-tests': { resolved: 'test', link: true },
    'node_modules/compiler': { version: '1.0.0', dev: true },
    test: workspace,
  },
};

describe('The installation of a checkout', function () {
  this.timeout(timeout);

  const tarballs = new Map<string, Buffer>();
  const asked: string[] = [];
  const registry = createServer((request, response) => {
    const [, name = '', file] = (request.url ?? '').split('/');
    const tarball = tarballs.get(name);
    asked.push(name);
    if (tarball === undefined) response.writeHead(404).end('{}');
    else if (file !== undefined) response.end(tarball);
    else {
      const dist = { tarball: `http://${request.headers.host}/${name}/${name}.tgz` };
      const described = { ...(JSON.parse(packages[name]?.['package.json'] ?? '') as object), dist };
      response.end(JSON.stringify({ name, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': described } }));
    }
  });
  let checkout: string;

  before(async function () {
    if (Number(process.versions['napi']) >= 10) skipBecause(this, 'the driver of this Node runs no script');
    const folder = await makeFolder();
    for (const [name, files] of Object.entries(packages)) {
      mkdirSync(join(folder, name, 'package'), { recursive: true });
      for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, name, 'package', file), text);
      tarballs.set(name, execFileSync('tar', ['-cz', '-C', join(folder, name), 'package']));
    }
    registry.listen(0, '127.0.0.1');
    await once(registry, 'listening');
  });
  after(async () => {
    registry.close();
    await tidyUp();
  });

  beforeEach(async () => {
    checkout = await makeFolder();
    asked.length = 0;
    for (const folder of ['bin', 'test', 'home']) mkdirSync(join(checkout, folder));
    for (const file of ['install.mjs', 'run-quietly.mjs'])
      copyFileSync(packagePath('bin', file), join(checkout, 'bin', file));
    writeFileSync(join(checkout, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(checkout, 'test', 'package.json'), JSON.stringify(workspace));
    writeFileSync(join(checkout, 'package-lock.json'), JSON.stringify(lock));
  });

  it('shows why a package could not be prepared, and prepares it alone once the obstacle is gone', async () => {
    writeFileSync(join(checkout, 'obstacle'), '');
    const failed = await install();
    assert.equal(failed.code, 1);
    assert.match(failed.said, /^There is no compiler here\.$/m);
    assert.match(failed.said, /\ncartulary: better-sqlite3 could not be installed;.*\n$/);
    assert.doesNotMatch(failed.said, /EBADENGINE|npm warn/i);

    asked.length = 0;
    execFileSync('rm', [join(checkout, 'obstacle')]);
    const again = await install();
    assert.deepEqual([again.code, asked], [0, []], again.said);
    assert.ok(has('node_modules', 'better-sqlite3', 'built.js'));
  });

  it('leaves out what only tests need, and adds just that for the tests', async () => {
    const started = await install();
    assert.equal(started.code, 0, started.said);
    assert.deepEqual(
      ['better-sqlite3', 'compiler', 'checker'].map((name) => has('node_modules', name)),
      [true, true, false],
    );
    writeFileSync(join(checkout, 'obstacle'), 'nothing that is there is prepared again');
    asked.length = 0;
    const tested = await install(['--tests']);
    assert.equal(tested.code, 0, tested.said);
    assert.deepEqual([...new Set(asked)], ['checker']);
    assert.ok(has('node_modules', 'checker'));
    assert.equal(readFileSync(join(checkout, 'package-lock.json'), 'utf8'), JSON.stringify(lock));
  });

  it('needs neither npm nor a network once everything is there, whichever was installed', async () => {
    const offline = { PATH: '', npm_execpath: '', npm_config_registry: 'http://127.0.0.1:9/' };
    for (const parameters of [[], ['--tests']]) {
      const first = await install(parameters);
      assert.equal(first.code, 0, first.said);
      assert.deepEqual(await install(parameters, offline), { code: 0, said: '' });
    }
    assert.deepEqual(await install([], offline), { code: 0, said: '' });
  });

  it('says that the registry cannot be reached', async () => {
    const { code, said } = await install([], {
      npm_config_registry: 'http://127.0.0.1:9/',
      npm_config_fetch_retries: '0',
    });
    assert.equal(code, 1);
    assert.match(said, /ECONNREFUSED[^]*\ncartulary: installing failed; what npm said is above\.\n$/);
  });

  it('works where the cache of npm cannot be written', async () => {
    writeFileSync(join(checkout, 'file'), '');
    const { code, said } = await install([], { npm_config_cache: join(checkout, 'file', 'cache') });
    assert.equal(code, 0, said);
    assert.ok(has('node_modules', 'better-sqlite3', 'built.js'));
  });

  it("gives the compiler Node's own headers where they are beside it and of this version", async () => {
    const [prefix, links] = [await makeFolder(), await makeFolder()];
    mkdirSync(join(prefix, 'bin'));
    mkdirSync(join(prefix, 'include', 'node'), { recursive: true });
    copyFileSync(process.execPath, join(prefix, 'bin', 'node'));
    symlinkSync(join(prefix, 'bin', 'node'), join(links, 'node'));
    writeFileSync(join(prefix, 'include', 'node', 'common.gypi'), '');
    const describeVersion = (version: string): void => {
      const lines = version
        .split('.')
        .map((number, place) => `#define NODE_${['MAJOR', 'MINOR', 'PATCH'][place]}_VERSION ${number}\n`);
      writeFileSync(join(prefix, 'include', 'node', 'node_version.h'), lines.join(''));
    };
    const findHeaders = async (given: Readonly<Record<string, string>> = {}): Promise<string> => {
      execFileSync('rm', ['-rf', join(checkout, 'node_modules')]);
      const { code, said } = await install([], given, join(links, 'node'));
      assert.equal(code, 0, said);
      return readFileSync(join(checkout, 'headers'), 'utf8');
    };

    describeVersion(process.versions.node);
    assert.equal(await findHeaders(), prefix);
    assert.equal(await findHeaders({ npm_config_nodedir: '/of/the/user' }), '/of/the/user');
    describeVersion('1.2.3');
    assert.equal(await findHeaders(), 'undefined');
  });

  const has = (...segments: readonly string[]): boolean => existsSync(join(checkout, ...segments));

  /** Runs it as an account without settings and with an empty home. @returns its exit code, and what it says */
  async function install(
    parameters: readonly string[] = [],
    given: Readonly<Record<string, string>> = {},
    node = process.execPath,
  ): Promise<{ readonly code: number; readonly said: string }> {
    const { PATH = '', npm_execpath: npm } = process.env;
    const { port } = registry.address() as AddressInfo;
    const env = {
      PATH,
      HOME: join(checkout, 'home'),
      npm_config_registry: `http://127.0.0.1:${port}/`,
      ...(npm === undefined ? {} : { npm_execpath: npm }),
      ...given,
    };
    return new Promise((resolve) => {
      execFile(node, [join(checkout, 'bin', 'install.mjs'), ...parameters], { env }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }),
      );
    });
  }
});

type Files = Readonly<Record<string, string>>;
