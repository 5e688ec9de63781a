import { existsSync, rmSync } from 'node:fs';
import type { Config } from '../config.js';
import { Refusal } from '../domain/refusal.js';
import type { RestoreSource } from '../operations/workspaces/restore-workspace.js';
import { makeOperator } from '../commands/initialize.js';
import { presentRefusal } from '../commands/command-refusal.js';
import type { CommandAnswer } from '../commands/carrier/send-command.js';
import { openService, type OpeningSetting } from './open-service.js';
import { DataFolderInUse, type Service, type ServiceOptions } from './service.js';

/**
 * Restores a workspace into a data folder without a server. A folder made for it is deleted if that fails. Never throws
 * for faults of the source: the answer names them.
 */
export async function restoreInto(
  config: Pick<Config, 'data' | OpeningSetting>,
  source: RestoreSource,
  onFault: ServiceOptions['onFault'],
): Promise<CommandAnswer> {
  const isNew = !existsSync(config.data);
  let service: Service | undefined;
  try {
    service = await openService({ ...config, upgrade: 'never' }, onFault);
    const { name, journal } = await service.restore(source, makeOperator(service.randomness));
    const { head, chain } = journal.state;
    // From now on, `audit verify --recovered-at` takes this.
    const recovered = 'clone' in source ? { recovered_at: journal.reader.audit.find(1)?.version ?? null } : {};
    await service.close();
    return { result: { workspace: name, data: config.data, commit: head, audit: chain, ...recovered } };
  } catch (error) {
    await service?.close();
    if (isNew && service !== undefined) rmSync(config.data, { recursive: true, force: true });
    if (error instanceof DataFolderInUse) {
      const message = `${error.message} Stop the server first, or name another folder with --data.`;
      return { error: { code: 'UNAVAILABLE', message } };
    }
    if (!(error instanceof Refusal) || error.code === 'INTERNAL')
      throw error instanceof Refusal ? (error.cause ?? error) : error;
    return { error: presentRefusal(error) };
  }
}
