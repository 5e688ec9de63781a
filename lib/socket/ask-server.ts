import type { ServerFacts } from './command.js';
import type { HealthReport } from './report-health.js';
import { sendCommand } from './send-command.js';

/** The running server's facts about itself; undefined where none answers. */
export async function askServer(dataFolder: string): Promise<ServerFacts | undefined> {
  const answer = await sendCommand(dataFolder, { command: 'server', fields: {} }, async () => undefined).catch(
    () => undefined,
  );
  return answer !== undefined && 'result' in answer ? (answer.result as ServerFacts) : undefined;
}

/** The running server's word on its health; undefined where none answers. */
export async function askHealth(dataFolder: string): Promise<HealthReport | undefined> {
  const request = { command: 'health.report', fields: {} };
  const answer = await sendCommand(dataFolder, request, async () => undefined).catch(() => undefined);
  return answer !== undefined && 'result' in answer ? (answer.result as HealthReport) : undefined;
}
