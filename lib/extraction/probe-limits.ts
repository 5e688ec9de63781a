import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { reserved, shell } from './system-limits.js';

const run = promisify(execFile);

/** What bounds the processes that read files on this machine. */
export interface ProbedLimits {
  readonly hasShell: boolean;
  /** Whether such a process can have the lowest priority. */
  readonly hasNice: boolean;
  /** Whether one that takes more memory than it may is refused it. */
  readonly keepsMemory: boolean;
  /** Whether the system takes the limit of processor time. */
  readonly keepsSeconds: boolean;
}

const mebibyte = 1024 * 1024;

/**
 * Tries the limits with short processes of its own.
 */
export async function probeLimits({ memory, seconds }: { memory: number; seconds: number }): Promise<ProbedLimits> {
  if (!existsSync(shell)) return { hasShell: false, hasNice: false, keepsMemory: false, keepsSeconds: false };
  const ask = (script: string, ...more: string[]): Promise<string> =>
    run(shell, ['-c', script, 'sh', ...more], { env: {}, timeout: 10_000 }).then(
      ({ stdout }) => stdout.trim(),
      () => '',
    );
  const data = String(Math.ceil((memory + reserved) / 1024));
  // It asks for more than it may have, and touches none of it. One that cannot start shows nothing.
  const pieces = Math.ceil((memory + reserved) / (256 * mebibyte)) + 1;
  const allocate = `
    const all = [];
    try { while (all.length < ${pieces}) all.push(Buffer.allocUnsafeSlow(${256 * mebibyte})); console.log('open'); }
    catch { console.log('bounded'); }`;
  const [nice, time, allocated] = await Promise.all([
    ask('command -v nice'),
    ask('ulimit -S -t "$1" 2>/dev/null && ulimit -S -t', String(seconds)),
    ask('ulimit -d "$1" 2>/dev/null; shift; exec "$@"', data, process.execPath, '-e', allocate),
  ]);
  return {
    hasShell: true,
    hasNice: nice !== '',
    keepsMemory: allocated === 'bounded',
    keepsSeconds: time === String(seconds),
  };
}
