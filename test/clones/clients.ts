import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import isomorphic from 'isomorphic-git';
import http from 'isomorphic-git/http/node';
import { git } from '../support/git/fixture.js';
import { filesOf, readHead, readStore, reachableFrom } from '../support/git/read-store.js';
import { runWith } from './person-clone.js';

/** What a clone holds, as the client that made it reads it. */
export interface Listed {
  readonly head: string | null;
  /** Text by path, of the newest commit. */
  readonly files: Readonly<Record<string, string>>;
  /** Ids of all objects that the newest commit needs. */
  readonly objects: readonly string[];
  /** Those of them that are contents. */
  readonly blobs: readonly string[];
}

/** Clones into a new folder. @returns null when the repository is not found */
export type CloneAndList = (url: string, key: string, folder: string) => Promise<Listed | null>;

export const withGit: CloneAndList = async (url, key, folder) => {
  const { code, stderr } = await runWith(key, '/', ['clone', '-q', '--bare', url, folder]);
  if (code !== 0 && stderr.includes('not found')) return null;
  assert.equal(code, 0, stderr);
  const head = readHead(folder);
  const store = readStore(folder);
  const objects = [...reachableFrom(store, head)].toSorted();
  // git's own list, beside the one that was read from its store.
  const listed = head === null ? '' : git(folder, ['rev-list', '--objects', '--all']).toString();
  const names = listed.split('\n').flatMap((line) => (line === '' ? [] : [line.slice(0, 40)]));
  assert.deepEqual(names.toSorted(), objects);
  const blobs = objects.filter((oid) => store.get(oid)?.type === 'blob');
  return { head, files: Object.fromEntries(filesOf(store, head)), objects, blobs };
};

export const withIsomorphicGit: CloneAndList = async (url, key, folder) => {
  const gitdir = join(folder, '.git');
  const place = { fs, dir: folder, gitdir };
  try {
    await isomorphic.clone({
      ...place,
      http,
      url,
      noCheckout: true,
      onAuth: () => ({ username: 'anybody', password: key }),
      onAuthFailure: () => ({ cancel: true }),
    });
  } catch (error) {
    if (error instanceof isomorphic.Errors.HttpError && error.data.statusCode === 404) return null;
    throw error;
  }
  const objects = new Set<string>();
  const blobs = new Set<string>();
  const visit = async (oid: string, path: string, files: Record<string, string>): Promise<void> => {
    objects.add(oid);
    const { tree } = await isomorphic.readTree({ ...place, oid });
    for (const entry of tree) {
      if (entry.type === 'tree') await visit(entry.oid, `${path}${entry.path}/`, files);
      else {
        objects.add(entry.oid);
        blobs.add(entry.oid);
        const { blob } = await isomorphic.readBlob({ ...place, oid: entry.oid });
        files[path + entry.path] = Buffer.from(blob).toString();
      }
    }
  };
  const commits = await isomorphic.log({ ...place, ref: 'main' });
  const files: Record<string, string> = {};
  for (const [index, { oid, commit }] of commits.entries()) {
    objects.add(oid);
    await visit(commit.tree, '', index === 0 ? files : {});
  }
  return { head: commits[0]?.oid ?? null, files, objects: [...objects].toSorted(), blobs: [...blobs].toSorted() };
};

const run = promisify(execFile);

/** A Python that has libgit2. */
const python = ['python3', '/usr/bin/python3'].find(
  (program) => spawnSync(program, ['-c', 'import pygit2']).status === 0,
);

export const hasLibgit2 = python !== undefined;

export const withLibgit2: CloneAndList = async (url, key, folder) => {
  // The script lies beside the source of this file, since the compiler copies no Python.
  const script = fileURLToPath(new URL('../../../test/clones/list-with-libgit2.py', import.meta.url));
  const { stdout } = await run(python ?? '', [script, url, key, folder]);
  const listed = JSON.parse(stdout) as Listed & { readonly refused?: string };
  if (listed.refused === undefined) return listed;
  assert.match(listed.refused, /404/);
  return null;
};
