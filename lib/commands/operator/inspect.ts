import type { KeyObject } from 'node:crypto';
import { describeError } from '../../domain/describe-error.js';
import { readPublicKey } from '../../audit/signed-checkpoint.js';
import { ExportUnreadable, readExport } from '../../audit/read-export.js';
import { describeRemarks } from '../../audit/describe-remarks.js';
import { verifyChain, type ChainVerdict, type KnownHead } from '../../audit/verify-chain.js';
import { invalidRequest } from '../../domain/refusal.js';
import { listWorkspaces, openReadOnly } from '../../integrity/open-data-folder.js';
import { readCloneWitnesses } from '../../integrity/read-witnesses.js';
import { refuseMissingFile } from '../../integrity/data-format.js';
import { readStatus, type BesideSizes, type WorkspaceStatus } from '../../workspace/read-status.js';
import { verifyAuditChain } from '../../integrity/verify-audit-log.js';
import { verifyService } from '../../integrity/verify-service.js';
import { verifyWorkspace } from '../../integrity/verify-workspace.js';
import type { Presented } from '../result.js';

/** Checks without the process of the data folder: read-only, beside a server that may be running. */
export interface InspectOptions {
  readonly dataFolder: string;
  /** One workspace; null for all. */
  readonly workspace: string | null;
  readonly git: 'auto' | 'never';
}

/** @throws Refusal INVALID_REQUEST when there is no such workspace, or no workspace at all */
function chooseWorkspaces({ dataFolder, workspace }: InspectOptions): string[] {
  const names = listWorkspaces(dataFolder);
  if (workspace === null && names.length > 0) return names;
  if (workspace !== null && names.includes(workspace)) return [workspace];
  const problem = workspace === null ? 'no workspace yet' : `no workspace "${workspace}"`;
  const remedy =
    names.length === 0
      ? '`cartulary init` makes one; --data or CARTULARY_DATA names another folder'
      : `There are: ${names.join(', ')}`;
  throw invalidRequest('no_workspace', `There is ${problem} in ${dataFolder}. ${remedy}.`, { field: 'workspace' });
}

/** How much each workspace holds. `problem` says why one cannot be read, and then nothing else is known of it. */
export async function reportStatus(options: InspectOptions): Promise<Presented[]> {
  refuseMissingFile(options.dataFolder);
  const statuses: Presented[] = [];
  for (const name of chooseWorkspaces(options)) {
    let status: WorkspaceStatus;
    try {
      status = await readStatus({ ...options, name });
    } catch (error) {
      statuses.push({ name, problem: describeError(error) });
      continue;
    }
    const { totals, storedBytes, beside, pending, repository, audit } = status;
    statuses.push({
      name,
      title: status.title,
      problem: null,
      documents: totals.documents,
      deleted_documents: totals.deletedDocuments,
      versions: totals.versions,
      folders: totals.folders,
      principals: totals.principals,
      groups: totals.groups,
      grants: totals.grants,
      keys: totals.credentials,
      connectors: status.connectors,
      stored_bytes: storedBytes,
      beside_documents: {
        comments: beside.comments,
        messages: beside.messages,
        audit_log: beside.auditLog,
        stored_answers: beside.storedAnswers,
      },
      warnings: [...warnOfSizes(beside), ...(repository === null ? [closedRepository] : []), ...status.troubles],
      pending_objects: pending.objects,
      repository: repository && {
        packs: repository.packs,
        loose_objects: repository.looseObjects,
        bytes: repository.bytes,
      },
      derived_repositories: status.derived && {
        count: status.derived.repositories,
        bytes: status.derived.bytes,
      },
      audit: { records: audit.seq, head: audit.hash },
    });
  }
  return statuses;
}

const closedRepository =
  'This account may not read all of content.git. `cartulary verify` names the file and its owner.';

/** Bytes above which a warning is due. */
const largeFrom = 1000 ** 3;

const whatToDo: Readonly<Record<keyof BesideSizes, readonly [what: string, remedy: string]>> = {
  comments: ['Comments take', 'See who writes so many: `cartulary comment list`, `cartulary principal disable`.'],
  messages: ['Messages take', 'See who sends so many: `cartulary audit export` names the senders.'],
  auditLog: ['The audit log takes', 'Move what is old into files: `cartulary audit archive --before 365d`.'],
  storedAnswers: [
    'Answers kept for retries take',
    'They go after a day. `cartulary audit export` names who creates so much.',
  ],
};

/** A sentence for each large part, with its remedy. */
export function warnOfSizes(sizes: BesideSizes): string[] {
  return (Object.keys(whatToDo) as (keyof BesideSizes)[]).flatMap((part) => {
    const [what, remedy] = whatToDo[part];
    return sizes[part] < largeFrom ? [] : [`${what} ${(sizes[part] / 1000 ** 3).toFixed(1)} GB. ${remedy}`];
  });
}

/** A fault, and its remedy. */
export interface PresentedProblem {
  readonly part: string;
  readonly message: string;
  readonly location?: string;
  readonly remedy: string;
}

export interface VerifiedWorkspace {
  readonly workspace: string;
  readonly sound: boolean;
  /** Whether nothing kept the check from reading the data. Where it is false, the data may be sound. */
  readonly checked: boolean;
  readonly documents: number;
  readonly versions: number;
  readonly audit_records: number;
  readonly problems: readonly PresentedProblem[];
  /** Remarks on things worth knowing, but no faults. */
  readonly remarks: readonly { readonly part: string; readonly message: string }[];
}

