import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseFolderLocation } from '../../lib/domain/location.js';
import type { Role } from '../../lib/domain/role.js';
import type { PreparedRepository } from '../../lib/derived/served-repository.js';
import { createGrant, revokeGrant } from '../../lib/operations/grants/change-grant.js';
import { perform } from '../../lib/operations/perform.js';
import { addPrincipal } from '../../lib/operations/principals/add-principal.js';
import type { WorkspaceFiles } from '../../lib/workspace/open-workspace.js';
import { makeWorkbench, type Workbench } from '../support/faults/workbench.js';
import { git } from '../support/git/fixture.js';
import { makeTestRandomness, operator } from '../support/store/service.js';

/** A workspace on disk with principals who read parts of it by git. */
export class DerivedBench {
  readonly bench: Workbench;

  constructor(bench: Workbench) {
    this.bench = bench;
  }

  static async open(options: Partial<WorkspaceFiles> = {}): Promise<DerivedBench> {
    return new DerivedBench(await makeWorkbench(options));
  }

  /** The same files, as another process finds them. */
  async reopen(seed: string, options: Partial<WorkspaceFiles> = {}): Promise<void> {
    await this.bench.close();
    Object.assign(this.bench.files, { randomness: makeTestRandomness(seed), ...options });
    await this.bench.open();
  }

  get derived() {
    return this.bench.workspace.derived;
  }

  get folder(): string {
    return this.bench.paths.derived;
  }

  async person(role: Role, folder: string): Promise<string> {
    const { workspace } = this.bench;
    const { id } = (
      await perform(workspace, operator, addPrincipal, { displayName: `${role} of ${folder}`, kind: 'person' })
    ).result;
    await this.grant(id, role, folder);
    return id;
  }

  async grant(id: string, role: Role, folder: string): Promise<void> {
    await perform(this.bench.workspace, operator, createGrant, this.#grant(id, role, folder));
  }

  async revoke(id: string, role: Role, folder: string): Promise<void> {
    await perform(this.bench.workspace, operator, revokeGrant, this.#grant(id, role, folder));
  }

  #grant(id: string, role: Role, folder: string) {
    const subject = { type: 'principal', id } as const;
    return { scopeType: 'folder', location: parseFolderLocation(folder), subject, role } as const;
  }

  /** The text of a file in the newest commit of a prepared repository. */
  read({ path, head }: PreparedRepository, file: string): string {
    assert.ok(head !== null);
    return git(path, ['show', `${head}:${file}`]).toString();
  }

  /** The commits of a prepared repository. */
  count({ path, head }: PreparedRepository): number {
    return Number(git(path, ['rev-list', '--count', head ?? '']).toString());
  }

  /** Names in a folder beside the repositories. */
  list(name: string): Promise<string[]> {
    return readdir(join(this.folder, name));
  }

  /** Whether the repository holds what is known of its principal. In a transaction, as a record asks. */
  isCurrent(prepared: PreparedRepository): Promise<boolean> {
    const { journal } = this.bench.workspace;
    return journal.write({ isRecordOnly: true, run: ({ tables }) => this.derived.isCurrent(tables, prepared) });
  }

  has(principalId: string): boolean {
    return existsSync(join(this.folder, principalId));
  }

  /** Files and folders below the folder that other accounts may open. */
  async findOpen(folder = this.folder): Promise<string[]> {
    const found: string[] = [];
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (((await stat(path)).mode & 0o077) !== 0) found.push(path);
      if (entry.isDirectory()) found.push(...(await this.findOpen(path)));
    }
    return found;
  }

  close(): Promise<void> {
    return this.bench.remove();
  }
}
