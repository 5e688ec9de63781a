// Bundles the compiled program with its packages into dist/program, which makes each start about twice as fast
// (decision 0213). bin/cartulary.ts loads the bundle while it is newer than the compiled files. Does nothing if nothing
// changed.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** What cannot be in the bundle: compiled code, and packages that look for their own files. */
const outside = ['better-sqlite3', 'ssh2'];

/** CommonJS packages in the bundle ask for Node's own modules. */
const banner =
  "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);";

const worker = /new Worker\(new URL\('(\.\/[\w-]+\.js)', import\.meta\.url\)/g;

/** Every compiled file below a folder, in a stable order. */
const listCompiled = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((file) => path.join(folder, file))
    .filter((file) => file.endsWith('.js'))
    .sort((a, b) => (a < b ? -1 : 1));

/** The name of a compiled file in the bundle, where all files are in one folder: each place is as far from any of them. */
const nameInBundle = (dist, file) => path.relative(dist, file).replace(/\.js$/, '').split(path.sep).join('-');

/** Workers of the program become entries of the bundle. */
function findWorkers(lib) {
  return listCompiled(lib).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(worker)].map(([, name]) => path.resolve(path.dirname(file), name)),
  );
}

/**
 * Keeps the places of files that the program reads beside its compiled files: `import.meta.url` stays the address of
 * the compiled file. Only workers are loaded from the bundle.
 */
const keepPlaces = ({ dist, target }) => ({
  name: 'keep-places',
  setup({ onLoad, onResolve }) {
    // A package that is loaded at its first use stays outside: the bundler would give only its default export where it
    // is CommonJS, and Node gives all.
    onResolve({ filter: /^[^.]/ }, ({ kind, path: name }) =>
      kind === 'dynamic-import' && !path.isAbsolute(name) ? { path: name, external: true } : undefined,
    );
    onLoad({ filter: /\.js$/ }, async ({ path: file }) => {
      if (!file.startsWith(path.join(dist, 'lib')) && !file.startsWith(path.join(dist, 'bin'))) return undefined;
      const text = await readFile(file, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const from = (place) => JSON.stringify(path.relative(target, place).split(path.sep).join('/'));
      const contents = text
        .replace(worker, (_, name) => {
          const built = nameInBundle(dist, path.resolve(path.dirname(file), name));
          return `new Worker(new URL('./${built}.js', BUNDLE_URL)`;
        })
        .replaceAll('import.meta.url', `new URL(${from(file)}, import.meta.url).href`)
        .replaceAll('BUNDLE_URL', 'import.meta.url');
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

/** @param root the folder of the checkout @param onBuild called before it builds, where something changed */
export async function buildProgram(root, onBuild = () => {}) {
  const dist = path.join(root, 'dist');
  const [target, entry] = [path.join(dist, 'program'), path.join(dist, 'bin', 'program.js')];
  const [stamp, own] = [path.join(target, '.sources'), fileURLToPath(import.meta.url)];
  const hash = createHash('sha256')
    .update(readFileSync(own))
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
    rmSync(target, { recursive: true, force: true });
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: [
        { in: entry, out: 'program' },
        ...[...new Set(findWorkers(path.join(dist, 'lib')))].map((file) => ({
          in: file,
          out: nameInBundle(dist, file),
        })),
      ],
      outdir: target,
      chunkNames: '[name]-[hash]',
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      external: outside,
      banner: { js: banner },
      // Names of classes are told to people and to stores.
      keepNames: true,
      sourcemap: 'linked',
      sourcesContent: false,
      metafile: true,
      logLevel: 'silent',
      plugins: [keepPlaces({ dist, target })],
    });
    mkdirSync(target, { recursive: true });
    writeFileSync(path.join(target, 'licences.txt'), gatherLicences(root, metafile.inputs));
    writeFileSync(stamp, digest);
  }
  const built = path.join(target, 'program.js');
  // The compiler may have written the same files again.
  if (statSync(built).mtimeMs < statSync(entry).mtimeMs) utimesSync(built, new Date(), new Date());
}
