// Bundles the compiled program with its packages into dist/program, which makes each start about twice as fast
// (decision 0213), and keeps in dist/warm the code that V8 makes of it. Each worker thread has a file of its
// own there with all that it imports. bin/load-program.ts and lib/scheduling/start-thread.ts load these
// while they are newer than the compiled files. Does nothing if nothing changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** What cannot be in the bundle: compiled code, and packages that look for their own files. No import names the driver of SQLite. */
const outside = ['ssh2'];

/** Packages that are loaded at their first use and belong in the bundle: they are ES modules, with all their exports. */
const inside = ['oidc-provider'];

/** pdf.js is copied beside the bundle, since its two files find each other there: see copyPdfjs. */
const pdfjs = 'pdfjs-dist/legacy/build/';

/** CommonJS packages in the bundle ask for Node's own modules. */
const banner =
  "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);";

/** Threads, and the program of the child process that reads files. */
const worker = /(?:startThread|findThreadProgram)\(new URL\('(\.\/[\w/-]+\.js)', import\.meta\.url\)/g;

/** Every compiled file below a folder, in a stable order. */
const listCompiled = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((file) => path.join(folder, file))
    .filter((file) => file.endsWith('.js'))
    .sort((a, b) => (a < b ? -1 : 1));

/** The name of a worker's file in the folder of the bundle. lib/scheduling/start-thread.ts looks for it. */
const nameInBundle = (dist, file) => path.relative(dist, file).replace(/\.js$/, '').split(path.sep).join('-');

/** The programs of the worker threads. */
function findWorkers(lib) {
  const found = listCompiled(lib).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(worker)].map(([, name]) => path.resolve(path.dirname(file), name)),
  );
  return [...new Set(found)];
}

/**
 * Keeps the places of files that the program reads beside its compiled files: `import.meta.url` stays the address of
 * the compiled file.
 */
const keepPlaces = ({ dist, target }) => ({
  name: 'keep-places',
  setup({ onLoad, onResolve }) {
    // A package that is loaded at its first use stays outside: the bundler would give only its default export where it
    // is CommonJS, and Node gives all.
    onResolve({ filter: /^pdfjs-dist\// }, ({ path: name }) => ({
      path: `./pdfjs/${name.slice(pdfjs.length)}`,
      external: true,
    }));
    onResolve({ filter: /^[^.]/ }, ({ kind, path: name }) =>
      kind === 'dynamic-import' && !path.isAbsolute(name) && !inside.includes(name)
        ? { path: name, external: true }
        : undefined,
    );
    onLoad({ filter: /\.js$/ }, async ({ path: file }) => {
      if (!file.startsWith(path.join(dist, 'lib')) && !file.startsWith(path.join(dist, 'bin'))) return undefined;
      const text = await readFile(file, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const from = (place) => JSON.stringify(path.relative(target, place).split(path.sep).join('/'));
      const contents = text.replaceAll('import.meta.url', `new URL(${from(file)}, import.meta.url).href`);
      return { contents, loader: 'js' };
    });
  },
});

/** The licences of the packages in the bundle. */
function gatherLicences(root, inputs) {
  const folders = Object.keys(inputs).map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]);
  return [...new Set(folders)]
    .filter((folder) => folder !== undefined)
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
      const file = readdirSync(path.join(root, folder)).find((each) => /^(licen[cs]e|copying)/i.test(each));
      const text = file === undefined ? '' : `\n${readFileSync(path.join(root, folder, file), 'utf8').trim()}\n`;
      return `${name} ${version} (${license})\n${text}`;
    })
    .join(`\n${'-'.repeat(80)}\n`);
}

/** What is needed of pdf.js to read texts: 3 MB of its 38. */
function copyPdfjs(root, target) {
  const [from, to] = [path.join(root, 'node_modules', 'pdfjs-dist'), path.join(target, 'pdfjs')];
  mkdirSync(to, { recursive: true });
  for (const name of ['pdf.min.mjs', 'pdf.worker.min.mjs']) {
    copyFileSync(path.join(from, 'legacy', 'build', name), path.join(to, name));
  }
  copyFileSync(path.join(from, 'LICENSE'), path.join(to, 'LICENSE'));
  cpSync(path.join(from, 'cmaps'), path.join(to, 'cmaps'), { recursive: true });
}

/** What all bundles have in common. */
const makeOptions = (root, places) => ({
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  external: outside,
  // Names of classes are told to people and to stores.
  keepNames: true,
  logLevel: 'silent',
  plugins: [keepPlaces(places)],
});

/** What the bundler calls to keep a name: once for a class, and for a closure each time that it is made. */
const naming = 'var __name = (target, value) => __defProp(target, "name", { value, configurable: true });';
/** The same, but for arrow functions: their names are told to nobody. */
const namingOfClasses = `var __name = (target, value) =>
  target.name === value || !("prototype" in target) ? target : __defProp(target, "name", { value, configurable: true });`;

/**
 * The bundle as the text of one function, and the code that V8 made of it while it ran: a start then compiles next to
 * nothing. Each program finds its files as if it were in the folder of the bundle. Where the program cannot run here,
 * there is no such code, and the bundle does its work alone.
 */
