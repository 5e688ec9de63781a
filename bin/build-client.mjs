// Builds the client library: makes the types of the REST API from schema/openapi.yaml, and compiles lib/client with
// its declarations to dist/client. Nothing of the server is in it. That folder is a package of its own, too, without
// dependencies: `npm pack ./dist/client` makes a file of it (decision 0381).
//
// Usage: node bin/build-client.mjs, or import { buildClient }
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTypes } from './make-types.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const source = path.join(root, 'lib', 'client');
const types = path.join(source, 'described.d.ts');

/** @throws Error with what the compiler said */
export function buildClient() {
  makeTypes([path.join(root, 'schema', 'openapi.yaml')], types);
  const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', source], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The client library does not compile.\n${stdout}${stderr}`);
  const target = path.join(root, 'dist', 'client');
  copyFileSync(types, path.join(target, 'described.d.ts'));
  copyFileSync(path.join(root, 'LICENSE'), path.join(target, 'LICENSE'));
  const { version, license, engines } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const manifest = {
    name: 'cartulary-client',
    version,
    description: 'The client library of Cartulary, for Node and browsers.',
    license,
    type: 'module',
    engines,
    sideEffects: false,
    exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
  };
  writeFileSync(path.join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) buildClient();
