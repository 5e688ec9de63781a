// Makes a checkout ready to run: checks Node, installs the packages of the lock file, compiles.
// It needs only Node and npm, and does nothing if nothing changed. Output of npm and the compiler
// is shown only when they fail.
//
// Usage: node bin/setup.mjs, or import { setUp }
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const at = (...segments) => path.join(root, ...segments);
const readJson = (...segments) => JSON.parse(readFileSync(at(...segments), 'utf8'));
const say = (line) => process.stderr.write(`${line}\n`);

/** Ends the process with a message for people and, if there is any, the output that explains it. */
function giveUp(message, output = '') {
  if (output !== '') say(output.trimEnd());
  say(`\ncartulary: ${message}`);
  process.exit(1);
}

/** Stops with a plain message on a Node older than package.json requires. */
function checkNode() {
  const wanted = readJson('package.json').engines.node.replace(/^>=/, '');
  const [has, needs] = [process.versions.node, wanted].map((version) => version.split('.').map(Number));
  const difference = [0, 1, 2].map((place) => has[place] - needs[place]).find((step) => step !== 0) ?? 0;
  if (difference < 0) giveUp(`Node ${wanted} or newer is needed; this is ${process.versions.node} (see nodejs.org).`);
}

/** Whether node_modules holds the lock file's versions, as npm recorded them when it last finished. */
function isInstalled() {
  if (!existsSync(at('node_modules', '.package-lock.json'))) return false;
  const installed = readJson('node_modules', '.package-lock.json').packages;
  return Object.entries(readJson('package-lock.json').packages).every(([place, wanted]) => {
    if (place === '') return true;
    return installed[place] === undefined ? wanted.optional === true : installed[place].version === wanted.version;
  });
}

/** As in lib/sidecar/driver.ts, which is not compiled yet: this Node takes the version that has its binaries with it. */
const hasNodeApi10 = Number(process.versions.napi) >= 10;

/** Whether the compiled part of better-sqlite3 is there and fits this Node. */
function isSqliteUsable() {
  try {
    const Database = createRequire(import.meta.url)(hasNodeApi10 ? 'better-sqlite3-13' : 'better-sqlite3');
    new Database(':memory:').close();
    return true;
  } catch {
    return false;
  }
}

function runQuietly(command, commandArguments, options = {}) {
  const result = spawnSync(command, commandArguments, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  const output = `${result.stdout ?? ''}${result.stderr ?? ''}${result.error ? String(result.error) : ''}`;
  return { done: result.status === 0, output };
}

function install() {
  if (isInstalled() && isSqliteUsable()) return;
  say(
    `Installing (first start only; one to three minutes${hasNodeApi10 ? '' : ', longest where better-sqlite3 is compiled'})…`,
  );
  // Development packages are needed too, regardless of NODE_ENV: the compiler is one of them.
  const flags = [
    'ci',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
    '--loglevel=warn',
    // The only script that a package needs compiles the other version of better-sqlite3.
    ...(hasNodeApi10 ? ['--ignore-scripts'] : []),
  ];
  const npm = process.env.npm_execpath;
  const { done, output } =
    npm !== undefined && path.basename(npm) === 'npm-cli.js'
      ? runQuietly(process.execPath, [npm, ...flags])
      : runQuietly('npm', flags, { shell: process.platform === 'win32' });
  if (!done) giveUp('installing failed; what npm said is above.', output);
  if (!isSqliteUsable()) {
    giveUp(
      hasNodeApi10
        ? `better-sqlite3 has no binary for ${process.platform} ${process.arch} that loads here (see lib/docs/operating.md).`
        : 'better-sqlite3 could not be installed. It needs a prebuilt binary for this Node or a C++ compiler, make and ' +
            'python3; behind a firewall set npm_config_nodedir to the folder that has include/node. Node 22.14 and ' +
            'later need none of this.',
      output,
    );
  }
}

/** The console's pages and the client library have builds of their own. */
const builtElsewhere = ['lib/console/web', 'lib/client'];

/** Every TypeScript source below `folder`, in a stable order. */
function listSources(folder) {
  return readdirSync(at(folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const place = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return builtElsewhere.includes(place) ? [] : listSources(place);
      return entry.name.endsWith('.ts') ? [place] : [];
    });
}

/** A digest of everything that determines the compiler's output. */
function digestOfSources() {
  const hash = createHash('sha256').update(readJson('node_modules', 'typescript', 'package.json').version);
  const client = readdirSync(at('lib', 'client'))
    .filter((name) => name !== 'described.d.ts')
    .map((name) => `lib/client/${name}`);
  const others = ['tsconfig.json', 'schema/openapi.yaml', 'bin/build-client.mjs', ...client];
  for (const file of [...others, ...['bin', 'lib', 'test'].flatMap(listSources)]) {
    hash.update(`\0${file}\0`).update(readFileSync(at(file)));
  }
  return hash.digest('hex');
}

/** @returns whether there was anything to build */
function build() {
  const stamp = at('dist', '.sources');
  const digest = digestOfSources();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return false;
  say('Building…');
  // Starts from nothing, because the tests of a deleted source would otherwise still run.
  rmSync(at('dist'), { recursive: true, force: true });
  // Tests import it by its name, so it comes first.
  const client = runQuietly(process.execPath, [at('bin', 'build-client.mjs')]);
  if (!client.done) giveUp('the client library does not compile; what the compiler said is above.', client.output);
  const { done, output } = runQuietly(process.execPath, [at('node_modules', 'typescript', 'bin', 'tsc'), '-p', root]);
  if (!done) giveUp('the sources do not compile; what the compiler said is above.', output);
  mkdirSync(at('dist'), { recursive: true });
  writeFileSync(stamp, digest);
  return true;
}

/** Builds the pages of the console. @param isSaid whether a line says already that something is built */
async function buildPages(isSaid) {
  // Its packages are installed only now.
  const { buildConsole } = await import('./build-console.mjs');
  try {
    await buildConsole(() => isSaid || say('Building…'));
  } catch (error) {
    giveUp('the pages of the console could not be built; what the bundler said is above.', String(error));
  }
}

/** Brings the checkout up to date, or ends the process with exit code 1 and the reason. */
export async function setUp() {
  checkNode();
  install();
  const isSaid = build();
  await buildPages(isSaid);
  // Their packages, too, are installed only now.
  const { buildDescriptions } = await import('./build-descriptions.mjs');
  buildDescriptions(root);
  const { buildManual } = await import('./build-manual.mjs');
  try {
    await buildManual(() => isSaid || say('Building…'));
  } catch (error) {
    giveUp('the manual could not be built.', String(error));
  }
  const { buildProgram } = await import('./build-program.mjs');
  try {
    await buildProgram(root, () => isSaid || say('Building…'));
  } catch (error) {
    giveUp('the program could not be bundled; what the bundler said is above.', String(error));
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await setUp();
