import { readdirSync, readFileSync } from 'node:fs';

/** A process below this one. */
interface Child {
  readonly pid: number;
  /** Its command line, with blanks. */
  readonly command: string;
  /** The most bytes that were resident so far. */
  readonly peak: number;
}

/** Whether this system tells what its processes take. */
export const canWatchChildren = process.platform === 'linux';

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // it has ended meanwhile
  }
}

/** All processes of the machine with their parents. */
function readParents(): Map<number, number> {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const status = readOrNothing(`/proc/${name}/stat`);
    const parent = /^\S+ \(.*\) \S (\d+)/s.exec(status)?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  return parents;
}

/**
 * The processes in whose command line a text stands, with whatever parent: the one of an orphan is process 1.
 * @param text such as the path of the folder on which they work
 */
export function findProcesses(text: string): Child[] {
  return [...readParents().keys()]
    .map((pid) => {
      const command = readOrNothing(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
      const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readOrNothing(`/proc/${pid}/status`))?.[1] ?? '0';
      return { pid, command, peak: Number(kibibytes) * 1024 };
    })
    .filter(({ pid, command }) => pid !== process.pid && command.includes(text));
}

/** Below this process, at any depth. */
function findChildren(): Child[] {
  const parents = readParents();
  const isBelow = (pid: number): boolean => {
    for (let at = parents.get(pid); at !== undefined && at > 1; at = parents.get(at)) {
      if (at === process.pid) return true;
    }
    return false;
  };
  return findProcesses('').filter(({ pid }) => isBelow(pid));
}

/**
 * Watches the processes below this one while something is done.
 * @returns the most bytes that one of them had resident
 */
export async function watchChildren(work: () => Promise<unknown>): Promise<number> {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, ...findChildren().map((child) => child.peak));
  }, 20);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return peak;
}
