import { findLastBackup } from '../backup/last-backup.js';
import { endRemovals, setAside, type RemovalReceipt } from '../backup/removed-workspace.js';
import { formatTime, formatTimeOrNull, type Clock } from '../domain/clock.js';
import { invalidRequest } from '../domain/refusal.js';
import type { ServiceFile } from '../sidecar/service-file.js';
import type { FaultyWorkspaces } from '../workspace/faulty-workspaces.js';
import type { Workspace } from '../workspace/workspace.js';

/** The parts of the service that know of a workspace. */
export interface RemovalParts {
  readonly dataFolder: string;
  readonly file: Pick<ServiceFile, 'listWorkspaces' | 'removeWorkspace'>;
  readonly clock: Clock;
  /** Those that are served. */
  readonly workspaces: Map<string, Workspace>;
  readonly faulty: FaultyWorkspaces;
  readonly onFault: (what: string, cause: unknown) => void;
}

/**
 * Removes a workspace, also one that could not be opened. Nobody else makes or removes one meanwhile.
 * @throws Refusal INVALID_REQUEST `no_workspace`; Error where its files cannot be set aside: it is served again then
 */
export async function removeWorkspace(name: string, parts: RemovalParts): Promise<RemovalReceipt> {
  const { dataFolder, file, clock, workspaces, faulty, onFault } = parts;
  const listed = file.listWorkspaces().find((each) => each.name === name);
  if (listed === undefined) throw invalidRequest('no_workspace', `There is no workspace "${name}".`, { field: 'name' });
  await faulty.release(name);
  const workspace = workspaces.get(name);
  // From here on it is unknown to everybody who asks.
  workspaces.delete(name);
  let content = unknownContent;
  // Requests under way may still write. What one of them is answered as written, the receipt has.
  const describe = (): void => {
    try {
      if (workspace !== undefined) content = describeContent(workspace);
    } catch (cause) {
      onFault(`What ${name} holds could not be read before it goes`, cause);
    }
  };
  try {
    await workspace
      ?.close(describe)
      .catch((cause: unknown) => onFault(`${name} could not be closed before it goes`, cause));
    // The audit log ends with what the requests under way have left.
    const audit = workspace === undefined ? null : { ...workspace.journal.state.chain };
    const times = { created_at: formatTime(listed.createdAt), removed_at: formatTime(clock.now()) };
    const receipt = { workspace: name, ...times, ...content, audit };
    await setAside(dataFolder, receipt);
    await endRemovals(dataFolder, (each, createdAt) => file.removeWorkspace(each, createdAt));
    return receipt;
  } catch (cause) {
    // Still listed: it was not removed, and is opened again when a request asks for it.
    if (file.listWorkspaces().some((each) => each.name === name)) faulty.add(name, cause);
    throw cause;
  }
}

type Content = Omit<RemovalReceipt, 'workspace' | 'created_at' | 'removed_at' | 'audit'>;

const unknownContent: Content = {
  documents: null,
  commit: null,
  audit_key: null,
  last_backup_at: null,
};

function describeContent({ journal, signer }: Workspace): Content {
  return {
    documents: journal.reader.documents.countLive(),
    commit: journal.state.head,
    audit_key: signer.publicKey,
    last_backup_at: formatTimeOrNull(findLastBackup(journal.reader) ?? null),
  };
}
