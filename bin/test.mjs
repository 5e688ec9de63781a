// `npm test`: sets the checkout up, then runs mocha on the compiled tests. It uses one process more than there are
// processors. Files that need the machine for themselves follow, each in its own process. test/support/queue.ts names
// them and gives the reasons.
//
// Arguments go to mocha: `npm test -- --grep journal`. Named compiled tests run alone, in one process. These
// arguments are for this program:
//   --jobs N       the number of processes
//   --fast         runs the fast suite only
//   --campaign     runs only what has counts, with large counts, and prints its seed
//   --seed N       the seed of all random histories
//   --repeat       runs each file with a failure once more at the end, with nothing beside it. A test that passes then
//                  is named as unsteady, with its first error, and does not fail the run.
import { fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from './run-quietly.mjs';
import { setUp } from './setup.mjs';

/** Takes `--name` and its value out of the arguments. */
function takeOption(name) {
  const place = rest.findIndex((argument) => argument === name || argument.startsWith(`${name}=`));
  if (place < 0) return undefined;
  const [argument] = rest.splice(place, 1);
  return argument === name ? rest.splice(place, 1)[0] : argument.slice(name.length + 1);
}

/** Takes `--name` out of the arguments. @returns whether it was there */
function takeFlag(name) {
  const place = rest.indexOf(name);
  if (place >= 0) rest.splice(place, 1);
  return place >= 0;
}

/** Whether this Node can load the parser that reads our own sources for the laws. */
function canReadSources() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 20 || minor >= 19;
}

/** Every file of tests as its source below test/ without its ending, the slow ones first. */
function listFiles() {
  const all = readdirSync(path.join(root, 'dist', 'test'), { recursive: true })
    .filter((file) => file.endsWith('.test.js'))
    .map((file) =>
      file
        .split(path.sep)
        .join('/')
        .replace(/\.test\.js$/, ''),
    )
    .sort((a, b) => (a < b ? -1 : 1));
  const gone = [...slowFirst, ...Object.keys(alone), ...campaign].filter((file) => !all.includes(file));
  if (gone.length > 0) throw new Error(`test/support/queue.ts names files that are not there: ${gone.join(', ')}`);
  const listed = [...slowFirst, ...all.filter((file) => !slowFirst.includes(file))];
  if (canReadSources()) return listed;
  console.log('skipped: the laws of the code (test/architecture), because oxc-parser needs Node 20.19');
  return listed.filter((file) => !file.startsWith('architecture'));
}

/** Bytes that the folders of tests have at one time, many times over. */
const roomForTests = 6 * 1024 ** 3;

/**
 * A folder in memory for the files of tests, where this machine has one with room: the suite waits for a disk many
 * thousand times, and no test needs one, since it is processes that are killed and not machines.
 * @returns undefined where the folder of the system has to do
 */
function openFolderInMemory() {
  if (process.env.TMPDIR !== undefined || process.platform !== 'linux') return undefined;
  try {
    const [, , kind, options] =
      readFileSync('/proc/mounts', 'utf8')
        .split('\n')
        .map((line) => line.split(' '))
        .find(([, place]) => place === '/dev/shm') ?? [];
    const { bavail, bsize } = statfsSync('/dev/shm');
    const available = Number(/^MemAvailable: +(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]) * 1024;
    const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
    // Tests run programs in their folders.
    if (kind !== 'tmpfs' || options.split(',').includes('noexec')) return undefined;
    if (Math.min(bavail * bsize, available, limit) < roomForTests) return undefined;
    const folder = mkdtempSync('/dev/shm/tests-');
    chmodSync(folder, 0o1777);
    process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
    return folder;
  } catch {
    return undefined;
  }
}

/**
 * Settings of glibc's allocator for mocha's processes: two heaps instead of eight for each processor, on large pages.
 * Every start of a program copies the page tables of the process that starts it. test/allocate-less.cjs takes the
 * settings out of the environment again, so the programs under test do not have them.
 */
function tellAllocator() {
  if (process.env.MALLOC_ARENA_MAX !== undefined || process.env.GLIBC_TUNABLES !== undefined) return {};
  return { MALLOC_ARENA_MAX: '2', GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1', TEST_ALLOCATOR: '1' };
}

/**
 * Runs mocha in a process of its own.
 * @returns its counts, the milliseconds of each folder of tests, and for each test that failed its title, file and error;
 * a process that died is one failure
 */
function runMocha(mochaArguments) {
  return new Promise((resolve) => {
    let summary;
    const child = fork(path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js'), mochaArguments, {
      cwd: root,
      env: surroundings,
      // Mocha's own modules need it in Node 20.18; later versions have it without the flag.
      execArgv: ['--experimental-require-module', '--disable-warning=ExperimentalWarning', ...process.execArgv],
    });
    child.on('message', (message) => (summary = message));
    child.on('exit', (code, signal) => {
      const died = {
        passes: 0,
        failures: 1,
        pending: 0,
        failed: [{ title: `mocha ended with ${signal ?? `code ${code}`}` }],
        times: {},
      };
      resolve(summary ?? died);
    });
  });
}

