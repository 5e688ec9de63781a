import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { ConfigError, type Config } from '../lib/config.js';
import type { HealthReport } from '../lib/commands/operator/report-health.js';
import { sendCommand } from '../lib/commands/carrier/send-command.js';
import { addCommand, readConfig, type CalledWith } from './options.js';
import { printJson, printLine, refused } from './print.js';

/** Milliseconds between two questions. */
const pause = 200;

/** ready: for service managers and the health checks of containers. */
export function addReadyCommand(program: Command): void {
  const command = addCommand(program, {
    words: 'ready',
    description:
      'Ask the running server whether it can do its work. Exits with 0 when it is ready, and with 1 when it is not or no server runs.',
    example: 'cartulary ready --wait 60',
  }).option('--wait <seconds>', 'wait up to so long until it is ready');
  command.action(async () => {
    const options = command.opts<CalledWith>();
    const config = readConfig(options);
    const { health, isReady } = await waitUntilReady(config, readSeconds(options['wait']));
    const none = `No server runs on ${config.data}. --data or CARTULARY_DATA names another folder.`;
    if (options['json'] === true) printJson({ ready: isReady, health });
    else printLine(health === null ? none : isReady ? `It is ready.${describeLate(health)}` : describeUnready(health));
    if (!isReady) process.exitCode = refused;
  });
}

interface Found {
  readonly health: HealthReport | null;
  readonly isReady: boolean;
}

async function waitUntilReady(config: Config, seconds: number): Promise<Found> {
  for (const deadline = Date.now() + 1000 * seconds; ; await delay(pause)) {
    const health = await askForHealth(config.data);
    const isReady = health?.ready === true;
    if (isReady || Date.now() >= deadline) return { health, isReady };
  }
}

/** @throws ConfigError */
function readSeconds(text: string | boolean | undefined): number {
  if (text === undefined) return 0;
  if (typeof text === 'string' && /^\d{1,4}$/.test(text)) return Number(text);
  throw new ConfigError('--wait must be a whole number of seconds, up to 9999.');
}

/** The health of the server of a data folder; null where no server runs, or one that is older than this request. */
export async function askForHealth(data: string): Promise<HealthReport | null> {
  const answer = await sendCommand(data, { command: 'health.report', fields: {} }, async () => undefined);
  return answer !== undefined && 'result' in answer ? (answer.result as HealthReport) : null;
}

/** What is late although the service is ready; '' where nothing is. A server of another release may not say it. */
export function describeLate({ copy }: Partial<Pick<HealthReport, 'copy'>>): string {
  return copy === 'behind' ? ' Its copy elsewhere is behind: `cartulary follow status` says why.' : '';
}

/** `It is not ready: disk low, repository behind.` */
export function describeUnready({ journal, disk, repository, workspaces, copy = 'off' }: HealthReport): string {
  const words = { journal, disk, repository, workspaces, ...(copy === 'off' ? {} : { copy }) };
  const parts = Object.entries(words).filter(([, word]) => word !== 'ok');
  return `It is not ready: ${parts.map(([part, word]) => `${part} ${word}`).join(', ')}.`;
}
