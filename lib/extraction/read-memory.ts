import { readFileSync } from 'node:fs';

/** The memory of a process, in bytes. */
export interface MemoryOfProcess {
  readonly now: number;
  /** The most that it has had. */
  readonly peak: number;
}

/** Undefined where the process has ended, or this system does not say. */
export function readMemory(pid: number): MemoryOfProcess | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const now = figureOf(/^VmRSS:\s+(\d+) kB$/m.exec(status));
    const peak = figureOf(/^VmHWM:\s+(\d+) kB$/m.exec(status));
    return now === undefined || peak === undefined ? undefined : { now, peak };
  } catch {
    return undefined;
  }
}

const figureOf = (found: RegExpExecArray | null): number | undefined =>
  found?.[1] === undefined ? undefined : Number(found[1]) * 1024;
