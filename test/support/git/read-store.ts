import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { git } from './fixture.js';

/** An object of a repository, as git gives it. */
export interface StoredObject {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Objects by their ids. */
export type Store = ReadonlyMap<string, StoredObject>;

/** Every object that lies in a repository, reachable or not. A missing repository has none. */
export function readStore(repository: string): Store {
  const bytes = git(repository, ['cat-file', '--batch-all-objects', '--batch', '--buffer']);
  const store = new Map<string, StoredObject>();
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(10, at);
    const [oid = '', type = '', size = ''] = bytes.toString('latin1', at, end).split(' ');
    store.set(oid, { type, bytes: bytes.subarray(end + 1, end + 1 + Number(size)) });
    at = end + 1 + Number(size) + 1;
  }
  return store;
}

/** What a branch of a repository names. Null when there is none. */
export function readHead(repository: string, ref = 'refs/heads/main'): string | null {
  const said = git(repository, ['for-each-ref', '--format=%(objectname)', ref]).toString().trim();
  return said === '' ? null : said;
}

function need(store: Store, oid: string, type: string): Buffer {
  const found = store.get(oid);
  assert.ok(found !== undefined, `the ${type} ${oid} is missing`);
  assert.equal(found.type, type, oid);
  return found.bytes;
}

interface TreeEntry {
  readonly mode: string;
  readonly name: string;
  readonly oid: string;
}

function entriesOf(tree: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < tree.length;) {
    const end = tree.indexOf(0, at);
    const [mode = '', ...name] = tree.toString('utf8', at, end).split(' ');
    entries.push({ mode, name: name.join(' '), oid: tree.toString('hex', end + 1, end + 21) });
    at = end + 21;
  }
  return entries;
}

/** A commit's tree, its parents, and its whole text. */
export function readCommit(
  store: Store,
  oid: string,
): { readonly tree: string; readonly parents: readonly string[]; readonly text: string } {
  const text = need(store, oid, 'commit').toString();
  const parents = [...text.matchAll(/^parent ([0-9a-f]{40})$/gm)].map(([, parent = '']) => parent);
  return { tree: /^tree ([0-9a-f]{40})$/m.exec(text)?.[1] ?? '', parents, text };
}

/** The ids of a commit and all before it. */
export function commitsFrom(store: Store, head: string | null): Set<string> {
  const found = new Set<string>();
  const open = head === null ? [] : [head];
  for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
    if (found.has(oid)) continue;
    found.add(oid);
    open.push(...readCommit(store, oid).parents);
  }
  return found;
}

/** The ids of everything that a commit and all before it need. */
export function reachableFrom(store: Store, head: string | null): Set<string> {
  const found = commitsFrom(store, head);
  const visit = (oid: string): void => {
    if (found.has(oid)) return;
    found.add(oid);
    for (const entry of entriesOf(need(store, oid, 'tree'))) {
      if (entry.mode === '40000') visit(entry.oid);
      else {
        need(store, entry.oid, 'blob');
        found.add(entry.oid);
      }
    }
  };
  for (const oid of commitsFrom(store, head)) visit(readCommit(store, oid).tree);
  return found;
}

/** The text of each file of a commit, by its path. */
export function filesOf(store: Store, commit: string | null): Map<string, string> {
  const files = new Map<string, string>();
  const visit = (tree: string, folder: string): void => {
    for (const { mode, name, oid } of entriesOf(need(store, tree, 'tree'))) {
      if (mode === '40000') visit(oid, `${folder}${name}/`);
      else files.set(folder + name, need(store, oid, 'blob').toString());
    }
  };
  if (commit !== null) visit(readCommit(store, commit).tree, '');
  return files;
}

/** Every path that a file has in a commit or in one before it. */
export function pathsSince(store: Store, head: string | null): Set<string> {
  const trees = new Set([...commitsFrom(store, head)].map((oid) => readCommit(store, oid).tree));
  const paths = new Set<string>();
  const visit = (tree: string, folder: string): void => {
    for (const { mode, name, oid } of entriesOf(need(store, tree, 'tree'))) {
      if (mode === '40000') visit(oid, `${folder}${name}/`);
      else paths.add(folder + name);
    }
  };
  for (const tree of trees) visit(tree, '');
  return paths;
}

/** The texts of the blobs among some objects. */
export function textsOf(store: Store, oids: Iterable<string>): Set<string> {
  const texts = new Set<string>();
  for (const oid of oids) {
    const found = store.get(oid);
    if (found?.type === 'blob') texts.add(found.bytes.toString());
  }
  return texts;
}

/** Git's id of a text as a blob. */
export function blobOf(text: string): string {
  return createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0`)
    .update(text)
    .digest('hex');
}
