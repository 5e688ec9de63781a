import { randomFillSync } from 'node:crypto';
import { pino, type DestinationStream, type Logger } from 'pino';
import type { Config } from '../config.js';
import type { Clock, Randomness } from '../domain/clock.js';
import type { TraceContext } from '../http/trace-context.js';
import { escapeJson, showLine } from '../domain/visible-text.js';

/** The system's time. */
export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

/** The system's randomness, drawn in pages: a system call for each record would cost more than the record. */
export function makeSystemRandomness(): Randomness {
  const pool = Buffer.alloc(8192);
  let used = pool.length;
  return {
    bytes(count) {
      if (count > pool.length) return randomFillSync(Buffer.alloc(count));
      if (used + count > pool.length) {
        randomFillSync(pool);
        used = 0;
      }
      const bytes = Buffer.from(pool.subarray(used, used + count));
      pool.fill(0, used, used + count);
      used += count;
      return bytes;
    },
  };
}

/** How a line of the log is written: as JSON for machines, or short for the person at the terminal. */
export type LogForm = 'json' | 'short';

/**
 * The log: one line of JSON an entry, to standard error, because standard output is for answers. Lines leave together,
 * at the latest after a quarter of a second. A system call for each would cost a request a twentieth.
 */
export function makeLog(
  level: Config['logLevel'],
  form: LogForm = 'json',
  destination: DestinationStream = pino.destination({ dest: 2, sync: false, minLength: 8192, periodicFlush: 250 }),
): Logger {
  // A terminal shows the lines, too, and pino leaves it the controls above ASCII.
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: nameTrace },
      serializers: { err: describeFault },
      hooks: { streamWrite: form === 'json' ? escapeJson : shorten },
    },
    destination,
  );
}

/** Gives the members of a caller's trace the names that OpenTelemetry's conventions have for logs. */
function nameTrace(fields: Record<string, unknown>): Record<string, unknown> {
  if (fields['trace'] === undefined) return fields;
  const { trace, ...others } = fields as { readonly trace: TraceContext };
  return { ...others, trace_id: trace.traceId, span_id: trace.spanId };
}

/** Writes the waiting lines now: work follows that lets nothing else run for long. */
export function writeOut(log: Logger): void {
  const { [pino.symbols.streamSym]: stream } = log as unknown as Record<symbol, { flushSync?: () => void } | undefined>;
  stream?.flushSync?.();
}

/** `22:11:27 info GET /v1/health 200 in 3.1 ms`: for a try-out. Any text of a client is escaped. */
function shorten(line: string): string {
  const { level, time, msg, err, id: _, ...facts } = JSON.parse(line) as Record<string, unknown>;
  const clock = String(time).slice(11, 19);
  const { method, route, tool, status, ms } = facts;
  const what =
    msg === 'request'
      ? `${String(method)} ${String(tool ?? route)} ${String(status)} in ${String(ms)} ms`
      : [msg, ...Object.entries(facts).map(([name, value]) => `${name}=${String(value)}`)].join(' ');
  const { message = '' } = (err ?? {}) as { message?: string };
  return `${showLine(`${clock} ${String(level)} ${what}${message === '' ? '' : `: ${message}`}`)}\n`;
}

/** Maximum of characters of a text in the log: an error may quote a caller's text of any length. */
const maxTextLength = 8000;

/** The log's description of an error: its kind, its origin, and its short facts. */
function describeFault(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? cut(error) : String(error).slice(0, maxTextLength);
  const { type, message, stack, ...facts } = pino.stdSerializers.err(error);
  const short = Object.entries(facts as Readonly<Record<string, unknown>>).filter(([, value]) =>
    /^(?:string|number|boolean)$/.test(typeof value),
  );
  const kept = short.slice(0, maxFacts).map(([name, value]) => [name, typeof value === 'string' ? cut(value) : value]);
  return { type, message: cut(message), stack: cut(stack), ...Object.fromEntries(kept) };
}

const maxFacts = 20;

const cut = (text: string): string =>
  text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength)}… (${text.length} characters)`;
