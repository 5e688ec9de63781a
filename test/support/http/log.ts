import type { Log } from '../../../lib/domain/log.js';
import type { Parsed } from './server.js';

export interface LogLine {
  readonly level: keyof Log;
  readonly fields: Readonly<Record<string, Parsed>>;
  readonly message: string;
}

/** A log that keeps its lines. */
export function keepLog(lines: LogLine[]): Log {
  const at =
    (level: LogLine['level']): Log['info'] =>
    (fields, message) =>
      void lines.push({ level, fields, message });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** A log without readers. */
export const noLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
