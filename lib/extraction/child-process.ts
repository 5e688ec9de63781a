import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Extraction, ExtractionReason } from '../domain/extraction.js';
import { runCooperatively } from '../scheduling/run-cooperatively.js';
import { findThreadProgram } from '../scheduling/start-thread.js';
import { maxTextBytes } from './bounds.js';
import { checkAnswer, MessageReader, packMessage, type TextHead } from './child-messages.js';
import { readMemory } from './read-memory.js';
import { reserved, shell } from './system-limits.js';

/** What one file may take. */
export interface ExtractionBounds {
  /** Bytes of memory of the child. */
  readonly memory: number;
  /** Seconds of a processor. Time in which others have it does not count. */
  readonly seconds: number;
}

/** A file whose text is wanted. */
export interface FileToRead {
  readonly bytes: Buffer;
  readonly mediaType: string;
  /** Its name or location, for its ending. */
  readonly name: string;
  /** The charset of plain text that declares none and is no UTF-8. */
  readonly charset?: string | undefined;
}

/** What became of a file, and what that took. */
export interface Outcome {
  readonly extraction: Extraction;
  /** The most memory that is known of, in bytes. */
  readonly peak: number;
  /** Whether the file was the end of its process. */
  readonly isEnd: boolean;
}

/** The child ended for a reason outside of it. The file may be tried again. */
export class ChildLost extends Error {
  override readonly name = 'ChildLost';
}

/** Seconds of a processor that a child may have used before it reads one more file. */
const carriedOver = 3;
/** Milliseconds for one file, whatever the processor does. */
const backstop = 10 * 60 * 1000;
/** Milliseconds between two looks at the memory of a child, where the system does not bound it. */
const lookEvery = 20;
/** Characters of complaints that are kept: the words of V8 when it has no more memory stand at the start. */
const maxComplaint = 4096;

/**
 * The shell sets the limits for itself and becomes the child, at the lowest priority. A limit that the system does not
 * have is passed over.
 */
const limiter =
  '{ ulimit -c 0; ulimit -S -t "$1"; ulimit -H -t $(($1 + 5)); ulimit -d "$2"; } 2>/dev/null; shift 2; if command -v nice > /dev/null; then exec nice -n 19 "$@"; else exec "$@"; fi';

/** The program, what it may read, and the folder of the character maps. */
interface Program {
  readonly file: string;
  readonly readable: readonly string[];
  readonly maps: string;
}

/** The bundle has all that it needs beside it. Before the build, that is in the checkout. */
function findProgram(): Program {
  const file = fileURLToPath(findThreadProgram(new URL('./reading/extract-child.js', import.meta.url)));
  const folder = dirname(file) + sep;
  const maps = join(folder, 'pdfjs', 'cmaps') + sep;
  if (existsSync(maps)) return { file, readable: [folder], maps };
  const home = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  return { file, readable: [join(home, '..', '..') + sep], maps: join(home, 'cmaps') + sep };
}

let program: Program | undefined;

/** The flag of the permission model, by the release of Node. */
const permission = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission';

function commandOf({ memory, seconds }: ExtractionBounds, isLimited: boolean): readonly string[] {
  const { file, readable, maps } = (program ??= findProgram());
  // What is beside the heap gets a part: buffers, code and the program itself.
  const heap = Math.floor((memory * 0.6) / (1024 * 1024));
  const node = [
    process.execPath,
    permission,
    ...readable.map((each) => `--allow-fs-read=${each}*`),
    `--max-old-space-size=${heap}`,
    '--no-warnings',
    file,
    maps,
  ];
  if (!isLimited) return node;
  return [
    shell,
    '-c',
    limiter,
    'sh',
    String(Math.ceil(seconds) + carriedOver),
    String(Math.ceil((memory + reserved) / 1024)),
    ...node,
  ];
}

interface Work {
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
  readonly clock: NodeJS.Timeout;
}

/** A process that reads files, one after the other, within bounds. It ends with its first failure. */
export class ExtractionChild {
  readonly #child: ChildProcess;
  readonly #bounds: ExtractionBounds;
  readonly #answers = new MessageReader<TextHead>(maxTextBytes);
  readonly #watch: NodeJS.Timeout | undefined;
  #complaint = '';
  #work: Work | undefined;
  #peak = 0;
  #files = 0;
  #isOver = false;
  /** Whether it has used too much to read one more file within the bounds. */
  #isSpent = false;
  /** Why this process has killed it. */
  #killedFor: ExtractionReason | undefined;

