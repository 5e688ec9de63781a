// Builds the console's pages: makes the types of its API from schema/console.yaml, bundles lib/console/web with
// esbuild, compresses the files, and writes them with the page to dist/lib/console/web. Does nothing if nothing
// changed.
//
// Usage: node bin/build-console.mjs [--sizes], or import { buildConsole }
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { makeDescribedTypes, pageTypes } from './make-types.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const web = path.join(root, 'lib', 'console', 'web');
const target = path.join(root, 'dist', 'lib', 'console', 'web');
const descriptions = ['console.yaml', 'openapi.yaml'].map((file) => path.join(root, 'schema', file));

/** Every file below a folder, in a stable order. */
function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const place = path.join(folder, entry.name);
      return entry.isDirectory() ? listFiles(place) : [place];
    });
}

function digestOf(files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`\0${path.relative(root, file)}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

const readOr = (file, otherwise) => (existsSync(file) ? readFileSync(file, 'utf8') : otherwise);

/** All stylesheets as one: the values first, then the components, then the screens. */
function gatherStyles() {
  const rank = (file) => ['tokens.css', 'base.css'].indexOf(path.basename(file));
  const place = (file) => (path.relative(web, file).startsWith('design') ? 0 : 1);
  const sheets = listFiles(web).filter((file) => file.endsWith('.css'));
  const first = sheets.filter((file) => rank(file) >= 0).sort((a, b) => rank(a) - rank(b));
  const others = sheets.filter((file) => rank(file) < 0).sort((a, b) => place(a) - place(b));
  return [...first, ...others].map((file) => `@import ${JSON.stringify(file)};`).join('\n');
}

/** The files that a page needs before it can show anything, the entry first. */
function listFirst({ outputs }, entry) {
  const found = new Set();
  const pending = [entry];
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    for (const imported of outputs[file].imports) if (imported.kind === 'import-statement') pending.push(imported.path);
  }
  return [...found];
}

async function bundle() {
  const { build } = await import('esbuild');
  const shared = {
    bundle: true,
    minify: true,
    metafile: true,
    write: false,
    outdir: path.join(target, 'assets'),
    absWorkingDir: root,
    logLevel: 'silent',
  };
  const scripts = await build({
    ...shared,
    entryPoints: [path.join(web, 'main.tsx')],
    format: 'esm',
    splitting: true,
    target: ['es2022'],
    jsx: 'automatic',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'eof',
  });
  const styles = await build({
    ...shared,
    stdin: { contents: gatherStyles(), loader: 'css', resolveDir: web, sourcefile: 'console.css' },
    entryNames: 'console-[hash]',
  });
  return { scripts, styles };
}

const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** @param onBuild called before it builds, where something changed */
export async function buildConsole(onBuild = () => {}) {
  const stamp = path.join(target, '.sources');
  const own = fileURLToPath(import.meta.url);
  const sources = listFiles(web).filter((file) => file !== pageTypes);
  const digest = digestOf([own, path.join(root, 'package-lock.json'), ...descriptions, ...sources]);
  if (readOr(stamp, '') === digest && existsSync(pageTypes)) return;
  onBuild();
  makeDescribedTypes();
  const { scripts, styles } = await bundle();
  // The compiler may have put modules that tests import beside them.
  rmSync(path.join(target, 'assets'), { recursive: true, force: true });
  mkdirSync(path.join(target, 'assets'), { recursive: true });
  const sizes = {};
  for (const { path: file, contents } of [...scripts.outputFiles, ...styles.outputFiles]) {
    const zipped = gzipSync(contents, { level: 9 });
    writeFileSync(file, contents);
    writeFileSync(`${file}.gz`, zipped);
    writeFileSync(`${file}.br`, brotliCompressSync(contents, brotli));
    sizes[path.basename(file)] = { bytes: contents.length, gzip: zipped.length };
  }
  const nameOf = (file) => path.basename(file);
  const [entry] = Object.entries(scripts.metafile.outputs).find(([, { entryPoint }]) =>
    entryPoint?.endsWith('main.tsx'),
  );
  const first = listFirst(scripts.metafile, entry).map(nameOf);
  const stylesheet = nameOf(styles.outputFiles[0].path);
  const screens = Object.fromEntries(
    Object.entries(scripts.metafile.outputs)
      .filter(([file, { entryPoint }]) => entryPoint !== undefined && file !== entry)
      .map(([file, { entryPoint }]) => [nameOf(entryPoint), listFirst(scripts.metafile, file).map(nameOf)]),
  );
  const preloads = first.slice(1).map((file) => `<link rel="modulepreload" href="{{base}}/console/assets/${file}" />`);
  const page = readFileSync(path.join(web, 'index.html'), 'utf8')
    .replace('{{stylesheet}}', stylesheet)
    .replace('{{script}}', nameOf(entry))
    .replace('{{preloads}}', preloads.join('\n    '));
  writeFileSync(path.join(target, 'index.html'), page);
  writeFileSync(
    path.join(target, 'manifest.json'),
    JSON.stringify({ first: [...first, stylesheet], screens, sizes }, null, 1),
  );
  writeFileSync(stamp, digest);
}

/** Prints what a first view and each screen weigh. */
function printSizes() {
  const { first, screens, sizes } = JSON.parse(readFileSync(path.join(target, 'manifest.json'), 'utf8'));
  const kilobytes = (files) =>
    `${(files.reduce((sum, file) => sum + sizes[file].gzip, 0) / 1000).toFixed(1)} kB gzipped`;
  console.log(`First view without a screen: ${kilobytes(first)}`);
  for (const [name, files] of Object.entries(screens)) {
    console.log(`  ${name}: ${kilobytes(files.filter((file) => !first.includes(file)))} more`);
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await buildConsole();
  if (process.argv.includes('--sizes')) printSizes();
}
