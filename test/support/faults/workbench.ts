import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { schemaPath } from '../../../lib/app/upgrade.js';
import { makeAuditKey, makeSigner } from '../../../lib/audit/signed-checkpoint.js';
import { parseLocation } from '../../../lib/domain/location.js';
import { perform } from '../../../lib/operations/perform.js';
import { readDocument } from '../../../lib/operations/documents/read-document.js';
import { openWorkspace, type WorkspaceFiles } from '../../../lib/workspace/open-workspace.js';
import { createWorkspace, pathsOf } from '../../../lib/journal/workspace-files.js';
import type { Workspace } from '../../../lib/workspace/workspace.js';
import { Actor } from '../store/actor.js';
import { makeTestRandomness, operator, TestClock } from '../store/service.js';

/** The reports of survived faults. */
export interface ReportedFault {
  readonly what: string;
  readonly cause: unknown;
}

/**
 * One workspace on a disk that can fail on demand, opened and opened again on the same files. Its actor is the
 * operator, who may do everything.
 */
export class Workbench {
  readonly files: WorkspaceFiles;
  readonly clock: TestClock;
  /** The workspace's reports, in order. */
  readonly reported: ReportedFault[] = [];
  #workspace: Workspace | undefined;

  constructor(dataFolder: string, options: Partial<WorkspaceFiles>) {
    this.clock = new TestClock();
    const randomness = makeTestRandomness();
    const signer = makeSigner('acme', makeAuditKey(randomness));
    this.files = {
      dataFolder,
      migrations: schemaPath('sidecar'),
      git: 'auto',
      clock: this.clock,
      randomness,
      onFault: (what, cause) => void this.reported.push({ what, cause }),
      signerOf: () => signer,
      ...options,
    };
  }

  get paths(): ReturnType<typeof pathsOf> {
    return pathsOf(this.files.dataFolder ?? '', 'acme');
  }

  get workspace(): Workspace {
    if (this.#workspace === undefined) throw new Error('The workspace is not open.');
    return this.#workspace;
  }

  /** The operator's client. */
  get actor(): Actor {
    return new Actor(this.workspace, operator.principalId);
  }

  async open(): Promise<Workspace> {
    this.#workspace = await openWorkspace(this.files, 'acme');
    return this.#workspace;
  }

  async close(): Promise<void> {
    await this.#workspace?.close();
    this.#workspace = undefined;
  }

  async reopen(): Promise<Workspace> {
    await this.close();
    return this.open();
  }

  async remove(): Promise<void> {
    await this.close();
    await rm(this.files.dataFolder ?? '', { recursive: true, force: true });
  }
}

/** A workspace, new and open. */
export async function makeWorkbench(options: Partial<WorkspaceFiles> = {}): Promise<Workbench> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'cartulary-faults-'));
  const bench = new Workbench(dataFolder, options);
  await createWorkspace(bench.files, 'acme');
  await bench.open();
  return bench;
}

/** A document's text, whether it comes whole or as a stream. */
export async function readAll(actor: Actor, location: string, versionId?: string): Promise<string> {
  const input = { location: parseLocation(location), versionId, withContent: true };
  const { result } = await perform(actor.workspace, actor.caller, readDocument, input);
  if (result.openStream === null) return (result.bytes ?? Buffer.alloc(0)).toString();
  const pieces: Buffer[] = [];
  for await (const piece of (await result.openStream()) as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
