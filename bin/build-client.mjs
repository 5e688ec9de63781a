// Builds the client library: makes the types of the REST API from schema/openapi.yaml, and compiles lib/client with
// its declarations to dist/client. Nothing of the server is in it.
//
// Usage: node bin/build-client.mjs, or import { buildClient }
import { spawnSync } from 'node:child_process';
import { copyFileSync, realpathSync } from 'node:fs';
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
  copyFileSync(types, path.join(root, 'dist', 'client', 'described.d.ts'));
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) buildClient();
