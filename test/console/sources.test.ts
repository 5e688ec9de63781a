import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const folder = 'lib/console/web';

/** The packages that pages are made of. Everything else would have to be weighed first. */
const packages = new Set([
  '@codemirror/commands',
  '@codemirror/language',
  '@codemirror/search',
  '@codemirror/state',
  '@codemirror/view',
  '@lezer/highlight',
  '@lezer/markdown',
  '@tanstack/react-query',
  'diff',
  'dompurify',
  'lucide-react',
  'markdown-it',
  'openapi-fetch',
  'react',
  'react-aria-components',
  'react-dom',
  'wouter',
]);

/** Rooms of pure functions, so that a browser and the service read a text alike. */
const shared = [folder, 'lib/domain', 'lib/text'];

const sources: readonly Source[] = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .map((file) => file.split(path.sep).join('/'))
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
  .map((file) => ({ file, text: readFileSync(path.join(folder, file), 'utf8') }));

const stylesheets: readonly Source[] = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.css'))
  .map((file) => ({ file: file.split(path.sep).join('/'), text: readFileSync(path.join(folder, file), 'utf8') }));

/** Ways to make markup of text. */
const markup = /\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|dangerouslySetInnerHTML|srcdoc|\beval\(/i;

describe('The sources of the console’s pages', () => {
  it('import nothing of the server but pure functions, and only packages that were chosen', () => {
    const foreign = sources.flatMap((source) => findForeign(source).map((name) => `${source.file}: ${name}`));
    assert.deepEqual(foreign, []);
    const planted = { file: 'shell/a.ts', text: "import { a } from '../../routes.js';\nimport b from 'left-pad';" };
    assert.deepEqual(findForeign(planted), ['../../routes.js', 'left-pad']);
  });

  it('make markup only of what was cleaned: a type of its own says so, and the browser insists on it', () => {
    const careless = sources.filter(({ text }) => markup.test(text) && !/\bTrustedHTML\b/.test(text));
    assert.deepEqual(
      careless.map(({ file }) => file),
      [],
    );
    const makers = sources.filter(({ text }) => text.includes("from 'dompurify'")).map(({ file }) => file);
    assert.deepEqual(makers, ['markdown/sanitize.ts']);
  });

  it('style each class in one stylesheet, so that no screen changes another', () => {
    const owners = new Map<string, Set<string>>();
    for (const { file, text } of stylesheets.filter(({ file: each }) => each !== 'design/base.css')) {
      for (const name of listStyled(text)) owners.set(name, (owners.get(name) ?? new Set()).add(file));
    }
    const shared = [...owners]
      .filter(([, files]) => files.size > 1)
      .map(([name, files]) => `${name}: ${[...files].join()}`);
    assert.deepEqual(shared, []);
    assert.deepEqual(listStyled('.rows > .a:hover,\n.b .c { color: red }\n@media (x) { .d { top: 0 } }'), ['d']);
  });

  it('can be read in one sitting', () => {
    const long = sources.filter(({ text }) => text.split('\n').length > 400).map(({ file }) => file);
    assert.deepEqual(long, []);
  });
});

describe('The weight of the console’s pages', () => {
  const manifest = JSON.parse(readFileSync('dist/lib/console/web/manifest.json', 'utf8')) as Manifest;

  it('is at most 150 kB gzipped for the first view: the frame and the documents of a folder', () => {
    const files = new Set([...manifest.first, ...(manifest.screens['browser.tsx'] ?? [])]);
    assert.ok(files.size > 2, 'the first view has its files');
    const weight = weigh(files);
    assert.ok(weight <= 150_000, `${weight} bytes`);
  });

  const weigh = (files: Iterable<string>): number =>
    [...files].reduce((sum, file) => sum + (manifest.sizes[file]?.gzip ?? 0), 0);

  interface Manifest {
    readonly first: readonly string[];
    readonly screens: Readonly<Record<string, readonly string[]>>;
    readonly sizes: Readonly<Record<string, { readonly gzip: number }>>;
  }
});

interface Source {
  readonly file: string;
  readonly text: string;
}

/** The classes that are styled on their own, in no other class's context. */
function listStyled(text: string): string[] {
  const selectors = [...text.matchAll(/([^{}]+)\{/g)].flatMap(([, list = '']) => list.split(','));
  return selectors.flatMap((selector) => {
    const [first = '', ...others] = [...selector.matchAll(/\.([a-z][\w-]*)/g)].map(([, name = '']) => name);
    return first === '' || others.length > 0 ? [] : [first];
  });
}

/** What a source imports, statically or not. */
function listImports({ text }: Source): string[] {
  return [...text.matchAll(/\bfrom '([^']+)'|\bimport\('([^']+)'\)|^import '([^']+)'/gm)].map(
    ([, from, called, bare]) => from ?? called ?? bare ?? '',
  );
}

/** Imports that leave the folder, or name a package that is not listed. */
function findForeign(source: Source): string[] {
  return listImports(source).filter((specifier) => {
    if (specifier.startsWith('.')) {
      const place = path.posix.join(folder, path.posix.dirname(source.file), specifier);
      return !shared.some((room) => place.startsWith(`${room}/`));
    }
    const name = specifier
      .split('/')
      .slice(0, specifier.startsWith('@') ? 2 : 1)
      .join('/');
    return !packages.has(name);
  });
}
