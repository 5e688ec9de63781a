import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { judgeCodeMap } from './architecture/code-map.js';
import { judgeModules, laws } from './architecture/laws.js';
import { planted } from './architecture/planted.js';
import { readModule, type Module } from './architecture/read-module.js';
import { findRunaways } from './architecture/regular-expressions.js';
import { findCircles } from './architecture/find-circles.js';
import { findIdleReasons, findSplinters } from './architecture/splinters.js';
import { judgeSurfaces, readSurfaces } from './architecture/surface.js';
import { clientRoom, floors, owners, pageFloors, pageOwners, pageRoomOf, resolveImport } from './architecture/rooms.js';

const root = findRoot(process.cwd());

describe('architecture', () => {
  const modules = ['lib', 'bin'].flatMap(readModules);
  const tests = readModules('test');

  it('is judged on all sources, and every relative import names one of them', () => {
    const paths = new Set(modules.map((module) => module.path));
    assert.ok(modules.length >= 40, `only ${modules.length} modules were found below ${root}`);
    const rooms = new Set(modules.map((module) => module.path.split('/')[1]));
    for (const room of ['domain', 'git', 'sidecar', 'access', 'audit', 'workspace', 'operations']) {
      assert.ok(rooms.has(room), `no module of lib/${room} was read`);
    }
    const relative = modules.flatMap(({ path: from, imports }) =>
      imports
        .filter(({ text }) => text.startsWith('.'))
        .map(({ text }) => ({ from, target: resolveImport(from, text) })),
    );
    assert.ok(
      relative.length >= modules.length,
      `only ${relative.length} imports were read in ${modules.length} modules`,
    );
    // The types of the described APIs are made by the build.
    const made = ['lib/client/described.ts', 'lib/console/web/api/described.d.ts', 'lib/api/requests/described.ts'];
    assert.deepEqual(
      relative.filter(({ target }) => !paths.has(target) && !made.includes(target)),
      [],
    );
  });

  it('holds for tests too: files stay short, and one module loads the driver of SQLite', () => {
    assert.ok(tests.length >= 200, `only ${tests.length} modules of tests were read`);
    const faults = judgeModules(
      tests,
      laws.filter(({ name }) => ['files stay short', 'one module loads the driver of SQLite'].includes(name)),
    );
    assert.equal(faults.length, 0, `\n${faults.join('\n')}`);
  });

  it('holds for scripts too: no regular expression runs away', () => {
    const scripts = readdirSync(path.join(root, 'bin'))
      .filter((name) => name.endsWith('.mjs'))
      .map((name) => readModule(`bin/${name}`, readFileSync(path.join(root, 'bin', name), 'utf8')));
    assert.ok(scripts.length >= 3, `only ${scripts.length} scripts were read`);
    const faults = judgeModules(
      scripts,
      laws.filter(({ name }) => name.includes('regular expression')),
    );
    assert.equal(faults.length, 0, `\n${faults.join('\n')}`);
  });

  it('holds for schemas too: no pattern in them runs away', () => {
    const patterns = readdirSync(path.join(root, 'schema'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:json|yaml)$/.test(name))
      .flatMap((name) => {
        const schema: unknown = parse(readFileSync(path.join(root, 'schema', name), 'utf8'));
        return findPatterns(schema).map((source) => ({ name, source }));
      });
    assert.ok(patterns.length >= 15, `only ${patterns.length} patterns were read`);
    // As the schemas' compiler reads them.
    const found = patterns.flatMap(({ name, source }) =>
      findRunaways({ source, flags: 'u' }).map((reason) => `schema/${name} ${source}: ${reason}`),
    );
    assert.deepEqual(found, []);
    const planted = { properties: { a: { pattern: '^(a+)+$' }, b: { patternProperties: { '^(?:a|a)*$': {} } } } };
    const sources = findPatterns(planted);
    assert.equal(sources.length, 2);
    for (const source of sources) assert.notDeepEqual(findRunaways({ source, flags: 'u' }), [], source);
  });

  for (const law of laws) {
    it(`holds: ${law.name}`, () => {
      const faults = judgeModules(modules, [law]);
      assert.equal(faults.length, 0, `\n${faults.join('\n')}`);
    });

    it(`would notice a breach: ${law.name}`, () => {
      const samples = planted[law.name];
      assert.ok(samples, 'every law has planted samples');
      for (const [file, text] of samples.guilty) {
        assert.notEqual(judgeModules([readModule(file, text)], [law]).length, 0, `not noticed in ${file}: ${text}`);
      }
      for (const [file, text] of samples.innocent) {
        assert.deepEqual(judgeModules([readModule(file, text)], [law]), [], `wrongly accused: ${file}`);
      }
    });
  }

  it('holds: no two files differ by their folder alone', () => {
    const twins = findTwins(modules.map(({ path: file }) => file));
    assert.deepEqual(twins, [], 'a tab of an editor shows the name of a file, and not its folder');
    assert.deepEqual(findTwins(['lib/a/face.ts', 'lib/b/c/face.ts', 'lib/a/face.tsx', 'lib/client/face.ts']), [
      'face.ts',
    ]);
  });

  it('holds: a file under 40 lines with one importer in its room has a test of its own or a reason', () => {
    assert.deepEqual(findSplinters(modules, tests), []);
    assert.deepEqual(findIdleReasons(modules), [], 'a reason that no file needs');
  });

  it('would notice a short file that its one importer could hold', () => {
    const short = readModule('lib/git/part.ts', 'export const part = 1;\n');
    const of = (file: string, text = "import { part } from './part.js';\n"): Module => readModule(file, text);
    const faults = findSplinters([short, of('lib/git/whole.ts')], []);
    assert.deepEqual(faults, ['lib/git/part.ts is read by lib/git/whole.ts alone: join them, or test it alone']);
    const ownTest = of('test/git/part.test.ts', "import { part } from '../../lib/git/part.js';\n");
    const thread = "startThread(new URL('./part.js', import.meta.url), {});\n";
    const innocent: readonly (readonly Module[])[] = [
      [short, of('lib/git/whole.ts'), of('lib/git/other.ts')],
      [short, of('lib/view/whole.ts', "import { part } from '../git/part.js';\n")],
      [short, of('lib/git/whole.ts', thread)],
      [short, of('lib/git/whole.ts', "const { part } = await import('./part.js');\n")],
      [readModule(short.path, short.text.repeat(40)), of('lib/git/whole.ts')],
      [short, of('lib/git/whole.ts', `import { part } from './part.js';\n${'let a;\n'.repeat(399)}`)],
      [of('lib/api/resources/part.ts', short.text), of('lib/api/table.ts', "import './resources/part.js';\n")],
    ];
    for (const house of innocent) assert.deepEqual(findSplinters(house, []), [], house.at(-1)?.text);
    assert.deepEqual(findSplinters([short, of('lib/git/whole.ts')], [ownTest]), []);
  });

  it('holds: no module imports itself through others', () => {
    assert.deepEqual(findCircles(modules), []);
  });

  it('would notice a circle of imports', () => {
    const of = (file: string, ...specifiers: string[]): Module =>
      readModule(file, specifiers.map((each) => `import type { A } from '${each}';\n`).join(''));
    const circle = [
      of('lib/git/a.ts', './b.js'),
      of('lib/git/b.ts', './deep/c.js'),
      of('lib/git/deep/c.ts', '../a.js'),
    ];
    assert.deepEqual(findCircles([...circle, of('lib/git/d.ts', './a.js')]), [
      ['lib/git/a.ts', 'lib/git/b.ts', 'lib/git/deep/c.ts'],
    ]);
    assert.deepEqual(findCircles([of('lib/git/a.ts', './a.js')]), [['lib/git/a.ts']]);
    assert.deepEqual(findCircles(circle.slice(1)), []);
  });

  it('holds: rooms import only the surfaces of other rooms, as the code map names them', () => {
    const surfaces = readSurfaces(readFileSync(path.join(root, 'lib', 'README.md'), 'utf8'));
    const rooms = new Set(modules.flatMap(({ path: file }) => /^lib\/([^/]+)\//.exec(file)?.[1] ?? []));
    const without = [...rooms].filter((room) => !surfaces.has(room));
    assert.deepEqual(without, [], 'each room has a surface');
    const faults = judgeSurfaces(surfaces, modules);
    assert.equal(faults.length, 0, `\n${faults.join('\n')}`);
  });

  it('would notice an import from the inside of a room, and a surface without users', () => {
    const surfaces = readSurfaces('## git\n\nSurface: `a.ts`, `packs/*`, `b.ts`.\n\n## text\n\nSurface: every file.\n');
    const judge = (...specifiers: string[]): string[] =>
      judgeSurfaces(surfaces, [
        readModule('lib/view/x.ts', specifiers.map((each) => `import '${each}';\n`).join('')),
        readModule('lib/git/inside.ts', "import './c.js';"),
      ]);
    assert.deepEqual(judge('../git/a.js', '../git/b.js', '../git/packs/x.js', '../text/x.js'), []);
    assert.match(judge('../git/a.js', '../git/b.js', '../git/packs/x.js', '../git/c.js')[0] ?? '', /x\.ts:4 .*inside/);
    assert.match(judge('../git/a.js', '../git/packs/x.js')[0] ?? '', /^lib\/git\/b\.ts is on the surface/);
  });

  it('reports the place, the law, the reason and the remedy', () => {
    const [fault] = judgeModules([readModule('lib/git/a.ts', "\n\nimport { reachOf } from '../access/reach.js';")]);
    assert.match(
      fault ?? '',
      /^lib\/git\/a\.ts:3 imports .*access stands above git\n {2}law: .+\n {2}because .+\n {2}remedy: .+$/,
    );
  });

  it('knows every room once, and no owner outside the picture', () => {
    const rooms = floors.flat();
    assert.equal(new Set(rooms).size, rooms.length);
    for (const room of Object.values(owners).flatMap((owner) => owner.rooms)) assert.ok(rooms.includes(room), room);
    const pages = pageFloors.flat();
    assert.equal(new Set(pages).size, pages.length);
    const standing = new Set(modules.map(({ path: file }) => pageRoomOf(file)));
    assert.deepEqual(
      pages.filter((room) => !standing.has(room)),
      [],
    );
    for (const room of Object.values(pageOwners).flatMap((owner) => owner.rooms)) assert.ok(pages.includes(room), room);
    assert.ok(!rooms.includes(clientRoom));
  });

  it('gives an owner to every package of the program, and to no other', () => {
    const manifest: unknown = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    const { dependencies, optionalDependencies } = manifest as Record<string, object>;
    // The build copies two files of pdf.js, which is no dependency at run time (decision 0387).
    const all = [...Object.keys({ ...dependencies, ...optionalDependencies }), 'pdfjs-dist'];
    assert.deepEqual(Object.keys(owners).sort(), all.sort());
  });

  describe('the code map', () => {
    const folders = [...new Set(modules.flatMap(({ path: file }) => /^lib\/([^/]+)\//.exec(file)?.[1] ?? []))];

    it('has a section with an invariant for every folder of lib/', () => {
      const faults = judgeCodeMap(readFileSync(path.join(root, 'lib', 'README.md'), 'utf8'), folders);
      assert.equal(faults.length, 0, `\n${faults.join('\n')}`);
    });

    it('shows the floors as the imports of lib and bin make them', () => {
      const { status, stderr } = spawnSync(process.execPath, ['bin/draw-floors.mjs', '--check'], {
        cwd: root,
        encoding: 'utf8',
      });
      assert.equal(status, 0, stderr);
    });

    it('would notice a picture that differs from the imports', () => {
      const house = mkdtempSync(path.join(tmpdir(), 'floors-'));
      try {
        const write = (file: string, text: string): void => {
          mkdirSync(path.dirname(path.join(house, file)), { recursive: true });
          writeFileSync(path.join(house, file), text);
        };
        const draw = (...options: string[]) =>
          spawnSync(process.execPath, [path.join(root, 'bin/draw-floors.mjs'), ...options, house], {
            encoding: 'utf8',
          });
        const place = '<!-- floors: node bin/draw-floors.mjs -->\n<!-- end -->';
        const sections = ['bin', 'git', 'text'].map((room) => `## ${room}\n\nIn short: what ${room} does.\n`);
        write('lib/README.md', [`# Map\n\n${place}\n`, ...sections].join('\n'));
        write('lib/text/a.ts', 'export const a = 1;\n');
        write('lib/git/b.ts', "// import { c } from '../view/c.js';\nimport {\n  a,\n} from '../text/a.js';\n");
        write('bin/c.ts', "const { b } = await import('../lib/git/b.js');\n");
        assert.equal(draw('--check').status, 1);
        assert.equal(draw().status, 0);
        assert.equal(draw('--check').status, 0);
        const drawn = readFileSync(path.join(house, 'lib/README.md'), 'utf8');
        assert.match(drawn, /\n 2 {2}bin {3}what bin does\n 1 {2}git {3}what git does\n 0 {2}text {2}what text does\n/);
        write('bin/c.ts', "import { a } from '../lib/text/a.js';\n");
        assert.match(draw('--check').stderr, /not what the imports say/);
        write('lib/text/a.ts', "import { b } from '../git/b.js';\n");
        assert.match(draw('--check').stderr, /import each other/);
      } finally {
        rmSync(house, { recursive: true });
      }
    });

    it('would notice a folder without one, and a section without a folder', () => {
      const map = '# Map\n\n## git\n\nText.\n\nInvariant: holds.\n\n## rest\n\nText.\n\n## attic\n\nInvariant: gone.\n';
      const faults = judgeCodeMap(map, ['git', 'rest', 'audit']).map((fault) => fault.split('\n')[0]);
      assert.equal(faults.length, 3);
      assert.match(faults[0] ?? '', /"## rest" .* no "Invariant: " line/);
      assert.match(faults[1] ?? '', /no section "## audit"/);
      assert.match(faults[2] ?? '', /"## attic".* no lib\/attic/);
    });
  });
});

/** Names of more than one file of lib. The client library is a package of its own. */
function findTwins(files: readonly string[]): string[] {
  const names = files
    .filter((file) => file.startsWith('lib/') && !file.startsWith('lib/client/'))
    .map((file) => path.posix.basename(file));
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
}

/** The repository's root: the first folder at or above `from` with both the manifest and the code map. */
function findRoot(from: string): string {
  const isRoot = existsSync(path.join(from, 'package.json')) && existsSync(path.join(from, 'lib', 'README.md'));
  if (isRoot) return from;
  const above = path.dirname(from);
  assert.notEqual(above, from, 'the tests run outside a checkout');
  return findRoot(above);
}

function readModules(folder: string): Module[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const place = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return readModules(place);
    return /(?<!\.d)\.tsx?$/.test(entry.name) ? [readModule(place, readFileSync(path.join(root, place), 'utf8'))] : [];
  });
}

/** The regular expressions in a JSON Schema, or in an object that holds schemas. */
function findPatterns(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    if (key === 'pattern' && typeof inner === 'string') return [inner];
    const names = key === 'patternProperties' && typeof inner === 'object' ? Object.keys(inner ?? {}) : [];
    return [...names, ...findPatterns(inner)];
  });
}
