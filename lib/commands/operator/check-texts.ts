import { probeLimits, type ProbedLimits } from '../../extraction/probe-limits.js';
import type { Finding } from './finding.js';

/** How text is made of files. */
export interface TextSettings {
  readonly processes: number;
  /** Bytes of a process. */
  readonly memory: number;
  /** Seconds of a processor for one file. */
  readonly seconds: number;
}

const name = 'texts';

/** Whether the processes that read files of strangers are bounded by this machine. */
export async function checkTexts({ processes, memory, seconds }: TextSettings): Promise<Finding> {
  if (processes === 0) return { name, ok: true, message: 'not made of files, as configured' };
  return judgeLimits(await probeLimits({ memory, seconds }));
}

/** What follows from the limits that hold. */
export function judgeLimits({ hasShell, hasNice, keepsMemory, keepsSeconds }: ProbedLimits): Finding {
  if (!hasShell) {
    const message = 'there is no /bin/sh, so nothing but this program bounds the processes that read files';
    return { name, ok: false, message, remedy: `Install a shell. ${wayOut}` };
  }
  const missing = [
    ...(keepsMemory ? [] : ['memory (ulimit -d)']),
    ...(keepsSeconds ? [] : ['processor time (ulimit -t)']),
  ];
  if (missing.length > 0) {
    const message = `this system does not bound the ${missing.join(' and the ')} of the processes that read files`;
    return { name, ok: false, message, remedy: `Run the service on Linux, where both hold. ${wayOut}` };
  }
  if (!hasNice) {
    const message = 'there is no nice, so files are read at the priority of the service';
    return { name, ok: false, message, remedy: `Install it (coreutils, or busybox). ${wayOut}` };
  }
  return { name, ok: true, message: 'files are read by processes that this system bounds' };
}

const wayOut = 'Until then, `extract_processes` 0 has no text made of files of strangers.';
