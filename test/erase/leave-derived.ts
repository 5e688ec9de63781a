import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseFolderLocation } from '../../lib/domain/location.js';
import { createGrant } from '../../lib/operations/grants/change-grant.js';
import { perform } from '../../lib/operations/perform.js';
import { addPrincipal } from '../../lib/operations/principals/add-principal.js';
import type { Workbench } from '../support/faults/workbench.js';
import { git } from '../support/git/fixture.js';
import { findTraces } from '../support/store/evidence.js';
import { operator } from '../support/store/service.js';

/** Principals who read parts of the erased world by git. */
export interface LeftDerived {
  /** Of them, the ones whose repositories hold the erased document. */
  readonly with: readonly string[];
  /** The one whose repository does not, and the repository's head. */
  readonly without: { readonly id: string; readonly head: string };
}

async function addReader(bench: Workbench, folder: string): Promise<string> {
  const { workspace } = bench;
  const input = { displayName: `reader of ${folder}`, kind: 'person' } as const;
  const { id } = (await perform(workspace, operator, addPrincipal, input)).result;
  const subject = { type: 'principal', id } as const;
  const location = parseFolderLocation(folder);
  await perform(workspace, operator, createGrant, { scopeType: 'folder', location, subject, role: 'reader' });
  return id;
}

/**
 * Leaves derived repositories with and without the erased document, and what processes leave that are killed: a
 * repository that was being made, what a push has sent, and one that was being deleted.
 */
export async function leaveDerived(bench: Workbench): Promise<LeftDerived> {
  const { derived: folder } = bench.paths;
  const { derived } = bench.workspace;
  const [whole, cutOff, other] = [
    await addReader(bench, 'archive'),
    await addReader(bench, 'archive/files'),
    await addReader(bench, 'imported'),
  ];
  for (const id of [whole, cutOff]) await derived.prepare(id);
  const { head } = await derived.prepare(other);
  const repository = join(folder, whole, 'repository.git');
  const pack = git(repository, ['pack-objects', '--all', '--stdout', '-q'], '');
  await rm(join(folder, cutOff, 'state'));
  await rename(join(folder, cutOff, 'repository.git'), join(folder, cutOff, 'making.git'));
  await writeFile(join(folder, cutOff, 'making.git', 'fast_import_crash_1'), 'wombat-dossier');
  await mkdir(join(folder, '.pushes', 'half'), { recursive: true });
  await cp(repository, join(folder, '.pushes', 'half'), { recursive: true });
  await writeFile(join(folder, '.pushes', 'half', 'objects', 'pack', 'tmp_pack_1'), pack);
  await cp(repository, join(folder, '.removed', 'half'), { recursive: true });
  assert.ok(findTraces(folder).length > 3, 'it is there before');
  return { with: [whole, cutOff], without: { id: other, head: head ?? '' } };
}

/** Only repositories with the erased document are gone. */
export function requireOthersLeft(folder: string, left: LeftDerived): void {
  for (const id of left.with) assert.ok(!existsSync(join(folder, id)), 'a repository that held it is gone');
  const repository = join(folder, left.without.id, 'repository.git');
  assert.equal(git(repository, ['rev-parse', 'refs/heads/main']).toString().trim(), left.without.head);
}
