import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** The console's pages, the client library and the manual are built. */
const pages = 'lib/console/web';
const builtElsewhere = [pages, 'lib/client', 'lib/manual/web'];

describe('the package', () => {
  it('holds every data file beside the sources, and their licences', function () {
    // npm reads all files of the project; a second on an idle machine.
    this.timeout(120_000);
    const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [{ files }] = JSON.parse(packed) as [{ files: { path: string }[] }];
    const held = new Set(files.map((file) => file.path));
    const data = [...listData('lib'), ...listData('schema')];
    const parsed = fs.readdirSync('dist/parsed').map((name) => `dist/parsed/${name}`);
    assert.ok(parsed.includes('dist/parsed/openapi.yaml.json'), parsed.join());
    // Maps serve those who build it, and are as large as all the rest.
    const programs = fs
      .readdirSync('dist/program', { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.map'))
      .map((entry) => path.relative('dist/program', path.join(entry.parentPath, entry.name)));
    const bundle = programs.map((name) => `dist/program/${name}`);
    for (const name of [
      'program.js',
      'lib-search-index-thread.js',
      'licences.txt',
      'pdfjs/LICENSE',
      'pdfjs/cmaps/LICENSE',
    ])
      assert.ok(bundle.includes(`dist/program/${name}`));
    const client = ['index.js', 'index.d.ts', 'described.d.ts'].map((name) => `dist/client/${name}`);
    const manual = ['files.json', 'words.json', 'results.html', 'agents.html.br', 'skills/cartulary/SKILL.md'];
    const served = manual.map((name) => `dist/docs/${name}`);
    const built = [...listBuilt(`dist/${pages}`), ...parsed, ...bundle, ...client, ...served];
    assert.ok(built.length > 4, built.join());
    assert.ok(data.includes('lib/search/meaning/word-vectors.bin'), data.join());
    assert.deepEqual(
      [...data, ...built, 'lib/search/meaning/README.md'].filter((file) => !held.has(file)),
      [],
    );
  });

  it('holds a file for each thread of the program, which imports no other file', () => {
    const starts = fs
      .readdirSync('dist/lib', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.js'))
      .flatMap((file) =>
        [
          ...fs
            .readFileSync(`dist/lib/${file}`, 'utf8')
            .matchAll(/(?:startThread|findThreadProgram)\(new URL\('([^']+)'/g),
        ].map(([, name]) => path.posix.join('lib', path.dirname(file), name ?? '')),
      );
    assert.ok(starts.length >= 7, starts.join());
    for (const start of starts) {
      const bundled = fs.readFileSync(`dist/program/${start.replaceAll('/', '-')}`, 'utf8');
      assert.deepEqual(
        [...bundled.matchAll(/^import .* from "(\.[^"]*)"/gm)].map(([, name]) => name),
        [],
      );
    }
  });

  it('holds the licence of each package in the bundle', () => {
    const licences = fs.readFileSync('dist/program/licences.txt', 'utf8').split(/^-{80}$/m);
    assert.ok(licences.length > 50, String(licences.length));
    for (const licence of licences) assert.match(licence.trim(), /^\S+ \d+\.\d+\.\d+\S* \([^)]+\)/);
  });
});

/** Files that the program reads: files beside the sources, neither source nor document. */
function listData(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(ts|md)$/.test(entry.name))
    .filter(({ parentPath }) => !builtElsewhere.some((place) => parentPath.startsWith(place)))
    .map((entry) => path.posix.join(entry.parentPath, entry.name));
}

/** What a browser loads of the console. */
function listBuilt(folder: string): string[] {
  return ['index.html', ...fs.readdirSync(`${folder}/assets`).map((name) => `assets/${name}`)].map(
    (name) => `${folder}/${name}`,
  );
}