const rest = process.argv.slice(2);
const isFast = takeFlag('--fast');
const isWhole = !rest.some((argument) => argument.endsWith('.js'));
const isCampaign = takeFlag('--campaign');
const doesRepeat = takeFlag('--repeat');
const seed = takeOption('--seed') ?? (isCampaign ? String(randomInt(1_000_000_000)) : undefined);
// Tests wait for disks and programs for about half of their time, so there is work for one process more.
const jobs = Number(takeOption('--jobs') ?? os.availableParallelism() + 1);
const folderInMemory = openFolderInMemory();
const surroundings = {
  ...process.env,
  ...(folderInMemory === undefined ? {} : { TMPDIR: folderInMemory }),
  ...tellAllocator(),
  ...(isCampaign ? { TEST_CAMPAIGN: '1' } : {}),
  ...(seed === undefined ? {} : { TEST_SEED: seed }),
};

await setUp({ withTests: true });
// Coverage is counted by compiled file, so programs run these then.
if (process.env.NODE_V8_COVERAGE !== undefined) rmSync(path.join(root, 'dist', 'program'), { recursive: true });
const { alone, campaign, fast, slowFirst } = await import('../dist/test/support/queue.js');
const started = performance.now();
const compiled = (files) => files.map((file) => `dist/test/${file}.test.js`);

/** The calls of mocha, one after the other. */
function planRuns() {
  if (rest.some((argument) => argument.endsWith('.js'))) return [rest];
  const isChosen = (file) =>
    isCampaign ? campaign.includes(file) : !isFast || fast.some((place) => `${file}/`.startsWith(`${place}/`));
  const files = listFiles().filter(isChosen);
  const isAlone = (file) => file in alone;
  const together = compiled(files.filter((file) => !isAlone(file)));
  const after = compiled(files.filter(isAlone));
  const options = [...rest, '--no-fail-zero'];
  if (jobs <= 1) return [[...options, ...together, ...after]];
  const parallel = [...options, '--parallel', '--jobs', String(jobs), ...together];
  return [parallel, ...after.map((file) => [...options, file])];
}

if (isCampaign) console.log(`Seed ${seed}. To repeat: npm run test:campaign -- --seed ${seed}`);
const summaries = [];
for (const run of planRuns()) summaries.push(await runMocha(run));

/** Runs the files of failed tests again. @returns the tests that failed twice, and those that passed this time */
async function repeatFailed(failed) {
  const files = new Set(failed.map(({ file }) => file));
  const again = [];
  for (const file of files) again.push(...(await runMocha([...rest, file])).failed);
  const isFailure = ({ title }) => again.some((other) => other.title === title || other.file === undefined);
  return { twice: failed.filter(isFailure), unsteady: failed.filter((test) => !isFailure(test)) };
}

/** Prints each test with the beginning of its error. */
function printFailures(heading, failed) {
  if (failed.length === 0) return;
  console.log(`\n${heading}`);
  for (const { title, error } of failed) {
    console.log(`  ${title}`);
    for (const line of (error ?? '').split('\n').slice(0, 12))
      if (line !== '') console.log(`      ${line.slice(0, 300)}`);
  }
}

/** Prints how long the tests of each folder took, the longest first. They ran in several processes at a time. */
function printTimes() {
  const times = new Map();
  for (const [area, milliseconds] of summaries.flatMap((summary) => Object.entries(summary.times))) {
    times.set(area, (times.get(area) ?? 0) + milliseconds);
  }
  const shown = [...times].sort(([, a], [, b]) => b - a).map(([area, ms]) => `${area} ${Math.round(ms / 1000)}`);
  console.log(`Seconds by folder, in ${jobs} processes: ${shown.join(', ')}`);
}

const sum = (name) => summaries.reduce((total, summary) => total + summary[name], 0);
const failed = summaries.flatMap((summary) => summary.failed);
const canRepeat =
  doesRepeat && failed.length > 0 && failed.length <= 10 && failed.every(({ file }) => file !== undefined);
const { twice, unsteady } = canRepeat ? await repeatFailed(failed) : { twice: failed, unsteady: [] };
printFailures('Unsteady: failed at first, passed alone:', unsteady);
printFailures('Failed:', twice);
const ran = sum('passes') + sum('failures') + sum('pending');
if (ran === 0) console.log('No test matches.');
if (isWhole) printTimes();
console.log(`${Math.round((performance.now() - started) / 1000)} s`);
const skipped = sum('pending') > 0 ? `, ${sum('pending')} skipped` : '';
console.log(`${sum('passes') + unsteady.length} passed, ${sum('failures') - unsteady.length} failed${skipped}`);
process.exitCode = ran === 0 || sum('failures') > unsteady.length ? 1 : 0;
