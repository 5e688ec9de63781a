import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { packagePath } from '../lib/config.js';

const readJson = (name: string): unknown => JSON.parse(readFileSync(packagePath(name), 'utf8'));
const manifest = readJson('package.json') as Manifest;
const workspace = readJson('test/package.json') as Workspace;
const { packages } = readJson('package-lock.json') as { packages: Readonly<Record<string, Locked>> };

/** Licences under which the program may be passed on, with this one's notices. MPL asks for changed files alone. */
const ofProgram = new Set(
  'MIT MIT-0 Apache-2.0 ISC BSD-2-Clause BSD-3-Clause 0BSD BlueOak-1.0.0 Unlicense Python-2.0 Zlib MPL-1.1'.split(' '),
);
/** Also of what is used here and not passed on, or not changed. */
const ofTools = new Set([...ofProgram, 'MPL-2.0', 'PSF-2.0', 'CC0-1.0']);
/** Packages that name no licence in their manifests, as read in their texts. */
const readByHand: Readonly<Record<string, string>> = {
  // Its LICENSE says that the project goes from the first to the second.
  '@modelcontextprotocol/inspector': '(MIT AND Apache-2.0)',
  // Of s3rver's tests; MIT in their README.
  'humanize-number': 'MIT',
  only: 'MIT',
};

describe('the packages that this one needs', () => {
  it('are installed without running a script that npm takes for a step of its own', () => {
    const steps = 'dependencies install postinstall preinstall prepare prepublish preprepare postprepare'.split(' ');
    assert.deepEqual(
      Object.keys(manifest.scripts).filter((name) => steps.includes(name)),
      [],
    );
  });

  it('stand in DEPENDENCIES.md, each with its reason, version and licence', () => {
    const table = readTable();
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    const ofTests = workspace.devDependencies;
    const names = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies, ...ofTests });
    assert.deepEqual([...table.keys()], names, 'npm run dependencies:table');
    for (const name of names) {
      const [reason = '', version, , licence] = table.get(name) ?? [];
      assert.ok(reason.length > 4, `${name} needs a reason in DEPENDENCIES.md`);
      const path = `node_modules/${name}`;
      assert.equal(version, packages[path]?.version, `${name}: npm run dependencies:table`);
      assert.equal(licence, packages[path]?.license ?? readLicence(path), `${name}: npm run dependencies:table`);
    }
  });

  it('are of one level each: what only tests and checks need, no start installs', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    const ofProgram = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies });
    const ofTests = Object.keys(workspace.devDependencies);
    assert.deepEqual(
      ofProgram.filter((name) => ofTests.includes(name)),
      [],
    );
  });

  it('are used, where they are programs that no test imports', () => {
    const { workspaces } = readJson('knip.json') as {
      readonly workspaces: { readonly test: { readonly ignoreDependencies: readonly string[] } };
    };
    const scripts = Object.values(manifest.scripts).join(' && ');
    const locked = (name: string): Locked | undefined => packages[`node_modules/${name}`];
    const helpers = Object.keys(workspace.devDependencies).flatMap((name) =>
      Object.keys(locked(name)?.peerDependencies ?? {}),
    );
    const isRun = (name: string): boolean =>
      Object.keys(locked(name)?.bin ?? {}).some((program) => new RegExp(`&& ${program}( |$)`).test(scripts));
    const unused = workspaces.test.ignoreDependencies.filter((name) => !isRun(name) && !helpers.includes(name));
    assert.deepEqual(unused, ['@modelcontextprotocol/inspector'], 'a test starts it by its name');
  });

  it('have licences that allow their use, with all that they need themselves', () => {
    const refused = Object.entries(packages).flatMap(([path, { dev, optional, link }]) => {
      // The checkout itself, and its workspace.
      if (link === true || !path.includes('node_modules/')) return [];
      const licence = readLicence(path);
      // Binaries for other machines: the lock file says nothing of them, and the package that needs them does.
      if (licence === undefined && optional === true) return [];
      const allowed = dev === true ? ofTools : ofProgram;
      return isAllowed(licence ?? 'none', allowed) ? [] : [`${path}: ${licence ?? 'none'}`];
    });
    assert.deepEqual(refused, []);
  });

  it('would be refused under another licence', () => {
    for (const licence of ['GPL-3.0', 'none', '(MIT AND GPL-2.0)', 'SEE LICENSE IN LICENSE', 'MPL-2.0']) {
      assert.equal(isAllowed(licence, ofProgram), false, licence);
    }
    for (const licence of ['MIT', '(MIT OR GPL-2.0)', '(MIT AND Zlib)']) {
      assert.equal(isAllowed(licence, ofProgram), true, licence);
    }
  });
});

const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

interface Workspace {
  readonly devDependencies: Readonly<Record<string, string>>;
}

interface Manifest extends Workspace {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
}

interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** The licence in the lock file, or in the package itself in an older form. Undefined for one that is not installed. */
function readLicence(path: string): string | undefined {
  const known = readByHand[nameOf(path)] ?? packages[path]?.license;
  if (known !== undefined || !existsSync(packagePath(path, 'package.json'))) return known;
  const own = readJson(`${path}/package.json`) as { license?: string; licenses?: { type: string }[] };
  return own.license ?? own.licenses?.map(({ type }) => type).join(' OR ') ?? 'none';
}

/** SPDX: one of those with OR, all of those with AND. */
function isAllowed(licence: string, allowed: ReadonlySet<string>): boolean {
  const bare = licence.replace(/^\(|\)$/g, '');
  if (bare.includes(' OR ')) return bare.split(' OR ').some((each) => isAllowed(each, allowed));
  return bare.split(' AND ').every((each) => allowed.has(each));
}

/** The cells of each row of the page, by name. */
function readTable(): Map<string, readonly string[]> {
  const lines = readFileSync(packagePath('DEPENDENCIES.md'), 'utf8').split('\n');
  const rows = lines.filter((line) => line.startsWith('| `')).map((line) => line.split('|').map((cell) => cell.trim()));
  return new Map(rows.map(([, name = '', ...cells]) => [name.replaceAll('`', ''), cells]));
}
