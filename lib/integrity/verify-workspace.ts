import { join } from 'node:path';
import { describeError } from '../domain/describe-error.js';
import { checkArchives } from '../audit/check-archives.js';
import { describeRemarks } from '../audit/describe-remarks.js';
import type { UnsoundChain, VerifyOptions as ChainOptions } from '../audit/verify-chain.js';
import { explainUnreadable } from '../disk/explain-obstacle.js';
import { findUnreadable } from '../disk/obstacle.js';
import { type Oid, hashObject } from '../git/objects/objects.js';
import { findDamagedIndexes, openRepositoryReadOnly } from '../git/repositories/open-read-only.js';
import { resolvePending } from '../journal/pending-object.js';
import { sqliteCode } from '../sidecar/fault.js';
import { openSidecarReadOnly, type SidecarSnapshot } from '../sidecar/sidecar.js';
import { openReadOnly, type ReadOnlyOptions, type ReadOnlyWorkspace } from './open-data-folder.js';
import { pathsOf } from '../journal/workspace-files.js';
import { readWithPending } from './read-with-pending.js';
import { ContentFinder } from './content-finder.js';
import { findCarriedRestart, verifyAuditChain } from './verify-audit-log.js';
import { verifyDocuments } from './verify-documents.js';
import { verifyHistory } from './verify-history.js';
import { verifySearch } from './verify-search.js';
import { verifyTexts } from './verify-texts.js';
import { verifyHead, verifyTree } from './verify-tree.js';
import { isUnchecked, partOf, remedyFor, type Part } from './remedy.js';
import type { Report, OnProgress } from './report.js';
import { compareMirrors } from '../view/compare-mirror.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import type { ObjectTable, PendingObject } from '../sidecar/tables/object-table.js';

/** Pending objects that are read at once, and their bytes. */
const pendingTogether = 100;

const pendingBytesTogether = 8 * 1024 * 1024;

const mirrorFaults = {
  row: 'is in a mirror, and its connector does not know that it mirrored it.',
  document: 'has no document, and its connector takes it for mirrored.',
} as const;

export interface Problem {
  readonly part: Part;
  /** A sentence. After a location, it is the sentence's end. */
  readonly message: string;
  /** The document or folder, if there is one. */
  readonly location?: string;
  /** The sentence on how to repair it. */
  readonly remedy: string;
}

export interface VerifyOptions extends ReadOnlyOptions {
  /**
   * Leaves out the history: commits are not compared with the rows. Only git reads the bytes of versions other than
   * each document's newest.
   */
  readonly isQuick?: boolean;
  /** The expected restart of the audit chain. Left out, the one recorded in a commit of the repository. */
  readonly restartedFrom?: ChainOptions['restartedFrom'];
}

/** A fact that is no fault, but worth knowing to the reader of the outcome. */
export interface Remark {
  readonly part: Part;
  /** A sentence. */
  readonly message: string;
}

export interface Verification {
  readonly workspace: string;
  readonly sound: boolean;
  /** Whether nothing kept the check from reading the data. Where it is false, the data may be sound. */
  readonly checked: boolean;
  /** Live documents whose bytes were read. */
  readonly documents: number;
  /**
   * Versions with bytes read and rows compared with the history, including older ones and those of deleted documents.
   */
  readonly versions: number;
  readonly auditRecords: number;
  /** Of each part at most `maxNamed`. */
  readonly problems: readonly Problem[];
  readonly remarks: readonly Remark[];
}

/** Maximum of problems named for one part: readers do not need more. */
const maxNamed = 100;
/** Maximum of content faults kept with their reason. */
const maxFaults = 1000;
/** Maximum of checks while erases remove something meanwhile. */
const maxLooks = 3;

/**
 * Checks every part of a workspace:
 * - SQLite's own integrity, and rows that name others
 * - the audit chain and its archives
 * - pending objects
 * - the repository's head and tree against the rows
 * - every live document's bytes
 * - every other version's bytes and all rows of content, against the history
 * - the documents of mirrors against the rows of their connectors
 * - the search index's files, and its documents where it is of the present commit
 * - the texts that were made of files
 * - the repository, by git's fsck
 *
 * Changes nothing, also beside a running server. A broken part does not stop the checks of the others. Problems found
 * while an erase moved on are checked once more.
 */
export async function verifyWorkspace(options: VerifyOptions, onProgress: OnProgress): Promise<Verification> {
  for (let look = 1; ; look++) {
    const before = readErasures(options);
    const verification = await lookOnce(options, onProgress);
    if (verification.sound || look === maxLooks || readErasures(options) === before) return verification;
  }
}

