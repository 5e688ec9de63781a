import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fsck, git } from '../../support/git/fixture.js';
import { runProgram } from '../../support/processes/run-program.js';
import { Sqlite } from '../../support/store/sqlite.js';
import { digest, findSerials } from './contents.js';
import type { Ledger } from './ledger.js';

/** A version as the rows have it. */
export interface VersionRow {
  readonly document: string;
  /** The document's place now; null for a deleted one. */
  readonly place: string | null;
  readonly isNewest: number;
  readonly sequence: number;
  readonly etag: string;
  readonly blob: string;
  readonly sha256: string;
  /** Where it was written. */
  readonly location: string;
  readonly author: string;
  readonly at: number;
  readonly operation: string;
}

/** A difference, and what belongs to it. */
interface Complaint {
  readonly what: string;
  /** Texts of the steps that explain it. */
  readonly names: readonly string[];
  /** Milliseconds since 1970. */
  readonly at: number | undefined;
}

/** Complaints that a failure shows with their steps. */
const mostExplained = 4;
const mostListed = 40;

/** Every version of every document, read from the rows by means other than the service's own. */
export function readVersions(folder: string): VersionRow[] {
  const connection = new Sqlite(join(folder, 'sidecar.sqlite'), { readonly: true });
  try {
    return connection
      .prepare<[], VersionRow>(
        `WITH RECURSIVE place (number, path) AS (
           SELECT 1, '' UNION ALL
           SELECT f.number, place.path || f.name || '/' FROM folder f JOIN place ON f.parent = place.number)
         SELECT d.id AS document, place.path || d.name AS place, v.sequence = d.sequence AS isNewest, v.sequence,
           v.id AS etag, v.blob_oid AS blob, v.sha256, v.location, p.display_name AS author, v.at, v.operation
         FROM document d JOIN version v ON v.document = d.number LEFT JOIN place ON place.number = d.folder
         LEFT JOIN principal p ON p.id = v.author
         ORDER BY d.number, v.sequence`,
      )
      .all();
  } finally {
    connection.close();
  }
}

/** The digest of each blob of a repository; none for one that is not there. */
function readDigests(repository: string, blobs: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>();
  const bytes = git(repository, ['cat-file', '--batch', '--buffer'], [...blobs, ''].join('\n'));
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(10, at);
    const [oid = '', type = '', size = ''] = bytes.toString('latin1', at, end).split(' ');
    if (type === 'missing') {
      at = end + 1;
      continue;
    }
    found.set(oid, digest(bytes.subarray(end + 1, end + 1 + Number(size))));
    at = end + 1 + Number(size) + 1;
  }
  return found;
}

function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

/** Compares what lies in a stopped service's folder with the ledger. */
class Comparison {
  readonly #ledger: Ledger;
  readonly #rows: readonly VersionRow[];
  readonly #complaints: Complaint[] = [];

  constructor(ledger: Ledger, rows: readonly VersionRow[]) {
    this.#ledger = ledger;
    this.#rows = rows;
  }

  get complaints(): readonly Complaint[] {
    return this.#complaints;
  }

