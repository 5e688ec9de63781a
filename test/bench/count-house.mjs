// `npm run figures`: counts the house: files and lines of its parts, the functions that make one face's form of a
// value, the forms of a claim, a comment and a principal, and the decisions. It gives figures and always exits
// with 0. `npm run trace` counts what a request enters.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

function filesBelow(folder, ending) {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file))
    .map((file) => path.posix.join(folder, file.replaceAll(path.sep, '/')));
}

const read = (file) => readFileSync(path.join(root, file), 'utf8');
const linesOf = (file) => read(file).split('\n').length - 1;
const sum = (numbers) => numbers.reduce((one, other) => one + other, 0);
const isSource = /\.tsx?$/;

/** The names of all functions of a file, declared or kept in a constant. */
function functionsOf(file) {
  const names = [];
  const walk = (node) => {
    if (typeof node !== 'object' || node === null) return;
    if (node.type === 'FunctionDeclaration') names.push(node.id.name);
    if (node.type === 'VariableDeclarator' && /Function/.test(node.init?.type ?? '')) names.push(node.id.name);
    for (const inner of Object.values(node)) if (typeof inner === 'object') walk(inner);
  };
  walk(parseSync(file, read(file)).program);
  return names;
}

/** Prints a row of the table. */
function row(what, ...figures) {
  const cells = figures.map((figure) => String(figure).padStart(9));
  process.stdout.write(`${what.padEnd(42)}${cells.join('')}\n`);
}

const lib = filesBelow('lib', isSource).filter((file) => !file.endsWith('.d.ts'));
const browser = lib.filter((file) => file.startsWith('lib/console/web/'));
const server = lib.filter((file) => !file.startsWith('lib/console/web/') && !file.startsWith('lib/client/'));
const styles = filesBelow('lib/console/web', /\.css$/);
const tests = filesBelow('test', isSource);
row('', 'files', 'lines');
for (const [what, files] of [
  ['server part', server],
  ['console, browser part', browser],
  ['console, styles', styles],
  ['tests and their helpers', tests],
]) {
  row(what, files.length, sum(files.map(linesOf)));
}

const suites = tests.filter((file) => file.endsWith('.test.ts'));
/** Lines before the first test. */
const heads = suites.map((file) => {
  const lines = read(file).split('\n');
  const first = lines.findIndex((line) => /^\s*(?:for \(.*\) )?it\(/.test(line));
  return first < 0 ? lines.length : first;
});
row('test files, lines before their first test', suites.length, (sum(heads) / suites.length).toFixed(1));

const faces = new Set(['api', 'commands', 'console', 'mcp', 'records', 'signin']);
const made = server.flatMap((file) => functionsOf(file).map((name) => ({ room: file.split('/')[1], name })));
const presenting = made.filter(({ name }) => /^present[A-Z]/.test(name));
const rooms = new Map();
for (const { room } of presenting) rooms.set(room, (rooms.get(room) ?? 0) + 1);
process.stdout.write('\n');
row('functions that make a form of one face', presenting.length);
for (const [room, count] of [...rooms].toSorted(([, one], [, other]) => other - one)) row(`  in ${room}`, count);
for (const noun of ['Claim', 'Comment', 'Principal']) {
  const named = new Set([`present${noun}`, `to${noun}`, `to${noun}Record`]);
  const forms = made.filter(({ room, name }) => faces.has(room) && named.has(name));
  row(`forms of a ${noun.toLowerCase()}: ${forms.map(({ room }) => room).join(', ')}`, forms.length);
}

const decisions = readdirSync(path.join(root, 'lib/decisions')).filter((file) => /^\d/.test(file));
const words = decisions.map((file) => read(`lib/decisions/${file}`).split(/\s+/).length);
row('decisions, words', decisions.length, sum(words));
row('code map, words', '', read('lib/README.md').split(/\s+/).length);
