import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';

/** An entry of a folder. */
export interface Entry {
  readonly name: string;
  /** Octal, as git writes it: 40000 for a folder. */
  readonly mode: string;
  readonly oid: string;
}

/** Puts any bytes into a repository as an object, also those that git itself refuses to write. @returns its name */
export function putObject(repository: string, type: string, bytes: Buffer | string): string {
  const object = Buffer.concat([Buffer.from(`${type} ${Buffer.byteLength(bytes)}\0`), Buffer.from(bytes as string)]);
  const oid = createHash('sha1').update(object).digest('hex');
  const folder = join(repository, 'objects', oid.slice(0, 2));
  mkdirSync(folder, { recursive: true });
  const file = join(folder, oid.slice(2));
  if (!existsSync(file)) writeFileSync(file, deflateSync(object));
  return oid;
}

export function putTree(repository: string, entries: readonly Entry[]): string {
  const parts = entries.map(({ name, mode, oid }) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]),
  );
  return putObject(repository, 'tree', Buffer.concat(parts));
}

/** Folders within folders: each holds ten times the same one, and the last ten times this entry. */
export function putBomb(repository: string, levels: number, innermost: Omit<Entry, 'name'>): string {
  let entry = innermost;
  for (let level = 0; level < levels; level += 1) {
    const { mode, oid } = entry;
    const entries = Array.from({ length: 10 }, (_, index) => ({ name: `${index}`, mode, oid }));
    entry = { mode: '40000', oid: putTree(repository, entries) };
  }
  return entry.oid;
}

export interface CommitParts {
  readonly tree: string;
  readonly parents?: readonly string[];
  readonly message?: string;
}

/** A commit, where main is put. @returns its name */
export function putCommit(repository: string, { tree, parents = [], message = 'A commit\n' }: CommitParts): string {
  const head = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    'author Grace <grace@example.org> 1580702706 +0000',
    'committer Grace <grace@example.org> 1580702706 +0000',
  ];
  const oid = putObject(repository, 'commit', `${head.join('\n')}\n\n${message}`);
  mkdirSync(join(repository, 'refs', 'heads'), { recursive: true });
  writeFileSync(join(repository, 'refs', 'heads', 'main'), `${oid}\n`);
  return oid;
}
