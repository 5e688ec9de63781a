// Makes a checkout ready to run: checks Node, installs the packages of the lock file, compiles.
// It needs only Node and npm, and does nothing if nothing changed. Output of npm and the compiler
// is shown only when they fail.
//
// Usage: node bin/setup.mjs [--tests], or import { setUp }
//   --tests  also what the tests need, and the tests themselves
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { install } from './install.mjs';
import { makeDescribedTypes } from './make-types.mjs';
import { at, giveUp, readJson, root, runQuietly, say } from './run-quietly.mjs';

/** Stops with a plain message on a Node older than package.json requires. */
function checkNode() {
  const wanted = readJson('package.json').engines.node.replace(/^>=/, '');
  const [has, needs] = [process.versions.node, wanted].map((version) => version.split('.').map(Number));
  const difference = [0, 1, 2].map((place) => has[place] - needs[place]).find((step) => step !== 0) ?? 0;
  if (difference < 0) giveUp(`Node ${wanted} or newer is needed; this is ${process.versions.node} (see nodejs.org).`);
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
      // The types of the described API are made from what is digested.
      return entry.name.endsWith('.ts') && entry.name !== 'described.d.ts' ? [place] : [];
    });
}

/** Digests of everything that determines the compiler's output: of the program, and of its tests too. */
function digestSources() {
  const hash = createHash('sha256').update(readJson('node_modules', 'typescript', 'package.json').version);
  const client = readdirSync(at('lib', 'client'))
    .filter((name) => name !== 'described.d.ts')
    .map((name) => `lib/client/${name}`);
  const settings = [
    'tsconfig.json',
    'schema/openapi.yaml',
    'schema/console.yaml',
    'bin/build-client.mjs',
    'bin/describe-api.mjs',
    'bin/make-types.mjs',
  ];
  // The package of the client names it.
  hash.update(readJson('package.json').version);
  const take = (files) => {
    for (const file of files) hash.update(`\0${file}\0`).update(readFileSync(at(file)));
    return hash.copy().digest('hex');
  };
  return {
    program: take([...settings, ...client, ...['bin', 'lib'].flatMap(listSources)]),
    tests: take(['test/tsconfig.json', ...listSources('test')]),
  };
}

/** What was compiled last. */
function readStamp(stamp) {
  try {
    return JSON.parse(readFileSync(stamp, 'utf8'));
  } catch {
    return {};
  }
}

/** @returns whether there was anything to build */
function build(withTests) {
  const stamp = at('dist', '.sources');
  const { program, tests } = digestSources();
  const made = readStamp(stamp);
  const hasProgram = made.program === program;
  if (hasProgram && (!withTests || made.tests === tests)) return false;
  say('Building…');
  // Starts from nothing, because the tests of a deleted source would otherwise still run.
  rmSync(stamp, { force: true });
  rmSync(hasProgram ? at('dist', 'test') : at('dist'), { recursive: true, force: true });
  if (!hasProgram) {
    // Tests import it by its name, so it comes first.
    const client = runQuietly(process.execPath, [at('bin', 'build-client.mjs')]);
    if (!client.done) giveUp('the client library does not compile; what the compiler said is above.', client.output);
  }
  try {
    makeDescribedTypes();
  } catch (error) {
    giveUp('the types of the described API could not be made.', String(error));
  }
  const compiler = at('node_modules', 'typescript', 'bin', 'tsc');
  const { done, output } = runQuietly(process.execPath, [compiler, '-p', withTests ? at('test') : root]);
  if (!done) giveUp('the sources do not compile; what the compiler said is above.', output);
  mkdirSync(at('dist'), { recursive: true });
  writeFileSync(stamp, JSON.stringify({ program, ...(withTests ? { tests } : {}) }));
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

/**
 * Brings the checkout up to date, or ends the process with exit code 1 and the reason.
 * @param withTests also what the tests need, and the tests themselves
 */
export async function setUp({ withTests = false } = {}) {
  checkNode();
  install({ withTests });
  const isSaid = build(withTests);
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

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  await setUp({ withTests: process.argv.includes('--tests') });
