import type { Connector } from '../../domain/connector.js';
import { invalidRequest } from '../../domain/refusal.js';
import type { Connection, ConnectorSources } from '../../workspace/connector-schedule.js';
import { requireVisible } from '../require-visible.js';

/** Bytes of settings as JSON. */
const maxSettingsBytes = 16 * 1024;
/** Levels of objects and lists in settings. */
const maxDepth = 8;
/** Characters of the line that describes settings. */
const maxDescriptionLength = 300;

const minute = 60 * 1000;
/** Milliseconds between two runs. */
export const intervals = { least: 5 * minute, usual: 60 * minute, most: 30 * 24 * 60 * minute } as const;

/**
 * Checks a connection before anything of it is stored.
 * @returns one line for people about it
 * @throws Refusal INVALID_REQUEST `bad_settings`
 */
export async function checkConnection(sources: ConnectorSources, connection: Connection): Promise<string> {
  requireBounded(connection.settings);
  await sources.check(connection);
  const described = await sources.describe(connection);
  return described.slice(0, maxDescriptionLength).toWellFormed();
}

function requireBounded(settings: Connector['settings']): void {
  requireVisibleTexts(settings);
  if (Buffer.byteLength(JSON.stringify(settings)) > maxSettingsBytes) {
    const message = `The settings have more than ${maxSettingsBytes} bytes.`;
    throw invalidRequest('bad_settings', message, { field: 'settings' });
  }
}

/** Settings are shown to others, who decide by what they see. */
function requireVisibleTexts(settings: unknown): void {
  let level: unknown[] = [settings];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) {
      throw invalidRequest('bad_settings', `Settings nest at most ${maxDepth} deep.`, { field: 'settings' });
    }
    for (const value of level) if (typeof value === 'string') requireVisible(value, { field: 'settings' });
    level = level.flatMap((value): unknown[] =>
      typeof value === 'object' && value !== null
        ? [...Object.keys(value), ...(Object.values(value) as unknown[])]
        : [],
    );
  }
}

/** @throws Refusal INVALID_REQUEST `bad_field` */
export function requireInterval(interval: number): void {
  if (Number.isSafeInteger(interval) && interval >= intervals.least && interval <= intervals.most) return;
  const [least, most] = [intervals.least / minute, intervals.most / minute];
  throw invalidRequest('bad_field', `A connector runs every ${least} to ${most} minutes.`, { field: 'interval' });
}
