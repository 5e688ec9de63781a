import { existsSync, rmSync } from 'node:fs';
import type { Config } from '../config.js';
import { Refusal } from '../domain/refusal.js';
import type { RestoreSource } from '../operations/workspaces/restore-workspace.js';
import { makeOperator } from '../socket/initialize.js';
import { presentRefusal } from '../socket/present-refusal.js';
import type { CommandAnswer } from '../socket/send-command.js';
import { openService } from './open-service.js';
import { DataFolderInUse, type Service, type ServiceOptions } from './service.js';

/**
 * Brings a workspace into a data folder that no server has; one that had to be made for it goes again where that fails.
 * Never throws for what is wrong with the source: that is the answer.
 */
export async function restoreInto(
  config: Pick<Config, 'git' | 'data'>,
  source: RestoreSource,
  onFault: ServiceOptions['onFault'],
): Promise<CommandAnswer> {
  const isNew = !existsSync(config.data);
  let service: Service | undefined;
  try {
    service = await openService(config, onFault);
    const { name, journal } = await service.restore(source, makeOperator(service.randomness));
    const { head, chain } = journal.state;
    // What `audit verify --recovered-at` asks for from now on.
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
