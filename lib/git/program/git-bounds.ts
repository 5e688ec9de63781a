/** What one git may take that reads objects which a stranger chose. */
export interface GitBounds {
  /** Bytes of memory, all in all. What it only maps from packs does not count. */
  readonly memory: number;
  /** Bytes that it asks for at once. */
  readonly allocation: number;
  /** Seconds of a processor. Time in which it waits for its reader does not count. */
  readonly time: number;
}

const mebibyte = 1024 * 1024;

/** What git takes beside the numbers of objects: two of the largest ones that it unpacks, and its caches. */
const leastMemory = 448 * mebibyte;
/** Bytes that git remembers of one object while it takes a pack in, checks it or walks through a history. */
const memoryOfObject = 256;
/** Bytes of packs for which git has a second. It unpacks some megabytes in a second, on a slow machine one. */
const bytesInSecond = 256 * 1024;

/** What a git works on. */
export interface ForeignExtent {
  readonly objects: number;
  /** Bytes of its packs and other files. */
  readonly bytes: number;
}

/**
 * Bounds that let an honest repository of this extent pass, on a slow machine too. What a hostile one takes is in
 * proportion to the bytes that it has, beside a fixed sum.
 * @param leastTime seconds for the smallest one
 */
export function boundsFor({ objects, bytes }: ForeignExtent, leastTime: number): GitBounds {
  return {
    memory: leastMemory + objects * memoryOfObject,
    allocation: 256 * mebibyte + objects * memoryOfObject,
    time: leastTime + Math.ceil(bytes / bytesInSecond),
  };
}

/** Settings of every such git: no second thread, and little beside what it has to hold. */
export const modestSettings: readonly string[] = [
  'core.bigFileThreshold=1m',
  'core.deltaBaseCacheLimit=16m',
  'pack.threads=1',
  'pack.windowMemory=32m',
  'pack.deltaCacheSize=16m',
].flatMap((setting) => ['-c', setting]);

/**
 * The shell sets the limits for itself, and becomes git. The limit of memory is that of data (setrlimit(2)), since the
 * one of addresses would count the packs that git maps. What has used up its time is ended by SIGXCPU, and five seconds
 * later for good; the softer limit is set first, because no limit may be softer than the hard one. A limit that the
 * system does not have is passed over.
 */
const limiter =
  '{ ulimit -c 0; ulimit -S -t "$1"; ulimit -H -t $(($1 + 5)); ulimit -d "$2"; } 2>/dev/null; shift 2; exec "$@"';

/** A command that runs another one within its bounds. */
export function boundCommand(
  file: string,
  parameters: readonly string[],
  { memory, time }: GitBounds,
): [file: string, parameters: readonly string[]] {
  if (process.platform === 'win32') return [file, parameters];
  const kibibytes = String(Math.ceil(memory / 1024));
  return ['/bin/sh', ['-c', limiter, 'sh', String(time), kibibytes, file, ...parameters]];
}

/** git's words where it gets no more memory. */
const wordsOfMemory = ['attempting to allocate', 'out of memory', 'cannot allocate memory', 'mmap failed'];

/** Whether git gave up since it got no more memory. */
export function isOutOfMemory(said: string): boolean {
  return wordsOfMemory.some((words) => said.toLowerCase().includes(words));
}

/**
 * Which bound a git has met, as the end of a sentence; undefined where it ended for another reason.
 * @param signal what ended it, if a signal did
 */
export function explainBound(bounds: GitBounds, signal: NodeJS.Signals | null, said: string): string | undefined {
  if (signal === 'SIGXCPU') return `git has worked on it for ${bounds.time} seconds, and goes no further.`;
  if (!isOutOfMemory(said)) return undefined;
  const most = Math.floor(bounds.memory / mebibyte);
  return `it holds something for which git needs more than ${most} MiB of memory. Where its large files are meant, run "git -c core.bigFileThreshold=1m repack -a -d -F" in the repository, and try again.`;
}
