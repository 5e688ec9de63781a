// Makes the types of a described API, for the console's pages and for the client library. They are not kept in the
// repository.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/**
 * Writes the types, if a description has changed since.
 * @param descriptions files: the described API, and those that it refers to
 * @param target the file of the types
 */
export function makeTypes(descriptions, target) {
  const hash = createHash('sha256');
  for (const file of descriptions) hash.update(`\0${path.basename(file)}\0`).update(readFileSync(file));
  const stamp = `// ${hash.digest('hex')}\n`;
  if (existsSync(target) && readFileSync(target, 'utf8').startsWith(stamp)) return;
  const program = path.join(root, 'bin', 'describe-api.mjs');
  const made = spawnSync(process.execPath, [program, descriptions[0], target], { encoding: 'utf8', cwd: root });
  const name = path.basename(descriptions[0]);
  if (made.status !== 0) throw new Error(`schema/${name} has no types.\n${made.stdout}${made.stderr}`);
  writeFileSync(target, stamp + readFileSync(target, 'utf8'));
}
