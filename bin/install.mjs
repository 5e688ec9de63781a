// Installs the packages of the lock file, at one of two levels (decision 0330): what runs and builds the program, or with
// --tests also what checks and measures it, which the workspace test/ names. It needs only Node and npm, and does
// nothing if nothing is missing.
//
// Usage: node bin/install.mjs [--tests], or import { install }
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { at, giveUp, readJson, runQuietly, say } from './run-quietly.mjs';

/** As in lib/sidecar/driver.ts, which is not compiled yet: this Node takes the version that has its binaries with it. */
const hasNodeApi10 = Number(process.versions.napi) >= 10;
const driver = hasNodeApi10 ? 'better-sqlite3-13' : 'better-sqlite3';

/** Lines of a failed program that are shown: their last ones name the reason. */
const shownLines = 25;

/** Where Node finds a package from the folder of another one in the lock file. */
function findPackage(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('node_modules/') - 1, 0))) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[place] !== undefined || folder === '') return place;
  }
}

/** The places of what the root of the lock file needs, without its workspaces, and all that this needs itself. */
export function listOfProgram(packages) {
  const places = new Set(['']);
  // A set goes on with what is added meanwhile.
  for (const place of places) {
    const { dependencies, devDependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } =
      packages[place];
    const isAsked = (name) => peerDependenciesMeta?.[name]?.optional !== true;
    const peers = Object.keys(peerDependencies ?? {}).filter(isAsked);
    for (const name of [...Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }), ...peers]) {
      const found = findPackage(packages, place, name);
      if (packages[found] !== undefined) places.add(found);
    }
  }
  return [...places];
}

/** Whether node_modules holds the lock file's versions, as npm recorded them when it last finished. */
function isInstalled(withTests) {
  if (!existsSync(at('node_modules', '.package-lock.json'))) return false;
  const installed = readJson('node_modules', '.package-lock.json').packages;
  const { packages } = readJson('package-lock.json');
  return (withTests ? Object.keys(packages) : listOfProgram(packages)).every((place) => {
    const wanted = packages[place];
    // The checkout itself, and its workspace.
    if (wanted.link === true || !place.includes('node_modules/')) return true;
    return installed[place] === undefined ? wanted.optional === true : installed[place].version === wanted.version;
  });
}

/**
 * Whether the compiled part of better-sqlite3 is there and fits this Node. Another process answers, because this one
 * would remember that a package was absent when it was first asked for.
 */
function isSqliteUsable() {
  const question = `new (require('${driver}'))(':memory:').close()`;
  return runQuietly(process.execPath, ['--input-type=commonjs', '--eval', question]).done;
}

/**
 * The folder that has Node's own headers in include/node, as the archives of nodejs.org, version managers and Debian's
 * libnode-dev lay them beside the binary. node-gyp would otherwise fetch them from nodejs.org.
 * @returns undefined where there are none, or those of another version
 */
function findHeaders() {
  const binaries = [realpathSync(process.execPath), process.execPath];
  return binaries
    .map((binary) => path.resolve(path.dirname(binary), '..'))
    .find((folder) => {
      const [version, common] = ['node_version.h', 'common.gypi'].map((name) =>
        path.join(folder, 'include', 'node', name),
      );
      if (!existsSync(version) || !existsSync(common)) return false;
      const defined = readFileSync(version, 'utf8').matchAll(/^#define NODE_(?:MAJOR|MINOR|PATCH)_VERSION +(\d+)/gm);
      const parts = [...defined].map(([, number]) => number);
      return parts.join('.') === process.versions.node;
    });
}

function runNpm(given, environment = {}) {
  const options = { env: { ...process.env, ...environment } };
  const npm = process.env.npm_execpath;
  return npm !== undefined && path.basename(npm) === 'npm-cli.js'
    ? runQuietly(process.execPath, [npm, ...given], options)
    : runQuietly('npm', given, { ...options, shell: process.platform === 'win32' });
}

/** The end of what a program said. */
const tellEnd = (output) =>
  output
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-shownLines)
    .join('\n');

function fetchPackages(withTests) {
  // What the program needs stays where it is: npm adds the rest. Otherwise it starts from an empty folder.
  const isAddition = withTests && isInstalled(false);
  say(
    isAddition
      ? 'Installing what the tests need (once; about a minute)…'
      : 'Installing (first start only; one to three minutes)…',
  );
  const given = [
    ...(isAddition ? ['install', '--no-save', '--package-lock'] : ['ci']),
    ...(withTests ? [] : ['--workspaces=false']),
    // The compiler is needed too, regardless of NODE_ENV and of settings of this account.
    '--include=dev',
    '--include=optional',
    // The only script that a package needs is run by itself, so that its failure is told and not forgiven.
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    '--prefer-offline',
    '--loglevel=error',
  ];
  let { done, output } = runNpm(given);
  // Another account may own npm's cache, often root after a `sudo npm`.
  if (!done && /\b(?:EACCES|EPERM|EROFS|ENOTDIR)\b[^]*_cacache/.test(output)) {
    const cache = mkdtempSync(path.join(os.tmpdir(), 'cartulary-npm-'));
    ({ done, output } = runNpm([...given, `--cache=${cache}`]));
    rmSync(cache, { recursive: true, force: true });
  }
  if (!done) giveUp('installing failed; what npm said is above.', tellEnd(output));
}

/** Fetches or compiles the part of better-sqlite3 that is not JavaScript. */
function prepareSqlite() {
  say('Preparing better-sqlite3 (once for this version of Node; minutes where it is compiled)…');
  const headers = process.env.npm_config_nodedir === undefined ? findHeaders() : undefined;
  const { output } = runNpm(
    ['rebuild', driver, '--foreground-scripts', '--ignore-scripts=false', '--no-update-notifier', '--loglevel=error'],
    headers === undefined ? {} : { npm_config_nodedir: headers },
  );
  if (isSqliteUsable()) return;
  giveUp(
    'better-sqlite3 could not be installed; the end of what its installation said is above. It needs a prebuilt ' +
      'binary for this Node or a C++ compiler, make and python3; behind a firewall set npm_config_nodedir to the ' +
      'folder that has include/node. Node 22.14 and later need none of this.',
    tellEnd(output),
  );
}

/** Installs what is missing, or ends the process with exit code 1 and the reason. */
export function install({ withTests = false } = {}) {
  if (!isInstalled(withTests)) fetchPackages(withTests);
  if (isSqliteUsable()) return;
  if (!hasNodeApi10) return prepareSqlite();
  giveUp(
    `better-sqlite3 has no binary for ${process.platform} ${process.arch} that loads here (see lib/docs/operating.md).`,
  );
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  install({ withTests: process.argv.includes('--tests') });
