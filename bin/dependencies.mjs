/**
 * `npm run dependencies:table`: writes DEPENDENCIES.md, tables of the packages that package.json and test/package.json name. The reasons are kept
 * as they stand there; everything else is read from the lock file, from node_modules and from the built program. The
 * newest versions come from the registry, through `npm outdated`; where none answers, the column says so. A test
 * compares names, versions and licences with the lock file.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listOfProgram } from './install.mjs';
import { root } from './run-quietly.mjs';

const read = (name) => readFileSync(join(root, name), 'utf8');
const file = join(root, 'DEPENDENCIES.md');

const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json'));
const { devDependencies: ofTests } = JSON.parse(read('test/package.json'));
const { packages } = JSON.parse(read('package-lock.json'));
const committed = readRows();
const reasons = new Map([...committed].map(([name, row]) => [name, row.split('|')[2].trim()]));
const newest = askForNewest();
const bundled = readBundled();

/** Each row of the committed table, by the name of its package. */
function readRows() {
  const lines = existsSync(file) ? read('DEPENDENCIES.md').split('\n') : [];
  const rows = lines.filter((line) => line.startsWith('| `'));
  return new Map(rows.map((row) => [row.split('|')[1].trim().replaceAll('`', ''), row]));
}

/** By name: the newest version and the day of its release. @returns undefined where no registry answers */
function askForNewest() {
  let outdated;
  try {
    outdated = run('npm', ['outdated', '--json']);
  } catch (error) {
    // It ends with 1 where something is outdated.
    outdated = error.stdout;
  }
  try {
    const answer = JSON.parse(outdated || '{}');
    if (answer.error !== undefined) return undefined;
    // Another name of a package is followed by that package.
    const rows = Object.entries(answer).map(([key, found]) => [...key.split(':'), [found].flat()[0].latest]);
    return new Map(rows.map((row) => [row[0], row.length === 3 ? row[2] : describe(row[0], row[1])]));
  } catch {
    return undefined;
  }
}

function describe(name, version) {
  const times = JSON.parse(run('npm', ['view', `${name}@${version}`, 'time', '--json']) || '{}');
  const time = (Array.isArray(times) ? times[0] : times)?.[version];
  return time === undefined ? version : `${version} (${time.slice(0, 10)})`;
}

function run(program, parameters) {
  return execFileSync(program, parameters, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** Names of the packages in the built program. */
function readBundled() {
  const licences = join(root, 'dist', 'program', 'licences.txt');
  if (!existsSync(licences)) throw new Error('Build the program first: npm run build');
  return new Set(
    readFileSync(licences, 'utf8')
      .split(/^-{80}$/m)
      .map((each) => /^(\S+) \d/.exec(each.trim())?.[1]),
  );
}

function licenceOf(name) {
  const { license } = packages[`node_modules/${name}`];
  if (license !== undefined) return license;
  const { license: own, licenses = [] } = JSON.parse(read(`node_modules/${name}/package.json`));
  return own ?? licenses.map(({ type }) => type).join(' OR ');
}

function measure(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function makeRow(name, isProduction) {
  // One that this Node does not take is not installed.
  if (!existsSync(join(root, 'node_modules', name))) return committed.get(name) ?? `| \`${name}\` |`;
  const { version } = packages[`node_modules/${name}`];
  const megabytes = (measure(join(root, 'node_modules', name)) / 1e6).toFixed(1);
  const loaded = !isProduction ? [] : [bundled.has(name) ? 'in the bundle' : 'from node_modules'];
  const latest = newest === undefined ? 'not asked' : (newest.get(name) ?? 'this one');
  const cells = [
    `\`${name}\``,
    reasons.get(name) ?? '',
    version,
    latest,
    licenceOf(name),
    `${megabytes} MB`,
    ...loaded,
  ];
  return `| ${cells.join(' | ')} |`;
}

function makeTable(names, isProduction) {
  const head = ['package', 'why', 'version', 'latest', 'licence', 'unpacked', ...(isProduction ? ['loaded'] : [])];
  const rows = Object.keys(names).map((name) => makeRow(name, isProduction));
  return [`| ${head.join(' | ')} |`, `|${' --- |'.repeat(head.length)}`, ...rows].join('\n');
}

/** How many of these places in the lock file are packages. */
const count = (places) => places.filter((place) => place.includes('node_modules/') && !packages[place].link).length;
const [inAll, inBuild] = [Object.keys(packages), listOfProgram(packages)].map(count);
const inProduction = count(Object.keys(packages).filter((place) => packages[place].dev !== true));
writeFileSync(
  file,
  `# Dependencies

The packages that \`package.json\` and \`test/package.json\` name, with the reason for each. \`npm run dependencies:table\` writes this page and keeps the reasons. A test refuses a package without a reason, a licence that is not allowed, and a table that differs from the lock file. \`latest\` is the version that the registry recommended when the page was written, with its day where it is not this one. \`npm run sbom\` prints all packages of the running program as CycloneDX.

## Of the running program

With what they need themselves, ${inProduction} packages.

${makeTable({ ...dependencies, ...optionalDependencies }, true)}

## Of its build and its console

With what they need themselves, ${inBuild - inProduction} packages. The console's packages are part of its built files.

${makeTable(devDependencies, false)}

## Of its tests and checks

With what they need themselves, ${inAll - inBuild} packages. \`npm test\` installs them, and \`npm start\` does not.

${makeTable(ofTests, false)}
`,
);
run(process.execPath, [join(root, 'node_modules', 'prettier', 'bin', 'prettier.cjs'), '--write', file]);
console.log(`${file}: the registry was ${newest === undefined ? 'not reached' : 'asked for later versions'}`);
