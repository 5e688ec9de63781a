import { readFileSync, statSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';
import type * as Program from './program.js';

// Other accounts of the machine get no access to files made here, or by a git started from here.
process.umask(0o077);

/**
 * Node from 22.1 on keeps compiled modules, which makes each command quicker. It keeps them in a folder of this account:
 * in Node's own choice, the folder for temporary files, another account could put code there first.
 */
const { enableCompileCache } = module as { readonly enableCompileCache?: (folder: string) => unknown };
enableCompileCache?.(join(homedir(), '.cache', 'cartulary'));

/**
 * When a file of the program was written; undefined where it is not there. Packages have one moment for all their files.
 */
const writtenAt = (file: string) => statSync(new URL(file, import.meta.url), { throwIfNoEntry: false })?.mtimeMs;
const compiledAt = writtenAt('./program.js') ?? 0;

/** Whether a file of the build is as new as the compiled files: the compiler writes all of them each time. */
const isFresh = (file: string) => (writtenAt(file) ?? Number.NEGATIVE_INFINITY) >= compiledAt;

/** The build makes a bundle of the program, which loads in half the time (bin/build-program.mjs). */
const bundle = '../program/program.js';

/** @param bundleUrl the address as which the text knows itself */
type LoadWarm = (
  require: NodeJS.Require,
  importPackage: (name: string) => Promise<unknown>,
  bundleUrl: string,
) => typeof Program;

/**
 * Loads the bundle with the code that V8 made of it before (bin/warm-program.mjs).
 * @returns undefined where this V8 has no such code, or where Node is asked for the places in the sources
 */
function loadWarm(): typeof Program | undefined {
  const code = `../warm/${cachedDataVersionTag()}.code`;
  if (process.sourceMapsEnabled || !isFresh(code)) return undefined;
  const [filename, cached] = ['../warm/program.cjs', code].map((file) => fileURLToPath(new URL(file, import.meta.url)));
  const script = new Script(readFileSync(filename ?? '', 'latin1'), {
    filename,
    cachedData: readFileSync(cached ?? ''),
  });
  if (script.cachedDataRejected === true) return undefined;
  const place = new URL(bundle, import.meta.url).href;
  const load = script.runInThisContext() as LoadWarm;
  return load(module.createRequire(place), (name) => import(name), place);
}

/** Loads the program: its bundle, or the compiled files where the compiler has run since. */
export async function loadProgram(): Promise<typeof Program> {
  if (!isFresh(bundle)) return import('./program.js');
  return loadWarm() ?? ((await import(bundle)) as typeof Program);
}
