import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runClient, type GitRun } from '../support/git/git-client.js';
import { fsck } from '../support/git/fixture.js';
import { commitsFrom, filesOf, readHead, readStore } from '../support/git/read-store.js';
import { runProgram } from '../support/processes/run-program.js';
import { until } from '../support/until.js';
import type { GitTally } from './git-campaign.js';

/** Where the server of this round answers. */
export interface Place {
  /** The workspace's address for git. */
  readonly url: string;
  readonly port: number;
  /** Whether its disk may be full: then it need not do what it is asked. */
  mayBeFull(this: void): boolean;
}

/** Somebody who works until their server is killed, and then finds out what became of it. */
export interface Participant {
  readonly name: string;
  /** Texts by path that are there for certain, of all documents that this actor alone writes. */
  readonly known: ReadonlyMap<string, string>;
  /** Texts of erased documents. */
  readonly erased: readonly string[];
  work(place: Place, random: () => number, isOver: () => boolean): Promise<void>;
  /** Finds out what became of what was not answered. */
  settle(place: Place, admin: string): Promise<void>;
  /** @param all what everybody knows */
  check(place: Place, all: ReadonlyMap<string, string>): Promise<void>;
}

/** What lies in a folder from the beginning, so that it can be fetched. */
export const seedText = 'seed';

/** Runs git with a key. */
function runWith(key: string, folder: string, ...parameters: readonly string[]): Promise<GitRun> {
  return runClient(folder, ['-c', `http.extraHeader=Authorization: Bearer ${key}`, ...parameters]);
}

/** Asks REST. @returns null for a document that is not there */
async function readDocument(
  { port }: Place,
  key: string,
  path: string,
): Promise<{ readonly id: string; readonly content: string } | null> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/documents/${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const said = (await answer.json()) as { id: string; content: string };
  if (answer.status === 404) return null;
  assert.equal(answer.status, 200, JSON.stringify(said));
  return said;
}

const read = async (place: Place, key: string, path: string): Promise<string | null> =>
  (await readDocument(place, key, path))?.content ?? null;