export interface VerifiedData {
  /** The service's own file. */
  readonly service: {
    readonly sound: boolean;
    readonly checked: boolean;
    readonly problems: readonly PresentedProblem[];
  };
  readonly workspaces: readonly VerifiedWorkspace[];
}

/**
 * Checks everything: the service's own file, and each workspace, also those that a damaged file no longer lists.
 * @param onProgress gets the number of documents, commits or rows checked so far
 * @throws Refusal INVALID_REQUEST when there is no such workspace, or no workspace at all
 */
export async function verifyData(
  options: InspectOptions & { readonly isQuick: boolean; readonly recoveredAt?: string | undefined },
  onProgress: (workspace: string, what: string, done: number) => void,
): Promise<VerifiedData> {
  const restartedFrom = parseCommit(options.recoveredAt);
  const { isReadable, problems, workspaces: found } = verifyService(options.dataFolder);
  const names = found.filter((name) => (options.workspace ?? name) === name);
  if (names.length === 0 && problems.length === 0) chooseWorkspaces(options);
  const workspaces: VerifiedWorkspace[] = [];
  for (const name of names) {
    const key = isReadable ? {} : { publicKey: null };
    const verification = await verifyWorkspace({ ...options, ...key, name, restartedFrom }, (what, done) =>
      onProgress(name, what, done),
    );
    const { auditRecords, problems: ofWorkspace, ...rest } = verification;
    workspaces.push({
      ...rest,
      audit_records: auditRecords,
      problems: ofWorkspace,
    });
  }
  const checked = problems.every(({ part }) => part === 'service');
  return { service: { sound: problems.length === 0, checked, problems }, workspaces };
}

export type VerifiedChain = ChainVerdict & {
  readonly workspace?: string;
  /** A sentence for each remark, about no fault but worth knowing. */
  readonly remarks: readonly string[];
};

/** Facts about a chain from elsewhere. */
export interface KnownElsewhere {
  /** Where the chain is known to have been: `SEQ HASH`, as a commit's Audit-Head says it. */
  readonly head: string | undefined;
  /** A clone of the workspace's repository. */
  readonly clone: string | undefined;
  /** The commit of the chain's known restart. */
  readonly recoveredAt: string | undefined;
}

/**
 * Checks the audit chain of each workspace, with its signatures and the audit heads named by commits. These are the
 * repository's newest, and all of a clone where one is given.
 * @throws Refusal INVALID_REQUEST when the head, commit or clone cannot be read, or when their workspace is unclear
 */
export async function verifyChains(options: InspectOptions, elsewhere: KnownElsewhere): Promise<VerifiedChain[]> {
  const names = chooseWorkspaces(options);
  const isOfOne = elsewhere.clone !== undefined || elsewhere.head !== undefined;
  if (isOfOne && names.length > 1) {
    throw invalidRequest('bad_field', 'Say with --workspace which one the clone or head is of.', {
      field: 'workspace',
    });
  }
  const restartedFrom = parseCommit(elsewhere.recoveredAt);
  const known = await readKnownHeads(elsewhere);
  const verdicts: VerifiedChain[] = [];
  for (const name of names) {
    const workspace = await openReadOnly({ ...options, name });
    try {
      const verdict = await verifyAuditChain(workspace, known, restartedFrom);
      verdicts.push({ workspace: name, ...verdict, remarks: describeRemarks(verdict) });
    } finally {
      await workspace.close();
    }
  }
  return verdicts;
}

async function readKnownHeads({ head, clone }: KnownElsewhere): Promise<KnownHead[]> {
  const noted = head === undefined ? [] : [parseHead(head)];
  return clone === undefined ? noted : [...noted, ...(await readCloneWitnesses(clone))];
}

export interface ExportToVerify extends KnownElsewhere {
  readonly file: string;
  /** The workspace's public key for the signatures, in one of the forms of `readPublicKey`. */
  readonly key: string | undefined;
}

/**
 * Checks an export with nothing but the file and the other given facts.
 * @throws Refusal INVALID_REQUEST when the key, head, commit or clone cannot be read; Error when the file cannot be
 */
export async function verifyExport({ file, key, ...elsewhere }: ExportToVerify): Promise<VerifiedChain> {
  const restartedFrom = parseCommit(elsewhere.recoveredAt);
  const known = await readKnownHeads(elsewhere);
  const publicKey = key === undefined ? undefined : parseKey(key);
  try {
    const verdict = verifyChain(readExport(file), known, { publicKey, isExport: true, restartedFrom });
    return { ...verdict, remarks: describeRemarks(verdict) };
  } catch (error) {
    if (!(error instanceof ExportUnreadable)) throw error;
    return { sound: false, records: 0, seq: 0, problem: error.message, remarks: [] };
  }
}

/** @throws Refusal INVALID_REQUEST `bad_field` */
function parseCommit(text: string | undefined): string | undefined {
  if (text === undefined || /^[0-9a-f]{40}$/.test(text)) return text;
  throw invalidRequest('bad_field', 'recovered-at must be the whole id of a commit: 40 hexadecimal digits.', {
    field: 'recovered-at',
  });
}

function parseKey(text: string): KeyObject {
  try {
    return readPublicKey(text);
  } catch (error) {
    throw invalidRequest('bad_field', describeError(error), { field: 'key' });
  }
}

function parseHead(text: string): KnownHead {
  const match = /^(\d{1,15})[ :]([0-9a-f]{64})$/.exec(text.trim());
  if (match === null) {
    throw invalidRequest('bad_field', 'head must be a number and a hash, as in a commit: "17 5f0c…".', {
      field: 'head',
    });
  }
  return { seq: Number(match[1]), hash: match[2] ?? '' };
}