  #complain(what: string, names: readonly string[], at?: number): void {
    this.#complaints.push({ what, names, at });
  }

  /** Each version's bytes are there, and are the ones that were written. */
  compareContents(digests: ReadonlyMap<string, string>): void {
    const { contents } = this.#ledger;
    for (const { document, location, etag, sequence, blob, sha256, author, at, operation } of this.#rows) {
      const found = digests.get(blob);
      if (found === sha256) continue;
      const written = `${operation} by ${author} at ${this.#ledger.timeOf(at)}`;
      const which = `version ${sequence} (${etag}) of ${location} (${document}), ${contents.nameOf(sha256)}, ${written}`;
      const state =
        found === undefined ? `is LOST: there is no blob ${blob}` : `has OTHER BYTES: ${contents.nameOf(found)}`;
      this.#complain(`${which}, ${state}`, [document, location], at);
    }
  }

  /** What was acknowledged with ids is there, in its order and at its place. */
  compareDocuments(): void {
    const byId = groupBy(this.#rows, ({ document }) => document);
    for (const { id, path, by, versions, live } of this.#ledger.documents.values()) {
      const rows = byId.get(id) ?? [];
      for (const { etag, sha256 } of versions) {
        const row = rows.find((each) => each.etag === etag);
        if (row?.sha256 === sha256) continue;
        const name = this.#ledger.contents.nameOf(sha256);
        const found = row === undefined ? 'no row' : this.#ledger.contents.nameOf(row.sha256);
        this.#complain(`version ${etag} of ${path} (${id}), ${name}, acknowledged to ${by}: found ${found}`, [
          id,
          path,
        ]);
      }
      const place = rows[0]?.place;
      if (rows.length > 0 && live !== undefined && place !== live)
        this.#complain(`${path} (${id}) of ${by} is at ${String(place)}, and was left at ${String(live)}`, [id, path]);
    }
  }

  /** What was pushed or mirrored is there, in its order. */
  compareFiles(): void {
    const live = groupBy(this.#rows, ({ place }) => place ?? '');
    for (const [path, written] of this.#ledger.files) {
      const found = (live.get(path) ?? []).map(({ sha256 }) => sha256);
      let at = 0;
      for (const sha256 of found) if (sha256 === written[at]) at += 1;
      const isNewest = found.at(-1) === written.at(-1);
      if (at === written.length && isNewest) continue;
      const names = (digests: readonly string[]): string =>
        digests.map((sha256) => this.#ledger.contents.nameOf(sha256)).join(', ') || 'nothing';
      this.#complain(`${path} was acknowledged as ${names(written)}: found ${names(found)}`, [path]);
    }
  }

  /** No row is left of what was erased. */
  compareErased(): void {
    const ids = new Set(this.#rows.map(({ document }) => document));
    for (const { id, path } of this.#ledger.erases.values())
      if (ids.has(id)) this.#complain(`${path} (${id}) was erased, and has rows`, [id, path]);
  }

  /** No word of an erased document is left in any file, unless another document has the same content. */
  compareWords(data: string): void {
    const { contents, erases } = this.#ledger;
    const erased = contents.serialsOf([...erases.values()].flatMap(({ sha256 }) => sha256));
    for (const serial of contents.serialsOf(this.#rows.map(({ sha256 }) => sha256))) erased.delete(serial);
    const report = (bytes: Buffer, where: string): void => {
      for (const serial of new Set(findSerials(bytes))) {
        if (!erased.has(serial)) continue;
        const name = `own content ${serial}`;
        this.#complain(`${name} is erased, and is left in ${where}`, [name]);
      }
    };
    for (const entry of readdirSync(data, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) report(readFileSync(path), path);
      const isRepository = entry.isDirectory() && readdirSync(path).includes('objects');
      if (isRepository)
        report(git(path, ['cat-file', '--batch-all-objects', '--batch', '--buffer']), `objects of ${path}`);
    }
  }
}

/** The text of some complaints, with the steps around the first ones. */
function describe(ledger: Ledger, complaints: readonly Complaint[]): string {
  const listed = complaints.slice(0, mostListed).map(({ what }) => `  ${what}\n`);
  const explained = complaints
    .slice(0, mostExplained)
    .map(({ what, names, at }) => `\n${what}\n${ledger.explain(names, at)}`);
  return `${complaints.length} differences:\n${listed.join('')}${explained.join('')}`;
}

/**
 * Compares everything that a stopped service left with what it acknowledged.
 * @param clone digests by path of a clone that was made before it stopped
 * @throws AssertionError that names each document, version and time, with the steps around it
 */
export async function checkFolder(data: string, ledger: Ledger, clone?: ReadonlyMap<string, string>): Promise<void> {
  const folder = join(data, 'acme');
  const repository = join(folder, 'content.git');
  const rows = readVersions(folder);
  const comparison = new Comparison(ledger, rows);
  comparison.compareContents(readDigests(repository, new Set(rows.map(({ blob }) => blob))));
  comparison.compareDocuments();
  comparison.compareFiles();
  comparison.compareErased();
  if (comparison.complaints.length === 0) comparison.compareWords(data);
  const { code, stdout } = await runProgram(['verify', '--data', data, '--json']);
  const found = describe(ledger, comparison.complaints);
  assert.ok(comparison.complaints.length === 0, `${found}\nverify: ${stdout.slice(0, 3000)}`);
  assert.equal(
    code,
    0,
    `verify finds what is not so: ${stdout.slice(0, 6000)}\nThe last steps:\n${ledger.lastSteps()}`,
  );
  assert.equal(fsck(repository), '', 'the workspace’s own repository');
  const left = readdirSync(folder, { recursive: true }).map(String);
  assert.deepEqual(
    left.filter((name) => /(?:^|\/)(?:incoming|quarantine)\/./.test(name)),
    [],
    'left of a push',
  );
  if (clone === undefined) return;
  const live = rows.flatMap(({ place, isNewest, sha256 }) =>
    place !== null && isNewest ? [[place, sha256] as const] : [],
  );
  const sorted = (pairs: Iterable<readonly [string, string]>): object =>
    Object.fromEntries([...pairs].filter(([path]) => !path.endsWith('.keep')).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  assert.deepEqual(sorted(clone), sorted(live), 'a fresh clone and the documents');
}

/** What is wrong in a folder already, for a failure that was noticed while its service ran. */
export async function explainFolder(data: string, ledger: Ledger): Promise<string> {
  const folder = join(data, 'acme');
  const rows = readVersions(folder);
  const comparison = new Comparison(ledger, rows);
  comparison.compareContents(readDigests(join(folder, 'content.git'), new Set(rows.map(({ blob }) => blob))));
  return describe(ledger, comparison.complaints);
}
