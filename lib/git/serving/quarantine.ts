import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RepositoryUnreadable } from '../errors.js';
import type { Oid } from '../objects/objects.js';
import { yieldToLoop } from '../../scheduling/yield-to-loop.js';
import { readNames } from '../packs/pack-list.js';
import { isOutOfMemory } from '../program/git-bounds.js';
import { boundGit, type GitProgram } from '../program/git-program.js';
import { splitOutput } from '../program/split-output.js';
import { startGit, type StartedGit } from '../program/start-git.js';
import { keepReached, type KeptRange } from './keep-reached.js';
import { boundsOf, isBeyondBounds, pushInParts, PushUnfit, tooLargeToUnpack, type PushLimits } from './push-limits.js';

const mebibyte = 1024 * 1024;

/** Bytes of a commit or tag, and of a folder. git holds them whole. */
const largest: Readonly<Record<string, number>> = { commit: mebibyte, tag: mebibyte, tree: 8 * mebibyte };
/** Objects in one push: far more than its commits and changes need. */
const maxObjects = 50_000;
/** Objects that are named to git in one turn. */
const namedAtOnce = 2000;

/** How git takes in a pack: without a second thread, and with little beside what it is bound to. */
const intake = ['core.bigFileThreshold=1m', 'core.deltaBaseCacheLimit=16m', 'pack.threads=1'];
const settings = intake.flatMap((setting) => ['-c', setting]);

/**
 * Names of folders and files that git keeps for itself, among the checks of git-fsck(1). A pack that holds one is taken
 * in all the same, so that the file can be named. It is refused later.
 */
const namesToTell = ['hasDot', 'hasDotdot', 'hasDotgit', 'gitmodulesSymlink'];
const strictly = `--strict=${namesToTell.map((name) => `${name}=warn`).join(',')}`;

const configuration = '[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tlogAllRefUpdates = false\n';

/** A pack that was taken in. */
export interface TakenIn {
  /** Names of the files of packs, without their endings. */
  readonly packs: readonly string[];
  /** Set where a folder holds a name that git keeps for itself: the refusal of a push in which it cannot be found. */
  readonly gitsName: PushUnfit | undefined;
}

