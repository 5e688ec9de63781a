/** Every other kind of write, and reads, while one call to the disk fails. Run as a program, it tries every call. */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { nodeFileSystem } from '../../lib/git/file-system.js';
import { parseLocation } from '../../lib/domain/location.js';
import { addComment } from '../../lib/operations/comments/add-comment.js';
import { takeClaim } from '../../lib/operations/claims/take-claim.js';
import { deleteFolder } from '../../lib/operations/folders/delete-folder.js';
import { undeleteFolder } from '../../lib/operations/folders/undelete-folder.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { perform } from '../../lib/operations/perform.js';
import { restoreVersion } from '../../lib/operations/documents/restore-version.js';
import { previewRevert, revertChanges } from '../../lib/operations/history/revert-changes.js';
import { eraseAt } from '../support/store/erase-at.js';
import { FailingFileSystem } from '../support/git/failing-file-system.js';
import { outcomeOf } from '../support/store/actor.js';
import { until } from '../support/until.js';
import { checkSelf, Evidence } from './check.js';
import { FailingSidecars } from './failing-sidecar.js';
import { makeWorkbench, type Workbench } from '../support/faults/workbench.js';
import { parsePrecondition } from '../../lib/api/requests/parse-precondition.js';

export type Part = 'repository' | 'sidecar';

/** The state before any failure. @returns the version for the restore */
async function prepare({ actor, workspace }: Workbench, at: string): Promise<string> {
  for (const name of ['renamed', 'moved', 'deleted', 'commented', 'claimed', 'erased', 'gone/a', 'going/a', 'undone/a'])
    await actor.create(`${at}/${name}.md`, `text of ${at} ${name}`);
  const { current } = await actor.create(`${at}/restored.md`, `first of ${at}`);
  await actor.update(`${at}/restored.md`, `second of ${at}`);
  await actor.delete(`${at}/deleted.md`);
  await perform(workspace, actor.caller, deleteFolder, { location: parseLocation(`${at}/gone`) });
  await workspace.checkpointer.run();
  return current.id;
}

/** The actions while the disk fails, each on a document or folder of its own, by the name of their witness. */
function actionsOf({ actor, workspace }: Workbench, at: string, versionId: string) {
  const { caller } = actor;
  const place = (name: string) => parseLocation(`${at}/${name}`);
  const files = [{ location: place('imported/a.md'), content: { bytes: Buffer.from('imported') } }];
  const precondition = parsePrecondition('*', 'If-Match');
  return {
    rename: () => actor.rename(`${at}/renamed.md`, 'other.md', true),
    move: () => actor.move(`${at}/moved.md`, `${at}/going`, true),
    undelete: () => actor.undelete(`${at}/deleted.md`),
    restore: () =>
      perform(workspace, caller, restoreVersion, {
        location: place('restored.md'),
        versionId,
        precondition,
        message: null,
      }),
    import: () => perform(workspace, caller, importDocuments, { into: place('imported'), files, message: null }),
    checkpoint: () => workspace.checkpointer.run().catch(() => undefined),
    'folder delete': () => perform(workspace, caller, deleteFolder, { location: place('going') }),
    'folder undelete': () => perform(workspace, caller, undeleteFolder, { location: place('gone') }),
    revert: async () => {
      const input = { location: place('undone'), principalId: caller.principalId, since: 0 };
      const { digest } = (await perform(workspace, caller, previewRevert, input)).result;
      await perform(workspace, caller, revertChanges, { ...input, preview: digest, message: null });
    },
    comment: () =>
      perform(workspace, caller, addComment, { location: place('commented.md'), text: 'said', mentions: [] }),
    claim: () => perform(workspace, caller, takeClaim, { location: place('claimed.md') }),
    read: () => actor.read(`${at}/restored.md`),
    erase: async () => workspace.eraser.finished((await eraseAt(workspace, `${at}/erased.md`)).id),
  };
}

/** For each action a document that shows whether the action was done: its presence or its absence. */
const witnesses: Readonly<Record<string, readonly [name: string, isThere: boolean]>> = {
  rename: ['other.md', true],
  undelete: ['deleted.md', true],
  import: ['imported/a.md', true],
  'folder delete': ['going/a.md', false],
  'folder undelete': ['gone/a.md', true],
  revert: ['undone/a.md', false],
  erase: ['erased.md', false],
};

/**
 * Makes the n-th call fail, for every n from `from` on by `every` until there is none.
 * @returns the failed calls, each once
 */
export async function failActions(
  part: Part,
  git: 'auto' | 'never',
  { from = 1, every = 1 }: { readonly from?: number; readonly every?: number } = {},
): Promise<{ readonly failed: Set<string>; readonly rounds: number }> {
  const fs = new FailingFileSystem(nodeFileSystem, { countsReads: true });
  const sidecars = new FailingSidecars({ countsReads: true });
  const bench = await makeWorkbench({ git, fs, openSidecar: sidecars.open });
  const disk = part === 'repository' ? fs : sidecars;
  const failed = new Set<string>();
  try {
    for (let failAt = from, rounds = 0; ; failAt += every, rounds++) {
      const at = `n${failAt}`;
      const versionId = await prepare(bench, at);
      if (part === 'repository') fs.arm(failAt, 'EIO', false);
      else sidecars.arm(failAt, 'SQLITE_IOERR_READ');
      const outcomes: Record<string, string> = {};
      for (const [name, work] of Object.entries(actionsOf(bench, at, versionId)))
        outcomes[name] = await outcomeOf(work());
      disk.disarm();
      if (disk.failed === undefined) {
        await checkWhole(bench);
        return { failed, rounds };
      }
      failed.add(disk.failed);
      const where = `${disk.failed}, call ${failAt}: ${JSON.stringify(outcomes)}`;
      for (const outcome of Object.values(outcomes))
        assert.match(outcome, /^(?:done|INTERNAL|UNAVAILABLE(?: storage_full)?)$/, where);
      await settle(bench, at, outcomes, where);
    }
  } finally {
    disk.disarm();
    await bench.remove();
  }
}

async function settle({ actor, workspace }: Workbench, at: string, outcomes: Record<string, string>, where: string) {
  await until(`it goes on: ${where}`, async () => (await outcomeOf(actor.list(at))) !== 'UNAVAILABLE', 60_000);
  for (const [name, [witness, isThere]] of Object.entries(witnesses)) {
    const found = await outcomeOf(actor.read(`${at}/${witness}`));
    if (outcomes[name] === 'done') assert.equal(found, isThere ? 'done' : 'NOT_FOUND', `${name}: ${where}`);
    else assert.match(found, /^(?:done|NOT_FOUND)$/, `${name}: ${where}`);
  }
  // An accepted erase ends once the disk allows it.
  for (const { id } of workspace.journal.reader.erasures.open()) await workspace.eraser.finished(id);
  await workspace.checkpointer.run();
}

async function checkWhole(bench: Workbench): Promise<void> {
  await bench.reopen();
  const evidence = new Evidence(bench.paths.folder);
  try {
    await checkSelf(evidence, bench.workspace);
  } finally {
    evidence.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [every = '1'] = process.argv.slice(2);
  const staying = setInterval(() => undefined, 1000);
  for (const git of ['auto', 'never'] as const) {
    for (const part of ['repository', 'sidecar'] as const) {
      const { failed, rounds } = await failActions(part, git, { every: Number(every) });
      console.log(`${part}, git: ${git}: ${rounds} calls failed, one at a time: ${[...failed].join(', ')}`);
    }
  }
  clearInterval(staying);
}