/** The number of versions of a document. */
async function countVersions({ port }: Place, key: string, path: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/history?limit=200&location=${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { items } = (await answer.json()) as { items: { type: string }[] };
  return items.filter(({ type }) => type === 'version').length;
}

abstract class Person implements Participant {
  readonly known = new Map<string, string>();
  readonly erased: string[] = [];
  readonly name: string;
  protected readonly key: string;
  protected readonly tally: GitTally;
  protected serial = 0;

  constructor(name: string, key: string, tally: GitTally) {
    this.name = name;
    this.key = key;
    this.tally = tally;
  }

  async work(place: Place, random: () => number, isOver: () => boolean): Promise<void> {
    // The first failure is the server's end.
    while (!isOver() && (await this.step(place, random))) this.serial += 1;
    this.serial += 1;
  }

  /** @returns whether it was answered */
  protected abstract step(place: Place, random: () => number): Promise<boolean>;
  abstract settle(place: Place, admin: string): Promise<void>;
  abstract check(place: Place, all: ReadonlyMap<string, string>): Promise<void>;
}

/** Writes documents by REST. */
export class Writer extends Person {
  readonly #folder: string;
  #doubt: { readonly path: string; readonly text: string } | undefined;

  constructor(key: string, folder: string, tally: GitTally) {
    super(`writer of ${folder}`, key, tally);
    this.#folder = folder;
  }

  protected async step({ port, mayBeFull }: Place, random: () => number): Promise<boolean> {
    const path = `${this.#folder}/written/${Math.floor(random() * 40)}.md`;
    const text = `${this.name} ${this.serial}`;
    const isNew = !this.known.has(path);
    this.#doubt = { path, text };
    try {
      const place = `http://127.0.0.1:${port}/v1/documents${isNew ? '' : `/${path}`}`;
      const answer = await fetch(place, {
        method: isNew ? 'POST' : 'PUT',
        headers: {
          authorization: `Bearer ${this.key}`,
          'content-type': 'application/json',
          ...(isNew ? { 'idempotency-key': `${this.#folder}-${this.serial}` } : { 'if-match': '*' }),
        },
        body: JSON.stringify({ content: text, ...(isNew ? { location: path } : {}) }),
      });
      const said = await answer.text();
      if (answer.status >= 500 && mayBeFull()) return false;
      assert.ok(answer.ok, `${path}: ${said}`);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return false;
    }
    this.known.set(path, text);
    this.#doubt = undefined;
    this.tally.writes += 1;
    return true;
  }

  async settle(place: Place, admin: string): Promise<void> {
    const { path, text } = this.#doubt ?? { path: '', text: '' };
    this.#doubt = undefined;
    if (path !== '' && (await read(place, admin, path)) === text) this.known.set(path, text);
    for (const [at, known] of this.known) assert.equal(await read(place, admin, at), known, `${at} was acknowledged`);
  }

  async check(): Promise<void> {}
}

/** Pushes a change of one file and a new one, together. */
export class Pusher extends Person {
  readonly #folder: string;
  readonly #tree: string;
  /** Names of the pushes that are done, and one that is not known. */
  readonly #done: string[] = [];
  #doubt: string | undefined;

  constructor(key: string, folder: string, tree: string, tally: GitTally) {
    super(`pusher of ${folder}`, key, tally);
    this.#folder = folder;
    this.#tree = tree;
    this.known.set(`${folder}/seed.md`, seedText);
  }

  get #shared(): string {
    return `${this.#folder}/all.md`;
  }

  protected async step(place: Place): Promise<boolean> {
    if (!existsSync(join(this.#tree, '.git'))) {
      const { code } = await runWith(this.key, '/', 'clone', '-q', place.url, this.#tree);
      if (code !== 0) return false;
    }
    const git = (...parameters: readonly string[]): Promise<GitRun> => runWith(this.key, this.#tree, ...parameters);
    if ((await git('fetch', '-q', place.url, 'main')).code !== 0) return this.#broken();
    assert.equal((await git('reset', '-q', '--hard', 'FETCH_HEAD')).code, 0);
    const name = `push-${this.serial}`;
    await mkdir(join(this.#tree, this.#folder), { recursive: true });
    await writeFile(join(this.#tree, this.#shared), `${this.name}: ${name}\n`);
    await writeFile(join(this.#tree, this.#folder, `${name}.md`), `${this.name}: ${name}, new\n`);
    await git('add', '.');
    assert.equal((await git('commit', '-q', '-m', name)).code, 0);
    this.#doubt = name;
    this.tally.pushing += 1;
    const { code, stderr } = await git('push', '-q', place.url, 'HEAD:main');
    this.tally.pushing -= 1;
    if (code === 0) {
      this.#note(name);
      this.tally.pushes += 1;
      return true;
    }
    // Others write meanwhile: then the push is no fast-forward any more, which git says.
    if (stderr.includes('rejected')) {
      this.#doubt = undefined;
      return true;
    }
    return this.#broken();
  }

  #broken(): boolean {
    this.tally.broken += 1;
    return false;
  }

  #note(name: string): void {
    this.#done.push(name);
    this.#doubt = undefined;
    this.known.set(this.#shared, `${this.name}: ${name}\n`);
    this.known.set(`${this.#folder}/${name}.md`, `${this.name}: ${name}, new\n`);
  }

  async settle(place: Place, admin: string): Promise<void> {
    const name = this.#doubt;
    if (name !== undefined) {
      const isNewThere = (await read(place, admin, `${this.#folder}/${name}.md`)) !== null;
      const isChanged = (await read(place, admin, this.#shared)) === `${this.name}: ${name}\n`;
      assert.equal(isNewThere, isChanged, `${this.name}: half of ${name} is there`);
      if (isNewThere) this.tally.doneUnanswered += 1;
      // The client sends it again, as people do.
      const { code, stderr } = await runWith(this.key, this.#tree, 'push', '-q', place.url, 'HEAD:main');
      if (isNewThere) assert.equal(code, 0, `${this.name}: ${name} was done and is refused now: ${stderr}`);
      if (isNewThere || code === 0) this.#note(name);
      else assert.match(stderr, /rejected/, `${this.name}: ${name}`);
      this.#doubt = undefined;
    }
    for (const [at, known] of this.known) assert.equal(await read(place, admin, at), known, `${at} was acknowledged`);
    if (this.#done.length === 0) return;
    const versions = await countVersions(place, admin, this.#shared);
    assert.equal(versions, Math.min(this.#done.length, 200), `${this.name}: the versions of ${this.#shared}`);
  }

  async check(): Promise<void> {}
}

/** Fetches into a bare clone, always forwards. */
export class Cloner extends Person {
  readonly #folder: string;
  readonly #clone: string;
  #head: string | null = null;

  constructor(key: string, folder: string, clone: string, tally: GitTally) {
    super(`cloner of "${folder}"`, key, tally);
    this.#folder = folder;
    this.#clone = clone;
  }

  protected async step(place: Place): Promise<boolean> {
    if ((await this.#fetch(place)) === '') {
      this.tally.fetches += 1;
      return true;
    }
    this.tally.broken += 1;
    return false;
  }

  /** The workspace's own history, for approvers of the root, is another one after an erase. */
  get #isOwn(): boolean {
    return this.#folder === '';
  }

  /** @returns what git complains of */
  async #fetch({ url }: Place): Promise<string> {
    if (!existsSync(this.#clone)) await runClient('/', ['init', '-q', '--bare', '-b', 'main', this.#clone]);
    const refspec = `${this.#isOwn ? '+' : ''}refs/heads/*:refs/heads/*`;
    const { code, stderr } = await runWith(this.key, this.#clone, 'fetch', '-q', url, refspec);
    assert.ok(!stderr.includes('rejected'), `${this.name}: ${stderr}`);
    return code === 0 ? '' : stderr;
  }

  async settle(): Promise<void> {}

  async check(place: Place, all: ReadonlyMap<string, string>): Promise<void> {
    assert.equal(await this.#fetch(place), '', this.name);
    const head = readHead(this.#clone);
    const store = readStore(this.#clone);
    assert.ok(
      this.#isOwn || this.#head === null || commitsFrom(store, head).has(this.#head),
      `${this.name}: another history`,
    );
    this.#head = head;
    assert.equal(fsck(this.#clone), '', this.name);
    const here = (path: string): boolean => this.#isOwn || path.startsWith(`${this.#folder}/`);
    // Documents that are to be erased come and go with their own actor.
    const isSteady = (path: string): boolean => here(path) && !path.startsWith('victims/');
    const steady = (files: ReadonlyMap<string, string>): Record<string, string> =>
      Object.fromEntries([...files].filter(([path]) => isSteady(path)).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    assert.deepEqual(steady(filesOf(store, head)), steady(all), this.name);
  }
}

/** Writes a document, clones it, and has it erased. */
export class Eraser extends Person {
  readonly #folder: string;
  readonly #clone: string;
  readonly #data: string;
  #victim: { readonly path: string; readonly text: string } | undefined;

  constructor(key: string, folder: string, clone: string, data: string, tally: GitTally) {
    super('eraser', key, tally);
    this.#folder = folder;
    this.#clone = clone;
    this.#data = data;
  }

  protected async step(place: Place): Promise<boolean> {
    const path = `${this.#folder}/victim-${this.serial}.md`;
    const text = `a secret that is to go ${this.serial} ${'x'.repeat(this.serial % 7)}`;
    this.#victim = { path, text };
    let id = '';
    try {
      const answer = await fetch(`http://127.0.0.1:${place.port}/v1/documents`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${this.key}`,
          'content-type': 'application/json',
          'idempotency-key': `victim-${this.serial}`,
        },
        body: JSON.stringify({ content: text, location: path }),
      });
      ({ id } = (await answer.json()) as { id: string });
    } catch {
      return false;
    }
    await this.#fetch(place);
    const { code } = await this.#erase(path, id);
    if (code !== 0) return false;
    this.#gone();
    return true;
  }

  #erase(path: string, id: string): ReturnType<typeof runProgram> {
    const name = path.split('/').at(-1) ?? '';
    return runProgram(['erase', path, '--document', id, '--yes', name, '--data', this.#data, '--json']);
  }

  #gone(): void {
    this.erased.push(this.#victim?.text ?? '');
    this.#victim = undefined;
    this.tally.erases += 1;
  }

  /** As somebody who follows what the server says of a history that was made again. */
  #fetch({ url }: Place): Promise<GitRun> {
    return runWith(this.key, '/', 'clone', '-q', '--bare', url, `${this.#clone}-${this.serial}`);
  }

  async settle(place: Place, admin: string): Promise<void> {
    const victim = this.#victim;
    const found = victim === undefined ? null : await readDocument(place, admin, victim.path);
    if (victim !== undefined && found !== null) {
      const { code, stderr, stdout } = await this.#erase(victim.path, found.id);
      assert.equal(code, 0, stdout + stderr);
    }
    if (victim !== undefined) this.#gone();
    await until('every erase is final', async () => {
      const { stdout } = await runProgram(['erasures', '--data', this.#data, '--json']);
      const { items } = JSON.parse(stdout) as { items: { final_at: string | null }[] };
      return items.every(({ final_at }) => final_at !== null);
    });
  }

  async check(place: Place): Promise<void> {
    this.serial += 1;
    const { code, stderr } = await this.#fetch(place);
    assert.equal(code, 0, stderr);
    const store = readStore(`${this.#clone}-${this.serial}`);
    for (const text of this.erased) {
      for (const { bytes } of store.values()) assert.ok(!bytes.includes(text), `${text} is served`);
    }
  }
}
