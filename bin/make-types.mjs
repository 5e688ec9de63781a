// Makes the types of a described API: for the console's pages, for the client library, and for the routes of the server.
// They are not kept in the repository.
//
// Usage: node bin/make-types.mjs for those of the server and of the console, or import { makeDescribedTypes, makeTypes }
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/**
 * Writes the types, if a description has changed since.
 * @param descriptions files: the described API, and those that it refers to
 * @param target the file of the types
 * @param options further ones of bin/describe-api.mjs
 */
export function makeTypes(descriptions, target, options = []) {
  const hash = createHash('sha256');
  for (const file of descriptions) hash.update(`\0${path.basename(file)}\0`).update(readFileSync(file));
  const stamp = `// ${hash.digest('hex')}\n`;
  if (existsSync(target) && readFileSync(target, 'utf8').startsWith(stamp)) return;
  const program = path.join(root, 'bin', 'describe-api.mjs');
  const words = [program, descriptions[0], target, ...options];
  const made = spawnSync(process.execPath, words, { encoding: 'utf8', cwd: root });
  const name = path.basename(descriptions[0]);
  if (made.status !== 0) throw new Error(`schema/${name} has no types.\n${made.stdout}${made.stderr}`);
  writeFileSync(target, stamp + readFileSync(target, 'utf8'));
}

/** The console has every route of REST and some of its own. */
const descriptions = ['console.yaml', 'openapi.yaml'].map((file) => path.join(root, 'schema', file));

/** The types of the console's API for its pages, some of whose modules have tests outside of a browser. */
export const pageTypes = path.join(root, 'lib', 'console', 'web', 'api', 'described.d.ts');

/** Makes the types of requests as the server's routes read them, and those of the console's pages. */
export function makeDescribedTypes() {
  makeTypes(descriptions, path.join(root, 'lib', 'api', 'requests', 'described.d.ts'), ['--checked']);
  makeTypes(descriptions, pageTypes);
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  makeDescribedTypes();
}