/** The outcome where this account may not read all files: the checks would take what is hidden for lost. */
function reportUnreadable({ name }: VerifyOptions, path: string): Verification {
  const problem: Problem = { part: 'access', ...explainUnreadable(path, 'verify') };
  const counts = { documents: 0, versions: 0, auditRecords: 0 };
  return { workspace: name, sound: false, checked: false, ...counts, problems: [problem], remarks: [] };
}

async function lookOnce(options: VerifyOptions, onProgress: OnProgress): Promise<Verification> {
  const hidden = findUnreadable(pathsOf(options.dataFolder, options.name).folder);
  if (hidden !== undefined) return reportUnreadable(options, hidden);
  const notes = new ProblemList();
  const { report } = notes;
  const attempt = async <Found>(part: Part, work: () => Promise<Found>): Promise<Found | undefined> => {
    try {
      return await work();
    } catch (error) {
      report(partOf(error, part), describeError(error));
      return undefined;
    }
  };
  let documents = 0;
  let versions = 0;
  let audit: CheckedAudit = { records: 0, remarks: [] };
  let workspace: ReadOnlyWorkspace | undefined;
  try {
    workspace = await openReadOnly(options);
    const opened = workspace;
    const faults = new Map<Oid, string>();
    const finder = new ContentFinder(readWithPending(opened), (oid, error) => {
      if (faults.size < maxFaults) faults.set(oid, describeError(error));
    });
    await attempt('sidecar', async () => opened.sidecar.checkIntegrity().forEach((line) => report('sidecar', line)));
    await attempt('sidecar', async () => verifyRows(opened.sidecar, report));
    audit = (await attempt('audit', () => verifyAudit(opened, options, report))) ?? audit;
    await attempt('pending', () => verifyPending(opened, report));
    await attempt('history', () => verifyHead(opened, report));
    await attempt('tree', () => verifyTree(opened, report));
    documents = (await attempt('documents', () => verifyDocuments(opened, finder, faults, report, onProgress))) ?? 0;
    if (options.isQuick !== true) {
      await attempt('history', async () => {
        await verifyHistory(opened, finder, faults, report, onProgress);
        ({ versions } = opened.sidecar.totals());
      });
    }
    await attempt('mirrors', async () => verifyMirrors(opened.sidecar, report));
    await attempt('search', () => verifySearch(opened, pathsOf(options.dataFolder, options.name).search, report));
    await attempt('texts', () => verifyTexts(pathsOf(options.dataFolder, options.name), report));
    await attempt('repository', () => verifyIndexes(options, report));
    for (const line of await checkRepository(opened)) report('repository', line);
  } catch (error) {
    const code = sqliteCode(error);
    const isOfSidecar = code !== undefined;
    // The file can be read, but lacks tables or columns that this release needs.
    const isOfSchema = code === 'SQLITE_ERROR';
    report(partOf(error, isOfSchema ? 'schema' : isOfSidecar ? 'sidecar' : 'repository'), describeError(error));
    if (isOfSidecar) await attempt('repository', () => checkRepositoryAlone(options, report));
  } finally {
    await workspace?.close();
  }
  const problems = notes.list();
  return {
    workspace: options.name,
    sound: problems.length === 0,
    checked: !problems.some(isUnchecked),
    documents,
    versions,
    auditRecords: audit.records,
    problems,
    remarks: audit.remarks,
  };
}

/** Problems of each part: the first ones by name, the others by number. */
class ProblemList {
  readonly #problems: Omit<Problem, 'remedy'>[] = [];
  readonly #counts = new Map<Part, number>();

