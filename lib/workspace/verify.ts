import { openRepositoryReadOnly } from '../git/open-read-only.js';
import { sqliteCode } from '../sidecar/fault.js';
import { openReadOnly, type ReadOnlyOptions, type ReadOnlyWorkspace } from './open-read-only.js';
import { pathsOf } from './open-workspace.js';
import { verifyAuditChain } from './verify-audit.js';
import { verifyDocuments } from './verify-documents.js';
import { verifyHead, verifyTree } from './verify-tree.js';

/** Which of its parts a workspace fails in. */
export type Part = 'repository' | 'sidecar' | 'audit' | 'history' | 'tree' | 'rows' | 'documents';

export interface Problem {
  readonly part: Part;
  /** A sentence; with a location it goes on from that. */
  readonly message: string;
  /** The document or folder, where it is one. */
  readonly location?: string;
}

/** Takes note of a problem. */
export type Report = (part: Part, message: string, location?: string) => void;

export interface Verification {
  readonly workspace: string;
  readonly sound: boolean;
  /** Live documents whose bytes were read. */
  readonly documents: number;
  readonly auditRecords: number;
  readonly problems: readonly Problem[];
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Checks everything that a workspace is made of: SQLite's own integrity, the audit chain, the repository's head and
 * tree against the rows, every live document's bytes, and the repository by git's fsck. Changes nothing, also beside a
 * running server. One part that is broken keeps none of the others from being looked at.
 */
export async function verifyWorkspace(
  options: ReadOnlyOptions,
  tell: (documents: number) => void,
): Promise<Verification> {
  const problems: Problem[] = [];
  const report: Report = (part, message, location) =>
    void problems.push(location === undefined ? { part, message } : { part, message, location });
  const attempt = async <Found>(part: Part, work: () => Promise<Found>): Promise<Found | undefined> => {
    try {
      return await work();
    } catch (error) {
      report(part, messageOf(error));
      return undefined;
    }
  };
  let documents = 0;
  let auditRecords = 0;
  let workspace: ReadOnlyWorkspace | undefined;
  try {
    workspace = await openReadOnly(options);
    const opened = workspace;
    await attempt('sidecar', async () => opened.sidecar.checkIntegrity().forEach((line) => report('sidecar', line)));
    const verdict = await attempt('audit', () => verifyAuditChain(opened));
    if (verdict?.sound === false) report('audit', `${verdict.problem}.`);
    auditRecords = verdict?.records ?? 0;
    await attempt('history', () => verifyHead(opened, report));
    await attempt('tree', () => verifyTree(opened, report));
    documents = (await attempt('documents', () => verifyDocuments(opened, report, tell))) ?? 0;
    for (const line of await checkRepository(opened)) report('repository', line);
  } catch (error) {
    const isOfSidecar = sqliteCode(error) !== undefined;
    report(isOfSidecar ? 'sidecar' : 'repository', messageOf(error));
    if (isOfSidecar) await attempt('repository', () => checkRepositoryAlone(options, report));
  } finally {
    await workspace?.close();
  }
  return { workspace: options.name, sound: problems.length === 0, documents, auditRecords, problems };
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