async function warm(build, root, { dist, target, entry }) {
  const folder = path.join(dist, 'warm');
  const { outputFiles, metafile } = await build({
    ...makeOptions(root, { dist, target }),
    entryPoints: [entry],
    format: 'cjs',
    define: { 'import.meta.url': 'bundleUrl' },
    metafile: true,
    write: false,
  });
  const { text: bundled } = outputFiles[0];
  if (!bundled.includes(naming)) throw new Error('The bundler names functions in another way: see `naming`.');
  // Text whose code V8 takes from a file cannot import by itself.
  const later = Object.values(metafile.outputs)
    .flatMap(({ imports }) => imports)
    .filter(({ kind }) => kind === 'dynamic-import');
  let text = bundled.replace(naming, namingOfClasses);
  for (const { path: name } of later) text = text.replaceAll(`import("${name}")`, `importPackage("${name}")`);
  // V8 reads text of ASCII fastest. What is left of other characters is in regular expressions and comments.
  text = text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  mkdirSync(folder, { recursive: true });
  // The modules of the bundle are strict.
  const opening = '(function (require, importPackage, bundleUrl) { "use strict"; const module = { exports: {} };';
  writeFileSync(path.join(folder, 'program.cjs'), `${opening}${text}\nreturn module.exports; })`, 'latin1');
  const run = path.join(path.dirname(fileURLToPath(import.meta.url)), 'warm-program.mjs');
  const { status } = spawnSync(process.execPath, [run, dist], { stdio: 'ignore', timeout: 60_000 });
  if (status !== 0) rmSync(folder, { recursive: true });
}

/**
 * Makes one file of a compiled program of a test and all that it imports.
 * @param root the folder of the checkout @param entry the compiled program @param file where the bundle is written
 */
export async function bundleTestProgram(root, entry, file) {
  const { build } = await import('esbuild');
  const places = { dist: path.join(root, 'dist'), target: path.dirname(file) };
  await build({
    ...makeOptions(root, places),
    entryPoints: [entry],
    outfile: file,
    format: 'esm',
    banner: { js: banner },
  });
}

/** The files by whose times bin/load-program.ts knows that they are newer than the compiled ones. */
function listDated(dist) {
  const folder = path.join(dist, 'warm');
  const codes = existsSync(folder) ? readdirSync(folder).map((name) => path.join(folder, name)) : [];
  const threads = findWorkers(path.join(dist, 'lib')).map((file) => nameInBundle(dist, file));
  return [...['program', ...threads].map((name) => path.join(dist, 'program', `${name}.js`)), ...codes];
}

/** @param root the folder of the checkout @param onBuild called before it builds, where something changed */
export async function buildProgram(root, onBuild = () => {}) {
  const dist = path.join(root, 'dist');
  const [target, entry] = [path.join(dist, 'program'), path.join(dist, 'bin', 'program.js')];
  const [stamp, own] = [path.join(target, '.sources'), fileURLToPath(import.meta.url)];
  const hash = createHash('sha256')
    .update(readFileSync(own))
    .update(`${process.version} ${process.arch}`)
    .update(readFileSync(path.join(root, 'package-lock.json')));
  const compiled = ['bin', 'lib'].flatMap((folder) => listCompiled(path.join(dist, folder)));
  for (const file of compiled.filter((each) => !each.includes(`${path.sep}web${path.sep}`))) {
    hash.update(`\0${path.relative(dist, file)}\0`).update(readFileSync(file));
  }
  const digest = hash.digest('hex');
  const isBuilt = existsSync(stamp) && readFileSync(stamp, 'utf8') === digest;
  if (!isBuilt) {
    onBuild();
    const { build } = await import('esbuild');
    for (const folder of [target, path.join(dist, 'warm')]) rmSync(folder, { recursive: true, force: true });
    const threads = findWorkers(path.join(dist, 'lib'));
    const options = {
      ...makeOptions(root, { dist, target }),
      outdir: target,
      format: 'esm',
      banner: { js: banner },
      sourcemap: 'linked',
      sourcesContent: false,
      metafile: true,
    };
    const [program, ofThreads] = await Promise.all([
      build({ ...options, entryPoints: [{ in: entry, out: 'program' }], chunkNames: '[name]-[hash]', splitting: true }),
      // A thread loads one file sooner than many.
      build({ ...options, entryPoints: threads.map((file) => ({ in: file, out: nameInBundle(dist, file) })) }),
    ]);
    const copied = { 'node_modules/pdfjs-dist/package.json': {} };
    const inputs = { ...program.metafile.inputs, ...ofThreads.metafile.inputs, ...copied };
    mkdirSync(target, { recursive: true });
    copyPdfjs(root, target);
    // The child that reads files may read nothing above, and Node 20.18 takes a file without this for CommonJS.
    writeFileSync(path.join(target, 'package.json'), '{ "type": "module" }\n');
    writeFileSync(path.join(target, 'licences.txt'), gatherLicences(root, inputs));
    await warm(build, root, { dist, target, entry });
    writeFileSync(stamp, digest);
  }
  // The compiler may have written the same files again.
  const compiledAt = statSync(entry).mtimeMs;
  for (const file of listDated(dist)) {
    if (statSync(file).mtimeMs < compiledAt) utimesSync(file, new Date(), new Date());
  }
}