  /**
   * @param options `isLimited`: whether the system is asked to bound it, as it is where it can. `isWatched`: whether this
   * process looks at its memory, as it does where the system may not
   */
  constructor(bounds: ExtractionBounds, options: { readonly isLimited: boolean; readonly isWatched: boolean }) {
    this.#bounds = bounds;
    const [file = '', ...parameters] = commandOf(bounds, options.isLimited);
    this.#child = spawn(file, parameters, { env: {}, cwd: sep, stdio: 'pipe', windowsHide: true });
    const { stdin, stdout, stderr } = this.#child;
    stdin?.on('error', () => undefined);
    stdout?.on('data', (piece: Buffer) => this.#take(piece)).on('error', () => undefined);
    stderr
      ?.on('data', (piece: Buffer) => {
        if (this.#complaint.length < maxComplaint) this.#complaint += piece.toString('latin1');
      })
      .on('error', () => undefined);
    this.#child.on('error', () => this.#end(null));
    this.#child.on('close', (_code, signal) => this.#end(signal));
    if (options.isWatched) this.#watch = setInterval(() => this.#look(), lookEvery).unref();
    this.#hold(false);
  }

  /** Whether it can read one more file. */
  get isUsable(): boolean {
    return !this.#isOver && !this.#isSpent && this.#work === undefined;
  }

  /** Files that it has begun to read. */
  get files(): number {
    return this.#files;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Reads a file. Only while it is usable. @throws ChildLost */
  read({ bytes, mediaType, name, charset }: FileToRead): Promise<Outcome> {
    this.#files += 1;
    this.#hold(true);
    return new Promise((resolve, reject) => {
      if (this.#isOver) {
        reject(new ChildLost('The process that reads files has ended.'));
        return;
      }
      const clock = setTimeout(() => this.#kill('too_long'), backstop).unref();
      this.#work = { resolve, reject, clock };
      const { stdin } = this.#child;
      for (const piece of packMessage({ mediaType, name, charset, size: bytes.length }, bytes)) stdin?.write(piece);
    });
  }

  /** Has it read no file after the present one. */
  retire(): void {
    this.#isSpent = true;
  }

  /** Ends it. A file that it reads is lost. */
  end(): void {
    this.#isSpent = true;
    this.#child.kill('SIGKILL');
  }

  /** While it is idle, it does not keep this process from ending. */
  #hold(isHeld: boolean): void {
    const ends = [this.#child, this.#child.stdin, this.#child.stdout, this.#child.stderr] as const;
    for (const each of ends as readonly ({ ref?(): void; unref?(): void } | null)[]) {
      if (isHeld) each?.ref?.();
      else each?.unref?.();
    }
  }

  #look(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#isOver) return;
    const found = readMemory(pid);
    if (found === undefined) return;
    this.#notePeak(found.peak);
    if (found.now > this.#bounds.memory) this.#kill('too_much_memory');
  }

  #notePeak(bytes: number): void {
    this.#peak = Math.max(this.#peak, bytes);
  }

  #kill(reason: ExtractionReason): void {
    this.#killedFor ??= reason;
    this.#child.kill('SIGKILL');
  }

  #take(piece: Buffer): void {
    try {
      const message = this.#answers.take(piece);
      if (message !== undefined) void this.#answer(message);
    } catch {
      this.#kill('damaged');
    }
  }

  async #answer({ head, bytes }: { readonly head: TextHead; readonly bytes: Buffer }): Promise<void> {
    const work = this.#work;
    try {
      const extraction = await runCooperatively(checkAnswer(head, bytes));
      // It may have ended meanwhile.
      if (work === undefined || work !== this.#work) return;
      this.#notePeak(Number.isFinite(head.memory) ? head.memory : 0);
      this.#notePeak(readMemory(this.#child.pid ?? 0)?.peak ?? 0);
      this.#isSpent ||= 'reason' in extraction;
      this.#isSpent ||= !(head.seconds < carriedOver && this.#peak < this.#bounds.memory / 2);
      this.#finish({ extraction, peak: this.#peak, isEnd: false });
      if (this.#isSpent) this.end();
    } catch {
      this.#kill('damaged');
    }
  }

  #finish(outcome: Outcome): void {
    const work = this.#work;
    this.#work = undefined;
    this.#hold(false);
    if (work === undefined) return;
    clearTimeout(work.clock);
    work.resolve(outcome);
  }

  #end(signal: NodeJS.Signals | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#watch);
    const reason = this.#killedFor ?? explainEnd(signal, this.#complaint);
    if (reason !== undefined) {
      this.#finish({ extraction: { reason }, peak: this.#peak, isEnd: true });
      return;
    }
    const work = this.#work;
    this.#work = undefined;
    clearTimeout(work?.clock);
    work?.reject(new ChildLost(`The process that reads files has ended${signal === null ? '' : ` by ${signal}`}.`));
  }
}

const ofMemory = /out of memory|allocation failed|heap limit|bad_alloc|mmap|OOM/i;

/** Why a child ended by itself while it read a file. Undefined where something outside has ended it. */
function explainEnd(signal: NodeJS.Signals | null, complaint: string): ExtractionReason | undefined {
  if (signal === 'SIGXCPU') return 'too_long';
  if (ofMemory.test(complaint)) return 'too_much_memory';
  // V8 and Node end so where they get no memory, and cannot say it any more.
  if (signal !== null && ['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV', 'SIGBUS'].includes(signal))
    return 'too_much_memory';
  return undefined;
}
