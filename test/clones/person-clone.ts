import assert from 'node:assert/strict';
import { join } from 'node:path';
import { runClient, type GitRun } from '../support/git/git-client.js';
import { fsck, git } from '../support/git/fixture.js';
import { commitsFrom, readHead, readStore, reachableFrom, type Store } from '../support/git/read-store.js';

/** Where a repository is fetched from. */
export interface Remote {
  readonly url: string;
  /** A key that opens it. */
  readonly key: string;
}

/** Runs git with a key beside this process, which may be the server that it talks to. */
export function runWith(key: string, folder: string, parameters: readonly string[]): Promise<GitRun> {
  return runClient(folder, ['-c', `http.extraHeader=Authorization: Bearer ${key}`, ...parameters]);
}

/** A bare clone that one person keeps, and everything that a fetch has to be true of. */
export class PersonClone {
  readonly folder: string;
  readonly #remote: Remote;
  head: string | null = null;

  private constructor(folder: string, remote: Remote) {
    this.folder = folder;
    this.#remote = remote;
  }

  static make(folder: string, name: string, remote: Remote): PersonClone {
    git(folder, ['init', '-q', '--bare', '-b', 'main', `${name}.git`]);
    return new PersonClone(join(folder, `${name}.git`), remote);
  }

  /**
   * Fetches into refs/heads/main.
   * @param isAnew whether the history may be another one than before
   * @returns false when the repository is not found
   */
  async fetch(isAnew: boolean): Promise<boolean> {
    const refspec = `${isAnew ? '+' : ''}refs/heads/*:refs/heads/*`;
    const parameters = ['fetch', '-q', '--prune', this.#remote.url, refspec];
    const { code, stderr } = await runWith(this.#remote.key, this.folder, parameters);
    if (code !== 0 && stderr.includes('not found')) return false;
    assert.equal(code, 0, stderr);
    this.head = readHead(this.folder);
    return true;
  }

  push(refspec: string, ...options: readonly string[]): Promise<GitRun> {
    return runWith(this.#remote.key, this.folder, ['push', ...options, this.#remote.url, refspec]);
  }

  /** All objects that its branch needs. @throws AssertionError when one is missing or damaged */
  readReachable(): Store {
    const store = readStore(this.folder);
    const oids = reachableFrom(store, this.head);
    return new Map([...store].filter(([oid]) => oids.has(oid)));
  }

  /** Whether the commit is its branch's newest one, or one before it. */
  isBehind(commit: string | null): boolean {
    return commit === null || commitsFrom(readStore(this.folder), this.head).has(commit);
  }

  fsck(): string {
    return fsck(this.folder);
  }
}
