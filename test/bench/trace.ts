/**
 * Shows the files of lib that one request enters: `npm run trace [-- --files] [--questions] [REQUEST…]`.
 *
 * Makes a copy of the build in which every function of lib notes its calls, warms a service of the copy up, and makes
 * each request once. Prints the number of files, how often the next function was in another room, and the questions
 * that were asked twice in one state (`test/support/trace`).
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';

const built = fileURLToPath(new URL('../..', import.meta.url));
const root = path.join(built, '..');

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value && 'end' in value;
}

/** Calls `visit` with each node, the outer ones first. */
function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) for (const each of value) walk(each, visit);
  if (!isNode(value)) return;
  visit(value);
  for (const inner of Object.values(value)) if (typeof inner === 'object') walk(inner, visit);
}

/** The source with a call at the start of each function. */
function instrument(file: string, source: string): string {
  const call = `globalThis.noteEntered?.(${JSON.stringify(file)})`;
  const inserts: { readonly at: number; readonly text: string }[] = [];
  walk(parseSync(file, source).program, (node) => {
    if (!('body' in node) || !isNode(node.body) || !/^(?:Arrow)?Function/.test(node.type)) return;
    const { start, end, type } = node.body;
    if (type === 'BlockStatement' || type === 'FunctionBody') inserts.push({ at: start + 1, text: `${call};` });
    else inserts.push({ at: start, text: `(${call},` }, { at: end, text: ')' });
  });
  let made = source;
  // From the end, so that earlier places stay valid; of two at one place the later one is the inner one.
  for (const { at, text } of inserts.toSorted((one, other) => other.at - one.at)) {
    made = made.slice(0, at) + text + made.slice(at);
  }
  return made;
}

const folder = mkdtempSync(path.join(tmpdir(), 'cartulary-trace-'));
try {
  const copy = path.join(folder, 'dist');
  cpSync(built, copy, { recursive: true });
  for (const name of ['node_modules', 'schema', 'package.json', 'lib']) {
    symlinkSync(path.join(root, name), path.join(folder, name));
  }
  for (const name of readdirSync(path.join(copy, 'lib'), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js')) continue;
    const file = path.join(copy, 'lib', name);
    writeFileSync(file, instrument(name.replaceAll(path.sep, '/'), readFileSync(file, 'utf8')));
  }
  const child = path.join(copy, 'test', 'bench', 'trace-child.js');
  const { status } = spawnSync(process.execPath, [child, ...process.argv.slice(2)], { stdio: 'inherit', cwd: folder });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
