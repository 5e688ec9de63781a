import assert from 'node:assert/strict';
import { runCommand, type RunOptions } from '../../lib/commands/carrier/run-command.js';
import type { CommandError } from '../../lib/commands/command.js';
import type { TestService } from '../support/store/service.js';

/** The answer of an import. */
export interface Brought {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly unchanged: number;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  readonly skipped_not_named?: number;
}

export interface Bringing {
  /** Called after each batch has begun, and not while the import counts its documents. */
  readonly onProgress?: (progress: object) => Promise<unknown>;
  readonly dataFolder?: string;
  /** Interrupts it. */
  readonly signal?: AbortSignal;
}

async function run(
  service: TestService,
  fields: Record<string, unknown>,
  { onProgress, dataFolder, ...more }: Bringing,
) {
  let now = 0;
  const host = {
    // Moves by itself, so that each step has progress to report.
    clock: { now: () => (now += 1000) },
    randomness: service.workspace.randomness,
    dataFolder: dataFolder ?? null,
    find: () => service.workspace,
    names: () => ['acme'],
  };
  const signal = more.signal ?? new AbortController().signal;
  const told = async (progress: object): Promise<void> => {
    if (!('counted' in progress)) await onProgress?.(progress);
  };
  const options = { host, server: null, address: '', signal, onProgress: told, onFault: () => undefined };
  const request = { command: 'import', fields: { into: 'wiki', ...fields } };
  return runCommand(request, options as unknown as RunOptions);
}

/** Imports in this process. @param fields of the command; `directory` among them */
export async function bring(
  service: TestService,
  fields: Record<string, unknown>,
  options: Bringing = {},
): Promise<Brought> {
  const answer = await run(service, fields, options);
  assert.ok('result' in answer, JSON.stringify(answer));
  return answer.result as Brought;
}

/** The same, where it has to be refused. */
export async function bringRefused(
  service: TestService,
  fields: Record<string, unknown>,
  options: Bringing = {},
): Promise<CommandError> {
  const answer = await run(service, fields, options);
  assert.ok('error' in answer, JSON.stringify(answer));
  return answer.error;
}
