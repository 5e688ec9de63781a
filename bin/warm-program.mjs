// Keeps the code that V8 made of the bundled program, for later starts: node bin/warm-program.mjs DIST
// Code is made of what ran. So the program makes a workspace here, lists its people, serves it and answers a request.
// The file's name tells the version of V8, its flags and the kind of processor: another one cannot use it.
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

const dist = path.resolve(process.argv[2]);
const filename = path.join(dist, 'warm', 'program.cjs');
const bundle = path.join(dist, 'program', 'program.js');
const script = new Script(readFileSync(filename, 'latin1'), { filename });
const load = script.runInThisContext();
const { runProgram } = load(createRequire(bundle), (name) => import(name), pathToFileURL(bundle).href);

let listen = () => undefined;
process.stdout.write = (text) => {
  listen(String(text));
  return true;
};

/** Runs a command. @returns what it prints on its first line, as JSON */
function run(...words) {
  return new Promise((resolve, reject) => {
    listen = (text) => resolve(JSON.parse(text.split('\n')[0]));
    process.argv.splice(2, process.argv.length, ...words, '--data', data, '--json');
    runProgram().then(() => reject(new Error(`${words[0]} printed nothing`)), reject);
  });
}

// No settings of this checkout or of this account.
for (const name of Object.keys(process.env)) if (name.startsWith('CARTULARY_')) delete process.env[name];
const folder = mkdtempSync(path.join(os.tmpdir(), 'cartulary-warm-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
process.chdir(folder);
const data = path.join(folder, 'data');
await run('init', '--workspace', 'acme', '--admin', 'Ada');
await run('principal', 'list');
const { url } = await run('serve', '--port', '0', '--log-level', 'silent');
await (await fetch(`${url}/v1/health`)).text();
const made = path.join(dist, 'warm', `${cachedDataVersionTag()}.code`);
writeFileSync(`${made}.part`, script.createCachedData());
renameSync(`${made}.part`, made);
process.exit(0);
