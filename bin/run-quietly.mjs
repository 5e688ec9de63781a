// What the scripts that make a checkout ready have in common: they run programs, and say little.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** The path of a file of the checkout. */
export const at = (...segments) => path.join(root, ...segments);

export const readJson = (...segments) => JSON.parse(readFileSync(at(...segments), 'utf8'));

export const say = (line) => process.stderr.write(`${line}\n`);

/** Ends the process with a message for people and, if there is any, the output that explains it. */
export function giveUp(message, output = '') {
  if (output !== '') say(output.trimEnd());
  say(`\ncartulary: ${message}`);
  process.exit(1);
}

/** Runs a program in the checkout. @returns whether it succeeded, and all that it printed */
export function runQuietly(command, commandArguments, options = {}) {
  const result = spawnSync(command, commandArguments, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  const output = `${result.stdout ?? ''}${result.stderr ?? ''}${result.error ? String(result.error) : ''}`;
  return { done: result.status === 0, output };
}