/** The objects of one push, in a repository of their own that borrows those of the served one. */
export class Quarantine {
  readonly #program: GitProgram;
  readonly #folder: string;
  readonly #limits: PushLimits;
  readonly #signal: AbortSignal;
  /** Aborted when git has worked on the push for too long. */
  readonly #late = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  private constructor(program: GitProgram, folder: string, limits: PushLimits, signal: AbortSignal) {
    this.#program = program;
    this.#folder = folder;
    this.#limits = limits;
    this.#signal = signal;
  }

  /**
   * Lays out a repository without objects.
   * @param folder is there and is empty
   * @param served the folder of the repository whose objects it borrows
   * @param signal ends all work in it
   */
  static async open(
    program: GitProgram,
    folder: string,
    served: string,
    limits: PushLimits,
    signal: AbortSignal,
  ): Promise<Quarantine> {
    await mkdir(join(folder, 'objects', 'info'), { recursive: true, mode: 0o700 });
    await mkdir(join(folder, 'objects', 'pack'), { mode: 0o700 });
    await mkdir(join(folder, 'refs'), { mode: 0o700 });
    const files = {
      HEAD: 'ref: refs/heads/main\n',
      config: configuration,
      'objects/info/alternates': `${join(served, 'objects')}\n`,
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o600 });
    return new Quarantine(program, folder, limits, signal);
  }

  /** Starts git on its objects, with bounded memory. It is ended when the push has taken too long. */
  readonly start = (parameters: readonly string[]): StartedGit => {
    const signal = AbortSignal.any([this.#signal, this.#late.signal]);
    return startGit(boundGit(this.#program, boundsOf(this.#limits)), this.#folder, parameters, signal);
  };

  /** Why git was ended, if it was: the error of a git says only that it has ended. */
  requireInTime(): void {
    this.#signal.throwIfAborted();
    if (this.#late.signal.aborted) throw tookTooLong();
  }

  /**
   * Waits for work of its gits. The error of one that was ended does not say why. One that has no more memory was given
   * too much to unpack.
   * @throws PushUnfit; the signal's reason; the errors of the work
   */
  async finish<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof RepositoryUnreadable) this.requireInTime();
      throw isBeyondBounds(error) ? tooLargeToUnpack() : error;
    }
  }

  /**
   * Leaves of its packs what the new head needs and the served one lacks.
   * @returns names of the files of packs, without their endings
   * @throws as `finish`; RepositoryUnreadable with git's message
   */
  keepReached(range: KeptRange): Promise<readonly string[]> {
    return this.finish(keepReached(this.start, this.#folder, range));
  }

  #endAfter(time: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#late.abort(), time).unref();
  }

  /** To be called once nothing of it is read any more. */
  close(): void {
    clearTimeout(this.#timer);
  }

  /**
   * Takes in a pack as it comes, and checks its objects one by one: their names, their form, and that nothing they refer
   * to is missing.
   * @throws PushUnfit; the source's errors; the signal's reason
   */
  async takeIn(source: AsyncIterable<Uint8Array>): Promise<TakenIn> {
    const bound = `--max-input-size=${this.#limits.bytes}`;
    const git = this.start([...settings, 'index-pack', '--stdin', strictly, '--fix-thin', '--threads=1', bound]);
    let said = '';
    git.stdout.on('data', (piece: Buffer) => (said = (said + piece.toString('latin1')).slice(-200)));
    try {
      const bytes = await feed(git, source);
      this.#endAfter(Math.min(this.#limits.time, timeToTakeIn(bytes)));
      const code = await git.ended;
      this.requireInTime();
      if (code !== 0) throw new PushUnfit(explainIntake(git.said(), this.#limits));
    } finally {
      git.kill();
      await git.ended;
    }
    this.#endAfter(this.#limits.time);
    const name = /^(?:pack|keep)\t([0-9a-f]{40})$/m.exec(said)?.[1];
    if (name === undefined) throw new RepositoryUnreadable('git names no pack that it took in.');
    const isWarnedOf = git.said() !== '';
    return { packs: [`pack-${name}`], gitsName: isWarnedOf ? await this.#findGitsName(`pack-${name}`) : undefined };
  }

  /** Checks a pack once more, with nothing let through: a pack can hold more warnings than are kept. */
  async #findGitsName(pack: string): Promise<PushUnfit | undefined> {
    const file = join(this.#folder, 'objects', 'pack', `${pack}.pack`);
    const git = this.start([...settings, 'index-pack', '--verify', '--strict', '--threads=1', file]);
    git.stdin.end();
    git.stdout.resume();
    const code = await git.ended;
    this.requireInTime();
    return code === 0 ? undefined : new PushUnfit(explainIntake(git.said(), this.#limits));
  }

  /**
   * Looks at the sizes of all objects of the packs before any of them is read.
   * @returns the files that are larger than one may be, with their sizes
   * @throws PushUnfit
   */
  async findTooLarge(packs: readonly string[]): Promise<ReadonlyMap<Oid, number>> {
    const indexes: Buffer[] = [];
    for (const pack of packs) {
      const index = join(this.#folder, 'objects', 'pack', `${pack}.idx`);
      // 28 bytes for each object, and the tables at its beginning and end.
      if ((await stat(index)).size > 2048 + 28 * maxObjects) throw tooManyObjects();
      indexes.push(await readFile(index));
    }
    const git = this.start(['cat-file', '--buffer', '--batch-check=%(objecttype) %(objectsize) %(objectname)']);
    for (const index of indexes) {
      for (const oids of readNames(index, namedAtOnce)) {
        git.stdin.write(`${oids.join('\n')}\n`);
        await yieldToLoop();
      }
    }
    const tooLarge = new Map<Oid, number>();
    for await (const line of splitOutput(git, 0x0a)) {
      const [type = '', size = '', oid = ''] = line.toString('latin1').split(' ');
      const bound = type === 'blob' ? this.#limits.file : (largest[type] ?? 0);
      if (Number(size) <= bound) continue;
      if (type !== 'blob') {
        const what = type === 'tree' ? 'folder' : type;
        throw new PushUnfit(`The ${what} ${oid} has ${size} bytes, and one has at most ${bound}. Make it smaller.`);
      }
      tooLarge.set(oid, Number(size));
    }
    return tooLarge;
  }
}

/**
 * Milliseconds that git may work on a pack after it has come. A few kilobytes of deltas can stand for gigabytes, and would
 * keep a core busy for as long as git may.
 */
export function timeToTakeIn(bytes: number): number {
  return 20_000 + Math.ceil(bytes / mebibyte) * 1000;
}

/** Writes as fast as git reads. It stops where git ends before it has read all. @returns how many bytes came */
async function feed(git: StartedGit, source: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  let hasEnded = false;
  const ended = git.ended.then(() => {
    hasEnded = true;
  });
  for await (const piece of source) {
    bytes += piece.length;
    if (hasEnded) continue; // The client sends the rest before it reads the answer.
    if (!git.stdin.write(piece)) {
      await Promise.race([ended, new Promise((resolve) => git.stdin.once('drain', resolve))]);
    }
  }
  git.stdin.end();
  return bytes;
}

function tookTooLong(): PushUnfit {
  return new PushUnfit(`The push takes too long to unpack. Push fewer commits at a time: ${pushInParts}`);
}

function tooManyObjects(): PushUnfit {
  return new PushUnfit(`A push has at most ${maxObjects} objects. Push fewer commits at a time: ${pushInParts}`);
}

/** git's checks of files that configure it, of all names (git-fsck(1)). */
const checksOfFiles = ['gitmodules', 'gitattributes'];

/** An object that git's checks refuse, and the check. */
const checked = /^error: object ([0-9a-f]{40}): ([a-zA-Z]{1,50}):/m;

function findChecked(said: string): { readonly oid: Oid; readonly check: string } | undefined {
  const [, oid = '', check = ''] = checked.exec(said) ?? [];
  return oid === '' ? undefined : { oid, check };
}

function explainCheck({ oid, check }: { readonly oid: Oid; readonly check: string }): string {
  const find = `Find it with: git rev-list --objects HEAD | grep ${oid}`;
  if (namesToTell.includes(check)) {
    return `The folder ${oid} of a commit holds a name that git keeps for itself, such as .git. Leave it out of the commits. ${find}`;
  }
  if (checksOfFiles.some((name) => check.startsWith(name))) {
    return `The push holds a file .gitmodules or .gitattributes that git does not take. Leave it out of the commits. ${find}`;
  }
  return `The object ${oid} of the push is not of the form that git gives it (${check}). Make its commits again. ${find}`;
}

/** A sentence about what git said. git's own words can quote anything, so they are not passed on. */
function explainIntake(said: string, { bytes, file }: PushLimits): string {
  if (said.includes('exceeds maximum allowed size')) {
    return `A push has at most ${bytes} bytes. Leave files of more than ${file} bytes out, or push fewer commits at a time: ${pushInParts}`;
  }
  const found = said.includes('fsck error') ? findChecked(said) : undefined;
  if (found !== undefined) return explainCheck(found);
  if (
    said.includes('unresolved delta') ||
    said.includes('missing') ||
    said.includes('did not receive expected object')
  ) {
    return 'The push lacks objects that its commits need. Fetch first; a shallow clone may need its whole history.';
  }
  if (isOutOfMemory(said)) return tooLargeToUnpack().message;
  if (said.includes('No space left')) return 'The disk of the service has no room for the push just now. Try later.';
  if (said.includes('fsck error')) return 'The push holds an object that is not of the form that git gives it.';
  return 'The pack of the push is damaged or ends too early. Push again.';
}
