import type { Connector, ConnectorState, RunOutcome, SourceFaultClass } from '../../domain/connector.js';

/** How a run ended, as far as the next one depends on it. */
export interface RunEnd {
  readonly outcome: RunOutcome;
  readonly fault: SourceFaultClass | null;
  /** In words, with the remedy. */
  readonly message: string | null;
  /** Seconds that the source asked to wait. */
  readonly retryAfter?: number | undefined;
  /** The service ends, and the run stays due. */
  readonly isDue?: boolean | undefined;
}

/** What a connector does after a run. */
export interface AfterRun {
  readonly state: ConnectorState;
  readonly stateReason: string | null;
  /** Milliseconds since 1970; null for none. */
  readonly nextRunAt: number | null;
  readonly failures: number;
  readonly idleRuns: number;
}

/** A retry mends none of these: the settings or the source must change first. */
const lasting: ReadonlySet<SourceFaultClass> = new Set(['auth', 'not_found', 'denied_egress', 'limit']);

const minute = 60_000;
/** Milliseconds until the next try, by the failures so far. */
const pauses = [1 * minute, 5 * minute, 30 * minute, 180 * minute] as const;
/** The longest wait that a source can ask for. Milliseconds. */
const maxPause = 24 * 60 * minute;
/** The interval grows by itself once in so many runs without a change, up to four times. */
const idleRunsInStep = 6;
const maxStretch = 4;

/** A connector never waits longer than these, or than for the end of its run. */
export const maxWait = { pause: maxPause, stretch: maxStretch } as const;

/** Milliseconds until the next try. @param failures at least one */
export function pauseAfter(failures: number): number {
  return pauses[Math.min(failures, pauses.length) - 1] ?? pauses[0];
}

/** When an active connector runs again, or why it does not. @param now milliseconds since 1970 */
export function decideNextRun(
  { interval, failures, idleRuns }: Pick<Connector, 'interval' | 'failures' | 'idleRuns'>,
  { outcome, fault, message, retryAfter, isDue }: RunEnd,
  now: number,
): AfterRun {
  const active = { state: 'active', stateReason: null, failures: 0, idleRuns: 0 } as const;
  switch (outcome) {
    case 'changed':
    case 'partial':
      return { ...active, nextRunAt: now + interval };
    case 'unchanged': {
      const idle = idleRuns + 1;
      const stretch = Math.min(maxStretch, 1 + Math.floor(idle / idleRunsInStep));
      return { ...active, idleRuns: idle, nextRunAt: now + stretch * interval };
    }
    case 'held':
      return { ...active, state: 'held', stateReason: message, nextRunAt: null };
    // The run itself may have ended the process, or not. The first time it is repeated at once.
    case 'interrupted':
      return {
        ...active,
        failures: failures + 1,
        idleRuns,
        nextRunAt: failures === 0 ? now : now + pauseAfter(failures),
      };
    case 'cancelled':
      return { ...active, failures, idleRuns, nextRunAt: isDue === true ? now : now + interval };
    case 'failed': {
      const failed = { failures: failures + 1, idleRuns: 0 };
      if (fault !== null && lasting.has(fault)) {
        return { ...failed, state: 'stopped', stateReason: message, nextRunAt: null };
      }
      const asked = Math.min((retryAfter ?? 0) * 1000, maxPause);
      return { ...active, ...failed, nextRunAt: now + Math.max(pauseAfter(failures + 1), asked) };
    }
  }
}
