import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { makeFolder, runProgram, startProgram, tidyUp, timeout } from '../support/processes/run-program.js';

const root = process.cwd();
const run = promisify(execFile);

describe('The program, installed from its package', function () {
  this.timeout(timeout);

  let packed: Packed;
  before(async () => {
    packed = await pack(await makeFolder());
  });
  after(tidyUp);

  it('is packed once: the bundle, without the compiled files behind it and without their maps', () => {
    const paths = packed.files.map(({ path: name }) => name);
    assert.deepEqual(
      paths.filter((name) => name.endsWith('.map') || /^dist\/lib\/(?!console\/web\/)/.test(name)),
      [],
    );
    // Each thread has its program in the bundle, as nothing else of it is there.
    const threads = readdirSync(path.join(root, 'dist', 'program')).filter((name) =>
      /^lib-.*(?:worker|thread)\.js$/.test(name),
    );
    assert.ok(threads.length >= 7, String(threads));
    for (const name of threads) assert.ok(paths.includes(`dist/program/${name}`), name);
  });

  it('serves an empty folder from its first start, goes on with it, and names its commands as a shell finds them', async () => {
    const commands = await install(packed.file, await makeFolder());
    const program = path.join(commands, 'cartulary');
    const environment = { PATH: `${commands}${path.delimiter}${process.env['PATH'] ?? ''}` };
    const options = { cwd: await makeFolder(), environment, program };

    const refused = await runProgram(['serve'], options);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /To begin, run `cartulary start`/);
    assert.deepEqual(readdirSync(options.cwd), []);

    const first = await startProgram(['start', '--port', '0'], /Ctrl-C/, options);
    const said = first.lines.join('\n');
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? '';
    const headers = { authorization: `Bearer ${/ck_main_\w+/.exec(said)?.[0] ?? ''}` };
    const written = await fetch(`${url}/v1/documents`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': 'one' },
      body: JSON.stringify({ location: 'hello.md', content: '# Hello' }),
    });
    assert.equal(written.status, 201);
    const pages = await fetch(`${url}/console/`);
    const [script] = /(?<=src=")[^"]+\.js/.exec(await pages.text()) ?? [];
    assert.equal(pages.status, 200);
    assert.equal((await fetch(new URL(script ?? 'none', pages.url))).status, 200);
    assert.equal((await fetch(`${url}/docs/`)).status, 200);
    assert.equal(await first.stop(), 0);

    const second = await startProgram(['start', '--port', '0'], /Ctrl-C/, options);
    const again = second.lines.join('\n');
    assert.match(again, /^ {2}cartulary link \S+ --workspace main$/m);
    assert.doesNotMatch(said + refused.stderr + again, /npx/);
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(again)?.[0] ?? '';
    const read = await fetch(`${address}/v1/files/hello.md`, { headers });
    assert.deepEqual([read.status, await read.text()], [200, '# Hello']);
    const asked = await runProgram(['ready'], options);
    assert.equal(asked.code, 0, asked.stdout);
    assert.equal(await second.stop(), 0);
  });
});

/** The packages that npm installs beside the program: those of the lock file that are not for development. */
function listInstalled(): string[] {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
  };
  return Object.entries(packages)
    .filter(([place, { dev }]) => dev !== true && /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(place))
    .map(([place]) => place)
    .filter((place) => existsSync(path.join(root, place)));
}

interface Packed {
  readonly file: string;
  readonly files: readonly { readonly path: string }[];
}

async function pack(folder: string): Promise<Packed> {
  const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const [{ filename, files }] = JSON.parse((await run('npm', words, { cwd: root, maxBuffer: 2 ** 24 })).stdout) as [
    { readonly filename: string; readonly files: Packed['files'] },
  ];
  return { file: path.join(folder, filename), files };
}

/** Lays the packed program out as `npm install --global` does, without a registry. @returns the folder of commands */
async function install(file: string, folder: string): Promise<string> {
  const [place, commands] = [path.join(folder, 'lib', 'node_modules', 'cartulary'), path.join(folder, 'bin')];
  mkdirSync(place, { recursive: true });
  mkdirSync(commands);
  await run('tar', ['-xzf', file, '--strip-components=1', '-C', place]);
  for (const name of listInstalled()) {
    mkdirSync(path.dirname(path.join(place, name)), { recursive: true });
    symlinkSync(path.join(root, name), path.join(place, name));
  }
  const { bin } = JSON.parse(readFileSync(path.join(place, 'package.json'), 'utf8')) as { bin: { cartulary: string } };
  symlinkSync(path.join('..', 'lib', 'node_modules', 'cartulary', bin.cartulary), path.join(commands, 'cartulary'));
  return commands;
}