  readonly report: Report = (part, message, location) => {
    const count = (this.#counts.get(part) ?? 0) + 1;
    this.#counts.set(part, count);
    if (count > maxNamed) return;
    const where = location === undefined ? {} : { location };
    this.#problems.push({ part, message, ...where });
  };

  list(): Problem[] {
    const hasDamagedIndex = this.#counts.has('index');
    const more = [...this.#counts].filter(([, count]) => count > maxNamed);
    return [
      ...this.#problems,
      ...more.map(([part, count]) => ({ part, message: `There are ${count - maxNamed} more of this kind.` })),
    ].map((problem) => ({ ...problem, remedy: remedyFor(problem.part, hasDamagedIndex) }));
  }
}

/** The present phases of erases. Empty if they cannot be read. */
function readErasures({ dataFolder, name }: ReadOnlyOptions): string {
  let sidecar: SidecarSnapshot | undefined;
  try {
    sidecar = openSidecarReadOnly(pathsOf(dataFolder, name).sidecar);
    const { erasures } = sidecar.reader;
    const newest = erasures.list(Number.MAX_SAFE_INTEGER, 1).map(({ id, phase }) => [id, phase]);
    return JSON.stringify([newest, erasures.open().map(({ id, phase }) => [id, phase])]);
  } catch {
    return '';
  } finally {
    sidecar?.close();
  }
}

/** Rows that name missing rows, and the count of bytes for the quota. */
function verifyRows(sidecar: SidecarSnapshot, report: Report): void {
  for (const line of sidecar.checkReferences()) report('references', line);
  const counted = Number(sidecar.reader.meta.get('stored_bytes') ?? '0');
  const sum = sidecar.sumBytes();
  if (counted !== sum) {
    report('rows', `The count of stored bytes is ${counted}, and the sizes of all versions come to ${sum}.`);
  }
}

interface CheckedAudit {
  /** Number of sound records, from the first on. */
  readonly records: number;
  readonly remarks: readonly Remark[];
}

async function verifyAudit(
  workspace: ReadOnlyWorkspace,
  { restartedFrom }: VerifyOptions,
  report: Report,
): Promise<CheckedAudit> {
  const expected = restartedFrom ?? (await findCarriedRestart(workspace));
  const verdict = await verifyAuditChain(workspace, [], expected);
  if (!verdict.sound) report('audit', `${verdict.problem}.${adviseOnRestart(verdict)}`);
  const { archives, sidecar } = workspace;
  for (const { archive, problem } of await checkArchives(archives, sidecar.reader.auditArchives.list())) {
    const { file, firstSeq, lastSeq } = archive;
    // The chain names the first one already.
    if (!verdict.sound && verdict.seq === firstSeq) continue;
    report('audit', `the archive ${file} of records ${firstSeq} to ${lastSeq} ${problem}.`);
  }
  return { records: verdict.records, remarks: describeRemarks(verdict).map((message) => ({ part: 'audit', message })) };
}

function adviseOnRestart({ reason, restart }: UnsoundChain): string {
  if (reason !== 'unexpected_restart') return '';
  const option = `--recovered-at ${restart?.commit ?? ''}`;
  return ` No commit of the repository says so. If you made this workspace from a clone then, name that commit: ${option}. If not, the log was replaced.`;
}

/** A repack of the running server can write an index meanwhile: only what is damaged twice is. */
async function verifyIndexes({ dataFolder, name }: ReadOnlyOptions, report: Report): Promise<void> {
  const { repository } = pathsOf(dataFolder, name);
  const first = await findDamagedIndexes(repository);
  const damaged = first.length === 0 ? first : await findDamagedIndexes(repository);
  for (const path of damaged) report('index', `${join(repository, path)} is damaged.`);
}

async function checkRepositoryAlone({ dataFolder, name, git }: ReadOnlyOptions, report: Report): Promise<void> {
  await verifyIndexes({ dataFolder, name, git }, report);
  const repository = await openRepositoryReadOnly({ path: pathsOf(dataFolder, name).repository, git });
  try {
    for (const line of await repository.fsck()) report('repository', line);
  } finally {
    await repository.close();
  }
}

/** A repack of the running server can remove files while git reads them. A real fault shows up the second time too. */
async function checkRepository({ repository }: ReadOnlyWorkspace): Promise<string[]> {
  const first = await repository.fsck();
  return first.length === 0 ? first : repository.fsck();
}

/** Compares the documents of mirrors with what their connectors know of. The next sync would miss such a difference. */
function verifyMirrors({ reader }: Pick<SidecarSnapshot, 'reader'>, report: Report): void {
  for (const { location, lacks } of compareMirrors(reader)) report('mirrors', mirrorFaults[lacks], location);
}

/** Checks that every pending object matches its name. Pending objects lie in the sidecar only. */
async function verifyPending({ sidecar }: ReadOnlyWorkspace, report: Report): Promise<void> {
  const { objects } = sidecar.reader;
  const newest = objects.newest();
  for (let after = 0; ;) {
    const some = objects.between(after, newest, pendingTogether, pendingBytesTogether);
    for (const object of some) {
      const fault = pendingFaultOf(objects, object);
      if (fault !== undefined) report('pending', `The pending ${object.type} ${object.oid} ${fault}`);
    }
    const last = some.at(-1);
    if (last === undefined) return;
    after = last.number;
    await yieldToLoop();
  }
}

function pendingFaultOf(objects: ObjectTable, object: PendingObject): string | undefined {
  try {
    const read = resolvePending(objects, object);
    if (read === undefined) return `is a delta, and its base ${object.base} is not pending.`;
    return hashObject(read.type, read.bytes) === object.oid ? undefined : 'holds something else.';
  } catch (error) {
    return `cannot be read: ${describeError(error)}`;
  }
}
