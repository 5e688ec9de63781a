import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../lib/config.js';
import type { CommandRequest } from '../lib/commands/command.js';
import { sendCommand, type CommandAnswer } from '../lib/commands/carrier/send-command.js';
import { printFault } from './print.js';

/** Milliseconds for which a command waits for another process that has the data folder and takes no commands. */
const timeout = 3000;
const pause = 50;

/**
 * Runs a command in the process that owns the data folder. That is the server, over its socket. Without a server, the
 * command takes the folder for itself. Either way the same table of commands is used.
 */
export async function askOwner(
  config: Config,
  request: CommandRequest,
  onProgress: (progress: unknown) => Promise<void> = async () => undefined,
  content?: AsyncIterable<Uint8Array>,
): Promise<CommandAnswer> {
  const { explainClosedFolder } = await import('../lib/disk/explain-obstacle.js');
  const closed = explainClosedFolder(config.data, '…');
  if (closed !== undefined) {
    const message = `${closed.message} ${closed.remedy}`;
    return { error: { code: 'INVALID_REQUEST', message, details: { reason: 'no_access' } } };
  }
  if (request.command !== 'init' && !existsSync(join(config.data, 'service.sqlite'))) {
    const { explainMissingFile } = await import('../lib/integrity/data-format.js');
    const missing = explainMissingFile(config.data);
    if (missing !== undefined) {
      return { error: { code: 'CONFLICT', message: missing, details: { reason: 'service_file_missing' } } };
    }
    const message = `There is no data in ${config.data}. \`cartulary start\` or \`cartulary init\` makes a workspace there; --data or CARTULARY_DATA names another folder.`;
    return { error: { code: 'INVALID_REQUEST', message, details: { reason: 'no_data', field: 'data' } } };
  }
  for (const deadline = Date.now() + timeout; ; await delay(pause)) {
    const answer =
      (await sendCommand(config.data, request, onProgress, content)) ??
      (await runHere(config, request, onProgress, content));
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) {
      const message = `Another process is using ${config.data} and takes no commands. Wait until it is done, or stop it.`;
      return { error: { code: 'UNAVAILABLE', message, details: { reason: 'data_in_use' } } };
    }
  }
}

/** @returns undefined when another process has the data folder */
async function runHere(
  config: Config,
  request: CommandRequest,
  onProgress: (progress: unknown) => Promise<void>,
  content: AsyncIterable<Uint8Array> | undefined,
): Promise<CommandAnswer | undefined> {
  const [{ DataFolderInUse }, { openService }, { urlOf }, { runCommand }] = await Promise.all([
    import('../lib/app/service.js'),
    import('../lib/app/open-service.js'),
    import('../lib/app/serve.js'),
    import('../lib/commands/carrier/run-command.js'),
  ]);
  let service;
  try {
    service = await openService({ ...config, upgrade: 'never' }, printFault);
  } catch (error) {
    if (error instanceof DataFolderInUse) return undefined;
    throw error;
  }
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const address = config.publicUrl ?? urlOf(config.host, config.port);
    return await runCommand(request, {
      host: service,
      server: null,
      address,
      onProgress,
      content,
      signal: stopping.signal,
      onFault: printFault,
    });
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    await service.close();
  }
}
