import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Randomness } from '../domain/clock.js';
import { syncPath } from '../disk/sync-path.js';
import { systemErrorCode } from '../git/errors.js';
import type { Oid } from '../git/objects/objects.js';
import { isFull } from '../sidecar/fault.js';
import { adoptCommits } from './adopt-commits.js';
import type { TouchedDocument } from './find-pushed.js';
import { makeName } from './derived-folders.js';
import { namesIn } from './state.js';

const intentName = 'intent.json';
const oidPattern = /^[0-9a-f]{40}$/;
/** Milliseconds after which an intent is of no use: its answer is not kept either. */
const intentsKeptFor = 24 * 60 * 60 * 1000;

/** A push whose transaction was about to run. */
export interface PushIntent {
  readonly principalId: string;
  /** The head on which it was pushed. */
  readonly onto: Oid | null;
  readonly head: Oid;
  /** Name of the folder with its packs, in the push's folder. Null when there are none. */
  readonly packs: string | null;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface PushFolderOptions {
  /** The folder of all pushes. It need not exist. */
  readonly folder: string;
  readonly randomness: Randomness;
  readonly now: () => number;
  /** What a push did to documents. Null when it was not recorded, or when an erase took something of it away. */
  readonly findPushed: (principalId: string, head: Oid) => readonly TouchedDocument[] | null;
  /** The folder of a principal's derived repository. */
  readonly folderOf: (principalId: string) => string;
}

/**
 * The folders of what pushes send. A push is announced by a file in its folder before its transaction. When a process
 * ends before it took the commits over, the next one finds the file, and the answer that the transaction stored.
 */
export class PushFolders {
  readonly #options: PushFolderOptions;
  readonly #live = new Set<string>();
  readonly #announced = new Set<string>();
  /** Folders that could not be concluded when their turn came again. */
  readonly #failed = new Set<string>();
  /** Folders that an earlier process left, by their principal. */
  #left: Promise<Map<string, string[]>> | undefined;

  constructor(options: PushFolderOptions) {
    this.#options = options;
  }

  /** @returns a new folder, closed to other accounts */
  async open(): Promise<string> {
    const { folder, randomness } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, makeName(randomness));
    this.#live.add(path);
    await mkdir(path, { mode: 0o700 });
    return path;
  }

  /** Whether it is stored until a transaction ends. */
  isAnnounced(path: string): boolean {
    return this.#announced.has(path);
  }

  async drop(path: string): Promise<void> {
    this.#announced.delete(path);
    this.#failed.delete(path);
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
    this.#live.delete(path);
  }

  /** Writes the intent, durably. */
  async announce(path: string, intent: PushIntent): Promise<void> {
    this.#announced.add(path);
    const file = await open(join(path, intentName), 'wx', 0o600);
    try {
      await file.writeFile(JSON.stringify(intent));
      await file.sync();
    } finally {
      await file.close();
    }
    await syncPath(path);
    await syncPath(this.#options.folder);
  }

  /**
   * Makes the commits of a recorded push the head of the principal's repository, and then removes the folder. It stays
   * when that fails.
   * @returns whether they are its head
   */
  async conclude(path: string, intent: PushIntent): Promise<boolean> {
    const { findPushed, folderOf } = this.#options;
    const { principalId, onto, head, packs } = intent;
    const documents = findPushed(principalId, head);
    const from = packs === null ? null : join(path, packs);
    const isTaken =
      documents !== null && (await adoptCommits({ folder: folderOf(principalId), onto, head, packs: from, documents }));
    await this.drop(path);
    return isTaken;
  }

  /** The principals whose pushes were announced, and not concluded. */
  async listLeft(): Promise<readonly string[]> {
    return [...(await this.#findLeft()).keys()];
  }

  /**
   * Concludes the pushes that an earlier process announced for the principal, or that could not be concluded before. One
   * that fails is tried again at the next call, and the later ones with it. It is given up when it fails again, unless
   * the disk is full: main has its changes in any case.
   * @throws the failure
   */
  async concludeLeft(principalId: string): Promise<void> {
    const left = await this.#findLeft();
    const intents = [];
    for (const path of left.get(principalId) ?? []) {
      const intent = await readIntent(path);
      if (intent !== undefined) intents.push({ path, intent });
    }
    const waiting = intents.toSorted((a, b) => a.intent.at - b.intent.at);
    for (const [index, { path, intent }] of waiting.entries()) {
      left.set(
        principalId,
        waiting.slice(index).map((each) => each.path),
      );
      try {
        await this.conclude(path, intent);
      } catch (error) {
        if (this.#failed.has(path) && !isFull(error)) {
          left.set(
            principalId,
            waiting.slice(index + 1).map((each) => each.path),
          );
          await this.drop(path);
        } else this.#failed.add(path);
        throw error;
      }
    }
    left.delete(principalId);
  }

  /** Keeps an announced push for the next work on the repository, since it could not be concluded now. */
  async leave(path: string, { principalId }: PushIntent): Promise<void> {
    const left = await this.#findLeft();
    left.set(principalId, [...(left.get(principalId) ?? []), path]);
  }

  /** Removes what an earlier process left without announcing it, and what it announced long ago. */
  async sweep(): Promise<void> {
    const left = await this.#findLeft();
    for (const [principalId, paths] of left) {
      for (const path of paths) {
        const intent = await readIntent(path);
        if (intent !== undefined && intent.at + intentsKeptFor > this.#options.now()) continue;
        await this.drop(path);
        left.set(
          principalId,
          (left.get(principalId) ?? []).filter((each) => each !== path),
        );
      }
    }
  }

  #findLeft(): Promise<Map<string, string[]>> {
    this.#left ??= this.#lookForLeft().catch((error: unknown) => {
      this.#left = undefined;
      throw error;
    });
    return this.#left;
  }

  async #lookForLeft(): Promise<Map<string, string[]>> {
    const left = new Map<string, string[]>();
    const live = new Set(this.#live);
    for (const name of await namesIn(this.#options.folder)) {
      const path = join(this.#options.folder, name);
      if (live.has(path) || this.#live.has(path)) continue;
      const intent = await readIntent(path);
      if (intent === undefined) await this.drop(path);
      else left.set(intent.principalId, [...(left.get(intent.principalId) ?? []), path]);
    }
    return left;
  }
}

/** @returns undefined where there is none, or not a whole one */
async function readIntent(path: string): Promise<PushIntent | undefined> {
  try {
    const read = JSON.parse(await readFile(join(path, intentName), 'utf8')) as PushIntent;
    return oidPattern.test(read.head) ? read : undefined;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code !== undefined && code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    return undefined;
  }
}
