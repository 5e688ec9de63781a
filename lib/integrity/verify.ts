import { describeError } from '../domain/describe-error.js';
import { checkArchives } from '../audit/check-archives.js';
import { describeRemarks } from '../audit/describe-remarks.js';
import type { UnsoundChain, VerifyOptions as ChainOptions } from '../audit/verify.js';
import type { Oid } from '../git/objects/objects.js';
import { openRepositoryReadOnly } from '../git/repositories/open-read-only.js';
import { checkIndexFiles } from '../search/segments/check-files.js';
import { sqliteCode } from '../sidecar/fault.js';
import { openSidecarReadOnly, type SidecarSnapshot } from '../sidecar/sidecar.js';
import { openReadOnly, type ReadOnlyOptions, type ReadOnlyWorkspace } from './open-read-only.js';
import { pathsOf } from '../journal/workspace-files.js';
import { readWithPending } from './read-with-pending.js';
import { ContentFinder } from './content-finder.js';
import { findCarriedRestart, verifyAuditChain } from './verify-audit.js';
import { verifyDocuments } from './verify-documents.js';
import { verifyHistory } from './verify-history.js';
import { verifyPending } from './verify-pending.js';
import { verifyHead, verifyTree } from './verify-tree.js';
import { remedyFor, type Part } from './remedy.js';
import type { Report, TellProgress } from './report.js';

export interface Problem {
  readonly part: Part;
  /** A sentence; with a location it goes on from that. */
  readonly message: string;
  /** The document or folder, where it is one. */
  readonly location?: string;
  /** What to do about it. */
  readonly remedy: string;
}

export interface VerifyOptions extends ReadOnlyOptions {
  /**
   * Leaves out the history: what commits say is not compared with the rows then, and of what is no document's newest
   * version no bytes are read but by git.
   */
  readonly isQuick?: boolean;
  /** Which restart of the audit chain is expected; left out, the one that a commit of the repository carries. */
  readonly restartedFrom?: ChainOptions['restartedFrom'];
}

/** Something that is no fault, and that whoever reads the outcome should know. */
export interface Remark {
  readonly part: Part;
  /** A sentence. */
  readonly message: string;
}

export interface Verification {
  readonly workspace: string;
  readonly sound: boolean;
  /** Live documents whose bytes were read. */
  readonly documents: number;
  /** Versions whose bytes were read and whose rows were compared with the history, older ones and deleted documents' too. */
  readonly versions: number;
  readonly auditRecords: number;
  /** Of each part at most `maxNamed`. */
  readonly problems: readonly Problem[];
  readonly remarks: readonly Remark[];
}

/** Problems of one part that are named: where everything is wrong, nobody reads it all. */
const maxNamed = 100;
/** Faults of content that are told with their reason. */
const maxFaults = 1000;
/** Times that everything is looked at while erases take something away under it. */
const maxLooks = 3;

/**
 * Checks everything that a workspace is made of: SQLite's own integrity, rows that name others, the audit chain and its
 * archives, pending objects, the repository's head and tree against the rows, every live document's bytes, every other
 * version's bytes and all rows of content against the history, the search index's files, and the repository by git's
 * fsck. Changes nothing, also beside a running server. One part that is broken keeps none of the others from being
 * looked at. What was found while an erase moved on is looked at once more.
 */
export async function verifyWorkspace(options: VerifyOptions, tell: TellProgress): Promise<Verification> {
  for (let look = 1; ; look++) {
    const before = readErasures(options);
    const verification = await lookOnce(options, tell);
    if (verification.sound || look === maxLooks || readErasures(options) === before) return verification;
  }
}

async function lookOnce(options: VerifyOptions, tell: TellProgress): Promise<Verification> {
  const notes = new ProblemList();
  const { report } = notes;
  const attempt = async <Found>(part: Part, work: () => Promise<Found>): Promise<Found | undefined> => {
    try {
      return await work();
    } catch (error) {
      report(part, describeError(error));
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
    documents = (await attempt('documents', () => verifyDocuments(opened, finder, faults, report, tell))) ?? 0;
    if (options.isQuick !== true) {
      await attempt('history', async () => {
        await verifyHistory(opened, finder, faults, report, tell);
        ({ versions } = opened.sidecar.totals());
      });
    }
    await attempt('search', () => verifySearch(options, report));
    for (const line of await checkRepository(opened)) report('repository', line);
  } catch (error) {
    const code = sqliteCode(error);
    const isOfSidecar = code !== undefined;
    // It can be read, and has not the tables and columns that this release asks for.
    const isOfSchema = code === 'SQLITE_ERROR';
    report(isOfSchema ? 'schema' : isOfSidecar ? 'sidecar' : 'repository', describeError(error));
    if (isOfSidecar) await attempt('repository', () => checkRepositoryAlone(options, report));
  } finally {
    await workspace?.close();
  }
  const problems = notes.list();
  return {
    workspace: options.name,
    sound: problems.length === 0,
    documents,
    versions,
    auditRecords: audit.records,
    problems,
    remarks: audit.remarks,
  };
}

/** What is wrong, of each part the first ones by name and the others by number. */
class ProblemList {
  readonly #problems: Problem[] = [];
  readonly #counts = new Map<Part, number>();

  readonly report: Report = (part, message, location) => {
    const count = (this.#counts.get(part) ?? 0) + 1;
    this.#counts.set(part, count);
    if (count > maxNamed) return;
    const where = location === undefined ? {} : { location };
    this.#problems.push({ part, message, ...where, remedy: remedyFor(part) });
  };

  list(): Problem[] {
    const more = [...this.#counts].filter(([, count]) => count > maxNamed);
    return [
      ...this.#problems,
      ...more.map(([part, count]) => ({
        part,
        message: `There are ${count - maxNamed} more of this kind.`,
        remedy: remedyFor(part),
      })),
    ];
  }
}

/** Where erases stand; empty where that cannot be read. */
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

/** Rows that name what is not there, and the count of bytes that the quota goes by. */
function verifyRows(sidecar: SidecarSnapshot, report: Report): void {
  for (const line of sidecar.checkReferences()) report('references', line);
  const counted = Number(sidecar.reader.meta.get('stored_bytes') ?? '0');
  const sum = sidecar.sumBytes();
  if (counted !== sum) {
    report('rows', `The count of stored bytes is ${counted}, and the sizes of all versions come to ${sum}.`);
  }
}

interface CheckedAudit {
  /** How many are sound, from the first on. */
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

async function verifySearch({ dataFolder, name }: ReadOnlyOptions, report: Report): Promise<void> {
  for (const line of await checkIndexFiles(pathsOf(dataFolder, name).search)) report('search', line);
}

async function checkRepositoryAlone({ dataFolder, name, git }: ReadOnlyOptions, report: Report): Promise<void> {
  const repository = await openRepositoryReadOnly({ path: pathsOf(dataFolder, name).repository, git });
  try {
    for (const line of await repository.fsck()) report('repository', line);
  } finally {
    await repository.close();
  }
}

/** A repack of the running server can take files away under git's eyes: what is really broken is so the second time. */
async function checkRepository({ repository }: ReadOnlyWorkspace): Promise<string[]> {
  const first = await repository.fsck();
  return first.length === 0 ? first : repository.fsck();
}
