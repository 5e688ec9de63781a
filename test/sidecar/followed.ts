import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openForWriting } from '../../lib/sidecar/database.js';
import { connect, type Connection } from '../../lib/sidecar/driver.js';
import { FollowedFile } from '../../lib/sidecar/followed-file.js';
import { applyPageSets } from '../../lib/sidecar/apply-page-sets.js';
import { encodePageSet, readPageSet, type PageSet } from '../../lib/sidecar/page-set.js';
import type { PinnedPages } from '../../lib/sidecar/pinned-pages.js';
import { makeSqlTransaction, type SqlTransaction } from '../../lib/sidecar/sql-transaction.js';

/** A database with a table of rows of all sizes, that a copy follows. */
export interface Followed {
  readonly file: string;
  readonly connection: Connection;
  readonly transaction: SqlTransaction;
  readonly followed: FollowedFile;
  /** Commits what was done. */
  write(change: () => void): void;
  put(id: number, bytes: number): void;
  close(): void;
}

const now = 1_700_000_000_000;

/** @param pageSize of a new file */
export function openFollowed(file: string, settings: readonly string[] = [], pageSize = 4096): Followed {
  if (!existsSync(file)) {
    const made = connect(file);
    made.pragma(`page_size = ${pageSize}`);
    made.pragma('auto_vacuum = INCREMENTAL');
    made.exec('CREATE TABLE made (id INTEGER)');
    made.close();
  }
  const connection = openForWriting(file);
  for (const setting of settings) connection.pragma(setting);
  connection.exec('CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, name TEXT, body BLOB)');
  connection.exec('CREATE INDEX IF NOT EXISTS item_name ON item (name)');
  const followed = new FollowedFile(file);
  const transaction = makeSqlTransaction(
    connection,
    () => undefined,
    () => undefined,
    () => followed.read(),
  );
  const insert = connection.prepare('INSERT OR REPLACE INTO item VALUES (?, ?, zeroblob(?))');
  const fill = connection.prepare('UPDATE item SET body = randomblob(length(body)) WHERE id = ?');
  return {
    file,
    connection,
    transaction,
    followed,
    write(change) {
      transaction.begin();
      change();
      transaction.commit();
    },
    put(id, bytes) {
      insert.run(id, createHash('md5').update(String(id)).digest('hex'), bytes);
      fill.run(id);
    },
    close() {
      followed.end();
      connection.close();
      followed.close();
    },
  };
}

/** Pins the whole file, however many steps the log takes. */
export function pinWhole({ followed }: Pick<Followed, 'followed'>): PinnedPages {
  for (let step = 0; step < 1000; step++) {
    const pinned = followed.cutWhole(now);
    if (pinned !== undefined) return pinned;
  }
  throw new Error('It is never there.');
}

/** The page set of the pinned state, deflated; others write between its batches. */
export async function send(pinned: PinnedPages, meanwhile: () => void = () => undefined): Promise<Buffer> {
  const chunks: Buffer[] = [];
  async function* batches(): AsyncGenerator<{ numbers: Uint32Array; bytes: Buffer }> {
    meanwhile();
    for await (const batch of pinned.batches()) {
      yield batch;
      meanwhile();
    }
  }
  try {
    for await (const chunk of encodePageSet(pinned.head, batches())) chunks.push(chunk);
  } finally {
    pinned.release();
  }
  return Buffer.concat(chunks);
}

export const readSets = (sets: readonly Buffer[]): Promise<PageSet[]> =>
  Promise.all(sets.map((bytes) => readPageSet(piecesOf(bytes))));

export async function* piecesOf(bytes: Uint8Array, length = 10_000): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < bytes.length; offset += length) yield bytes.subarray(offset, offset + length);
}

/**
 * Notes the present state as SQLite itself has it: a copy of the file and its log, carried into the file. Copied by
 * another process: closing a descriptor of the file would drop this one's locks.
 */
export function noteState({ file }: Pick<Followed, 'file'>, folder: string, name: string): string {
  const copy = join(folder, name);
  execFileSync('cp', [file, copy]);
  execFileSync('cp', [`${file}-wal`, `${copy}-wal`]);
  const connection = connect(copy);
  connection.pragma('wal_checkpoint(TRUNCATE)');
  connection.close();
  return copy;
}

/** The sets make the very bytes of the noted state, and SQLite finds no fault in them. */
export async function requireSame(sets: Iterable<PageSet>, noted: string, what: string): Promise<void> {
  const made = `${noted}-made`;
  await applyPageSets(made, sets);
  const [is, should] = [readFileSync(made), readFileSync(noted)];
  if (!is.equals(should)) assert.fail(`${what}: ${describeDifference(is, should)}`);
  const connection = connect(made);
  assert.equal(connection.pragma('integrity_check', { simple: true }), 'ok');
  connection.close();
  for (const end of ['', '-wal', '-shm']) rmSync(`${made}${end}`, { force: true });
}

function describeDifference(is: Buffer, should: Buffer): string {
  const pageSize = should.readUInt16BE(16);
  const pages: number[] = [];
  for (let page = 0; page * pageSize < Math.max(is.length, should.length); page++) {
    const [start, end] = [page * pageSize, (page + 1) * pageSize];
    if (!is.subarray(start, end).equals(should.subarray(start, end))) pages.push(page + 1);
  }
  return `${is.length} and ${should.length} bytes; pages ${pages.slice(0, 20).join(', ')} differ`;
}
