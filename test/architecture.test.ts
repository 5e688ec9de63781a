import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { judgeCodeMap } from './architecture/code-map.js';
import { judgeModules, laws } from './architecture/laws.js';
import { readModule, type Module } from './architecture/read-module.js';
import { findRunaways } from './architecture/regular-expressions.js';
import { findCircles } from './architecture/find-circles.js';
import { judgeSurfaces, readSurfaces } from './architecture/surface.js';
import { clientRoom, floors, owners, resolveImport } from './architecture/rooms.js';

/** The repository's root: the first folder at or above `from` with both the manifest and the code map. */
function findRoot(from: string): string {
  const isRoot = existsSync(path.join(from, 'package.json')) && existsSync(path.join(from, 'lib', 'README.md'));
  if (isRoot) return from;
  const above = path.dirname(from);
  assert.notEqual(above, from, 'the tests run outside a checkout');
  return findRoot(above);
}

const root = findRoot(process.cwd());

function readModules(folder: string): Module[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const place = `${folder}/${entry.name}`;
    if (place === 'lib/console/web') return [];
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

/** Sources that break each law, and similar lawful ones. */
const planted: Record<string, { guilty: [string, string][]; innocent: [string, string][] }> = {
  'rooms import only what stands lower': {
    guilty: [
      ['lib/sidecar/a.ts', "import { commit } from '../workspace/commit.js';"],
      ['lib/domain/a.ts', "import type { Tree } from '../git/tree.js';"],
      ['lib/git/a.ts', "export * from '../sidecar/sidecar.js';"],
      ['lib/access/a.ts', "import { append } from '../audit/append.js';"],
      ['lib/rest/a.ts', "import { tools } from '../mcp/tools.js';"],
      ['lib/operations/a.ts', "const rest = await import('../rest/server.js');"],
      ['lib/rest/a.ts', "import { config } from '../config.js';"],
      ['lib/config.ts', "import { open } from './app/service.js';"],
      ['lib/app/serve.ts', "import { run } from '../../bin/cartulary.js';"],
      ['lib/git/a.ts', "import {\n  one,\n  two,\n} from '../access/reach.js';"],
      ['lib/git/a.ts', "import '../access/reach.js';"],
      ['lib/rest/a.ts', "import { fixture } from '../../test/fixture.js';"],
      ['lib/attic/a.ts', "import { parseLocation } from '../domain/location.js';"],
      ['lib/client/a.ts', "import { parseLocation } from '../domain/location.js';"],
    ],
    innocent: [
      [
        'lib/workspace/a.ts',
        "import { reachOf } from '../access/reach.js';\nimport { chain } from '../audit/chain.js';",
      ],
      [
        'lib/rest/deep/a.ts',
        "import { perform } from '../../operations/perform.js';\nimport { problem } from '../problem.js';",
      ],
      ['bin/cartulary.ts', "import { open } from '../lib/app/service.js';"],
      [
        'lib/sidecar/a.ts',
        "// import { commit } from '../workspace/commit.js';\nconst a = \"import x from '../rest/a.js'\";",
      ],
    ],
  },
  'a package has one owner': {
    guilty: [
      ['lib/workspace/a.ts', "import Database from 'better-sqlite3';"],
      ['lib/operations/a.ts', "import type { Request } from 'express';"],
      ['lib/git/a.ts', "import { left } from 'left-pad';"],
      ['lib/rest/a.ts', "import { spawn } from 'node:child_process';"],
      ['lib/rest/a.ts', "const git = require('isomorphic-git/http/node');"],
      ['lib/sidecar/a.ts', "import { DatabaseSync } from 'node:sqlite';"],
    ],
    innocent: [
      ['lib/sidecar/a.ts', "import Database from 'better-sqlite3';"],
      ['lib/git/a.ts', "import { spawn } from 'node:child_process';\nimport http from 'isomorphic-git/http/node';"],
    ],
  },
  'one module loads the driver of SQLite': {
    guilty: [
      ['lib/sidecar/a.ts', "import Database from 'better-sqlite3';"],
      ['lib/sidecar/a.ts', "const Database = require('better-sqlite3-13');"],
      ['test/erase/a.test.ts', "const { default: Database } = await import('better-sqlite3');"],
    ],
    innocent: [['lib/sidecar/driver.ts', "import type Driver from 'better-sqlite3';\nrequire('better-sqlite3-13');"]],
  },
  'git has bounds for foreign objects': {
    guilty: [
      ['lib/git/sources/a.ts', "const program = await requireGit('import');"],
      ['lib/git/sources/a.ts', 'export function take(program: GitProgram): void {}'],
      ['lib/git/serving/quarantine.ts', 'const git = startGit(this.#program, this.#folder, parameters);'],
      ['lib/connectors/git/a.ts', 'const program = await findGit();'],
      ['lib/socket/a.ts', "await runGit(program, path, ['gc']);"],
    ],
    innocent: [
      ['lib/git/sources/a.ts', 'export const take = (git: ForeignGit): StartedGit => startGit(git, path, []);'],
      ['lib/git/sources/require-foreign-git.ts', 'const git = boundGit(await requireGit(purpose), bounds);'],
      ['lib/git/serving/quarantine.ts', 'const git = startGit(boundGit(program, bounds), folder, parameters);'],
      ['lib/git/maintenance/a.ts', 'const { code } = await runGit(program, folder.path, parameters);'],
    ],
  },
  'one module starts worker threads': {
    guilty: [['lib/git/packs/a.ts', 'const thread = new threads.Worker(program);']],
    innocent: [['lib/scheduling/start-thread.ts', 'new Worker(findThreadProgram(program), options);']],
  },
  'every import names its target': {
    guilty: [['lib/rest/a.ts', 'const route = await import(name);']],
    innocent: [['lib/rest/a.ts', "const route = await import('./route.js');"]],
  },
  'the words are pure': {
    guilty: [
      ['lib/domain/a.ts', "import { createHash } from 'node:crypto';"],
      ['lib/domain/a.ts', "import canonicalize from 'canonicalize';"],
    ],
    innocent: [['lib/audit/a.ts', "import { createHash } from 'node:crypto';"]],
  },
  'only the configuration reads the environment': {
    guilty: [
      ['lib/git/a.ts', 'const home = process.env.HOME;'],
      ['lib/app/serve.ts', "const home = process\n.env['HOME'];".replace('\n', ' ')],
      ['bin/serve.ts', 'const home = process.env.HOME;'],
      ['lib/rest/a.ts', 'const text = `${process.env.HOME}/x`;'],
    ],
    innocent: [
      ['lib/config.ts', 'const home = process.env.HOME;'],
      ['lib/git/a.ts', "// process.env is read in config\nconst a = 'process.env';"],
    ],
  },
  'time and chance come in from outside': {
    guilty: [
      ['lib/access/a.ts', 'const now = Date.now();'],
      ['lib/access/a.ts', 'const now = new Date();'],
      ['lib/access/a.ts', 'const now = new Date;'],
      ['lib/access/a.ts', 'const dice = Math.random();'],
      ['lib/access/a.ts', "import { randomBytes } from 'node:crypto';"],
      ['lib/access/a.ts', "import { randomUUID } from 'node:crypto';"],
      ['lib/workspace/a.ts', 'const now = performance.now();'],
      ['lib/workspace/a.ts', 'const now = process.hrtime.bigint();'],
      ['lib/http/a.ts', 'const now = Date.now();'],
      ['lib/rest/a.ts', 'const now = performance.now();'],
      ['lib/app/serve.ts', 'const now = Date.now();'],
    ],
    innocent: [
      ['lib/access/a.ts', 'const then = new Date(milliseconds);\nconst dates: Date[] = [];'],
      ['lib/http/a.ts', 'const started = performance.now();'],
      ['lib/app/real-world.ts', 'const now = Date.now();'],
    ],
  },
  'a terminal shows what it gets': {
    guilty: [
      ['bin/a.ts', 'console.log(name);'],
      ['bin/a.ts', 'process.stderr.write(name);'],
    ],
    innocent: [
      ['bin/print.ts', 'console.log(showText(name));'],
      ['bin/a.ts', 'printLine(name);'],
    ],
  },
  'SQL stays in the sidecar': {
    guilty: [
      ['lib/access/a.ts', "const rows = db.all('SELECT id FROM grant');"],
      ['lib/audit/a.ts', 'run(`\n  INSERT INTO audit\n  VALUES (?)\n`);'],
      ['lib/workspace/a.ts', "run('PRAGMA journal_mode');"],
    ],
    innocent: [
      ['lib/sidecar/a.ts', "const rows = db.all('SELECT id FROM grant');"],
      ['lib/access/a.ts', "// SELECT id FROM grant\nconst hint = 'Select a folder from the list';"],
    ],
  },
  'git objects stay below the operations': {
    guilty: [
      ['lib/operations/x.ts', 'const bytes = await objects.readBlob(version.id);'],
      ['lib/rest/x.ts', 'present(document.current.blobOid);'],
      ['lib/socket/x.ts', 'let tip: Oid;'],
    ],
    innocent: [
      ['lib/operations/x.ts', 'const bytes = await objects.readContent(version);'],
      ['lib/workspace/x.ts', 'objects.readBlob(version.blobOid);'],
      ['lib/socket/import-history.ts', 'let tip: Oid;'],
      ['lib/operations/folders/find-imported-commit.ts', 'let tip: Oid;'],
    ],
  },
  'no regular expression runs away': {
    guilty: [
      // Blanks before and after an optional tag.
      [
        'lib/domain/a.ts',
        String.raw`const element = /[ \t]*((?:W\/)?"[\x21\x23-\x7e\x80-\uffff]*"|[\x21\x23-\x2b\x2d-\x7e]+)?[ \t]*(?:,|$)/y;`,
      ],
      // Three runs of possible blanks, with a bound each.
      ['lib/search/a.ts', String.raw`const title = /^title:[ \t]*(["']?)([^\r\n]{1,300}?)\1[ \t]{0,20}$/m;`],
      ['lib/rest/a.ts', 'const bare = text.replace(/[. ]+$/u, "");'],
      ['lib/rest/a.ts', 'const isList = /^(?:[a-z]+,?)*$/.test(text);'],
      ['lib/rest/a.ts', 'const isList = /^(?:ab|a|b)*$/.test(text);'],
      ['lib/rest/a.ts', String.raw`const isWord = /^(?:\w|\d)+!/.test(text);`],
      ['lib/rest/a.ts', 'const isTwice = /^(?:ab)*(?:ab)*!/.test(text);'],
      ['lib/rest/a.ts', 'const isPair = /^a{0,300}[ab]{0,300}!/.test(text);'],
      ['lib/rest/a.ts', 'const isFree = /(?!(?:a+)+!)x/.test(text);'],
      ['lib/rest/a.ts', String.raw`const isLetter = /^[\p{L}--[a-z]]*\p{Lu}*!/v.test(text);`],
      ['bin/a.ts', String.raw`const end = /(\s+)$/.exec(text);`],
    ],
    innocent: [
      ['lib/domain/a.ts', String.raw`const element = /[ \t]*(?:("[^"]*"|[\x21\x23-\x7e]+)[ \t]*)?(?:,|$)/y;`],
      ['lib/rest/a.ts', 'const isList = /^[a-z]+(?:-[a-z]+)*$/.test(text);'],
      ['lib/rest/a.ts', 'const isList = /^(?:abc|d)*$/.test(text);'],
      ['lib/rest/a.ts', String.raw`const words = text.matchAll(/[\p{L}\p{N}]+/gu);`],
      ['lib/rest/a.ts', String.raw`const clean = text.replace(/\s+/g, ' ');`],
      ['lib/rest/a.ts', 'const isShort = /^a{0,9}[ab]{0,9}!/.test(text);'],
      ['lib/rest/a.ts', "const note = '/(a+)+$/'; // /(a+)+$/"],
    ],
  },
  'every regular expression is written out': {
    guilty: [
      ['lib/rest/a.ts', 'const pattern = new RegExp(`^${name}$`);'],
      ['lib/rest/a.ts', "const pattern = RegExp ('a');"],
    ],
    innocent: [['lib/rest/a.ts', 'const pattern: RegExp = /a/;\nif (value instanceof RegExp) use(host.RegExp("a"));']],
  },
  'no drawers': {
    guilty: [
      ['lib/rest/utils.ts', ''],
      ['lib/helpers/a.ts', ''],
      ['lib/git/common.ts', ''],
    ],
    innocent: [['lib/git/common-ancestor.ts', '']],
  },
  'names of faces stay in the faces': {
    guilty: [
      ['lib/changes/a.ts', "throw conflict('claimed', 'Wait.', { expires_at: formatTime(claim.expiresAt) });"],
      ['lib/operations/documents/a.ts', 'const edits_still_apply = await tryOn(text);'],
      ['lib/domain/a.ts', 'interface Shown {\n  readonly display_name: string;\n}'],
      ['lib/http/a.ts', 'const { request_id } = body;'],
    ],
    innocent: [
      ['lib/rest/a.ts', 'const shown = { expires_at: formatTime(claim.expiresAt) };'],
      ['lib/sidecar/tables/a.ts', 'const { display_name } = row;'],
      ['lib/changes/a.ts', "// expires_at\nthrow conflict('claim_lost', 'It ended.', { claimId });"],
      ['lib/domain/a.ts', 'interface Details {\n  claim_lost: { readonly claimId: string };\n}'],
      ['lib/operations/a.ts', 'const note = { detail: { left_alone: 2 } };'],
    ],
  },
  'files stay short': {
    guilty: [
      ['lib/rest/a.ts', 'let a;\n'.repeat(401)],
      ['test/rest/a.ts', 'let a;\n'.repeat(451)],
    ],
    innocent: [
      ['lib/rest/a.ts', 'let a;\n'.repeat(400)],
      ['test/rest/a.ts', 'let a;\n'.repeat(450)],
    ],
  },
};

describe('architecture', () => {
  const modules = ['lib', 'bin'].flatMap(readModules);

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
    // The types of the described API are made by the build.
    const made = 'lib/client/described.ts';
    assert.deepEqual(
      relative.filter(({ target }) => !paths.has(target) && target !== made),
      [],
    );
  });

  it('holds for tests too: files stay short, and one module loads the driver of SQLite', () => {
    const tests = readModules('test');
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
    // The console's pages stand outside of the rooms, and use functions of some.
    const faults = judgeSurfaces(surfaces, [...modules, ...readModules('lib/console/web')]);
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
    assert.ok(!rooms.includes(clientRoom));
  });

  it('gives an owner to every package of the program, and to no other', () => {
    const manifest: unknown = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    const { dependencies, optionalDependencies } = manifest as Record<string, object>;
    assert.deepEqual(Object.keys(owners).sort(), Object.keys({ ...dependencies, ...optionalDependencies }).sort());
  });

  describe('the code map', () => {
    const folders = [...new Set(modules.flatMap(({ path: file }) => /^lib\/([^/]+)\//.exec(file)?.[1] ?? []))];

    it('has a section with an invariant for every folder of lib/', () => {
      const faults = judgeCodeMap(readFileSync(path.join(root, 'lib', 'README.md'), 'utf8'), folders);
      assert.equal(faults.length, 0, `\n${faults.join('\n')}`);
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
