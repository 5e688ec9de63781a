import { rm } from 'node:fs/promises';
import { makeSigner } from '../../audit/signed-checkpoint.js';
import { recoverAction } from '../../audit/verify-chain.js';
import type { Caller } from '../../domain/caller.js';
import { rootLocation } from '../../domain/location.js';
import { decodeCommit } from '../../git/objects/objects.js';
import { auditKeyOf } from '../../sidecar/service-file.js';
import { checkBackup } from '../../backup/check-backup.js';
import { recordEvent } from '../../changes/record-event.js';
import { openWorkspace } from '../../workspace/open-workspace.js';
import {
  prepareStage,
  stageBackup,
  stageClone,
  type CloneSource,
  type StagedWorkspace,
  type StageOptions,
} from '../../backup/stage-workspace.js';
import { findVersion } from '../../history/trailers.js';
import { runAtOnce } from '../../scheduling/in-steps.js';
import type { Tables } from '../../sidecar/tables.js';
import type { View } from '../../view/view.js';
import type { Workspace } from '../../workspace/workspace.js';
import { adminNeeds } from '../needs.js';
import type { WriteOperation } from '../operation.js';
import { perform } from '../perform.js';
import { positionOfNow } from '../webhooks/position-of-now.js';
import { rebuild, type RebuildOptions } from './rebuild.js';

/** The source of a workspace. */
export type RestoreSource =
  { readonly backup: string; readonly passphrase: string } | (RebuildOptions & CloneSource & { readonly name: string });

/** Records in a restored workspace's log its source, and its commit. Admin. */
function recording(name: string): WriteOperation<{ readonly commit: string | null }, null> {
  return {
    kind: 'write',
    name,
    needs: () => adminNeeds,
    note: ({ commit }) => (commit === null ? {} : { version: commit }),
    run({ transaction, view }) {
      // Consumers that read on after the backup have seen what is not here.
      transaction.tables.feed.beginAnew(Buffer.from(transaction.randomness.bytes(32)).toString('hex'));
      silenceWebhooks(transaction.tables, view);
      return null;
    },
  };
}

/**
 * The workspace that was backed up may go on, or this one is an exercise: no receiver is told by both before somebody
 * decides. A webhook that is enabled then tells what comes from now on.
 */
function silenceWebhooks({ webhooks }: Tables, view: View): void {
  for (const id of webhooks.idsBelow(rootLocation, '', Number.MAX_SAFE_INTEGER)) {
    const { kinds = null, stopped = null } = webhooks.byId(id) ?? {};
    webhooks.setPosition(id, positionOfNow(view, kinds));
    if (stopped === null) webhooks.stop(id, 'restored');
  }
  webhooks.forgetPositions();
}

const recordRestore = recording('workspace.restore');
/** A chain that begins with this is a new one, unknown to the commits up to that one. */
const recordRecovery = recording(recoverAction);

/**
 * Repeats the first record by a commit, so that every later clone has it. It names the clone's newest version, and
 * touches no document. It comes after that record: its `Audit-Head` then names the new chain. Admin.
 */
const carryRecovery: WriteOperation<{ readonly from: string }, string> = {
  kind: 'write',
  name: 'workspace.recovered',
  needs: () => adminNeeds,
  note: ({ from }) => ({ detail: { from } }),
  run(context, { from }) {
    const event = { type: 'recover', from } as const;
    return runAtOnce(recordEvent(context, { event, files: [], message: null })).versionId;
  },
  noteResult: (commit) => ({ version: commit }),
};

/**
 * Makes a workspace from a backup or from a clone alone, checks it, and records the restore. It is complete then, and
 * waits to be adopted. After a fault, nothing of it stays. A clone gives content and history. It has no people, groups,
 * grants, keys, labels, claims and audit log.
 * @throws Refusal CONFLICT `name_taken`; INVALID_REQUEST `backup_damaged`, `bad_clone`, `git_missing`,
 * `history_not_understood`
 */
export async function restoreWorkspace(
  source: RestoreSource,
  options: StageOptions,
  caller: Caller,
): Promise<StagedWorkspace> {
  const checked = 'backup' in source ? await checkBackup(source.backup, source.passphrase) : undefined;
  const name = checked?.manifest.workspace ?? ('name' in source ? source.name : '');
  const stage = await prepareStage(options, name);
  try {
    const staged =
      checked !== undefined
        ? await stageBackup(checked, stage, options)
        : await stageClone('clone' in source ? source : { clone: '' }, name, stage, options);
    await withWorkspace(staged, options, async (workspace) => {
      const commit = await findNewestVersion(workspace);
      await perform(workspace, caller, 'clone' in source ? recordRecovery : recordRestore, { commit });
      if (!('clone' in source)) return;
      await rebuild(workspace, caller, source);
      if (commit !== null) await perform(workspace, caller, carryRecovery, { from: commit });
      await workspace.checkpointer.run();
    });
    return staged;
  } catch (error) {
    await rm(stage, { recursive: true, force: true });
    throw error;
  }
}

/** The first id of the newest commit: a commit rewritten by an erase keeps it. */
async function findNewestVersion({ journal, repository }: Workspace): Promise<string | null> {
  const { head } = journal.state;
  if (head === null) return null;
  return findVersion(decodeCommit((await repository.read(head)).bytes).message) ?? head;
}

async function withWorkspace(
  { name, part, stage }: StagedWorkspace,
  { files }: StageOptions,
  work: (workspace: Workspace) => Promise<void>,
): Promise<void> {
  const key = part.keys.find(({ purpose }) => purpose === auditKeyOf(name));
  if (key === undefined) throw new Error(`The key of ${name}'s audit chain is not there.`);
  const signer = makeSigner(name, Buffer.from(key.material, 'base64'));
  const workspace = await openWorkspace({ ...files, dataFolder: stage, signerOf: () => signer }, name);
  try {
    await work(workspace);
  } finally {
    await workspace.close();
  }
}
