// Fills in what a partial registry mirror leaves out of package-lock.json.
//
// A tool with native parts (oxlint, knip's parser) lists one optional package per platform. Where
// the registry at hand offers only some of them, `npm install` writes a lock file without the rest,
// and `npm ci` then refuses that lock file everywhere. This adds an entry for each missing one: its
// version (the parent pins it exactly) and the platforms that its name tells. npm skips an entry
// whose platform is not the machine's, so nothing is fetched that was not there before.
//
// Usage, after a change of dependencies: node bin/complete-lock.mjs [package-lock.json]
import { readFileSync, writeFileSync } from 'node:fs';

const systems = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const processors = ['arm', 'arm64', 'ia32', 'ppc64', 'riscv64', 's390x', 'x64'];

/** The entry that `name`, required from the package at `from`, resolves to, as Node looks it up. */
function findEntry(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const entry = packages[folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`];
    if (entry !== undefined || folder === '') return entry;
  }
}

/** What the name of a platform package says: `@oxlint/binding-linux-arm64-musl` → linux, arm64, musl. */
function readPlatform(name) {
  const words = name.split(/[/-]/);
  const os = systems.find((system) => words.includes(system));
  const cpu = processors.find((processor) => words.includes(processor));
  if (os === undefined || cpu === undefined) return undefined;
  const libc = words.includes('musl') || words.includes('musleabihf') ? 'musl' : 'glibc';
  return os === 'linux' ? { os: [os], cpu: [cpu], libc: [libc] } : { os: [os], cpu: [cpu] };
}

const file = process.argv[2] ?? 'package-lock.json';
const lock = JSON.parse(readFileSync(file, 'utf8'));
const added = [];
for (const [at, parent] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    if (findEntry(lock.packages, at, name) !== undefined) continue;
    const platform = readPlatform(name);
    if (platform === undefined || !/^\d/.test(version)) {
      console.error(`${name}@${version}, wanted by ${at}: neither pinned nor named after a platform; add it by hand`);
      process.exitCode = 1;
      continue;
    }
    lock.packages[`node_modules/${name}`] = {
      version,
      ...platform,
      ...(parent.dev ? { dev: true } : {}),
      optional: true,
    };
    added.push(name);
  }
}
if (added.length > 0) {
  const [root, ...rest] = Object.entries(lock.packages);
  lock.packages = Object.fromEntries([root, ...rest.sort(([a], [b]) => a.localeCompare(b, 'en'))]);
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
}
console.log(`${added.length} entries added to ${file}`);
