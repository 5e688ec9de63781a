import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { parseLocation, rootLocation } from '../../lib/domain/location.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { perform } from '../../lib/operations/perform.js';
import type { TestServer } from '../support/http/server.js';
import { filesOf, pathsSince, readStore, textsOf, reachableFrom, readHead } from '../support/git/read-store.js';
import { command, people, type Command } from '../support/model/commands.js';
import { HeldByGit, type Held } from '../support/model/held-by-git.js';
import { parentOf } from '../support/model/reference-model.js';
import { ServiceAndModel } from '../support/model/service-and-model.js';
import { Client } from '../support/store/client.js';
import { eraseAt } from '../support/store/erase-at.js';
import { operator } from '../support/store/service.js';
import { fsck } from '../support/git/fixture.js';
import { PersonClone } from './person-clone.js';

const person = fc.constantFrom(...people);
const place = fc.nat(99);

/** What happens in a random history beside the commands of people. */
export const deed = fc.oneof(
  { weight: 60, arbitrary: command },
  { weight: 20, arbitrary: fc.record({ does: fc.constant('fetch' as const), by: person }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('swap' as const), first: place, second: place }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('erase' as const), which: place }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('import' as const), beside: place }) },
);
export type Deed = typeof deed extends fc.Arbitrary<infer Value> ? Value : never;

/** Service and model, with a clone for each person, which holds exactly what the model says. */
export class ComparedClones extends ServiceAndModel {
  readonly #server: TestServer;
  readonly #folder: string;
  readonly #held = new HeldByGit(this.model);
  readonly #clones = new Map<string, PersonClone>();
  readonly #keys = new Map<string, string>();
  /** How often each outcome of a fetch came about. */
  readonly outcomes = new Map<string, number>();

  private constructor(server: TestServer, folder: string) {
    super(server.host);
    this.#server = server;
    this.#folder = folder;
  }

  /** @param server its own, with a workspace on a disk */
  static async open(server: TestServer): Promise<ComparedClones> {
    const pair = new ComparedClones(server, await mkdtemp(join(tmpdir(), 'cartulary-clones-')));
    await pair.begin();
    return pair;
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #workspace() {
    return this.service.workspace;
  }

  async cloneOf(name: string): Promise<PersonClone> {
    const known = this.#clones.get(name);
    if (known !== undefined) return known;
    const key = await this.service.key(this.person(name).id, ['git']);
    this.#keys.set(name, key);
    const url = `http://127.0.0.1:${this.#server.rest.port}/git/${this.#workspace.name}`;
    const clone = PersonClone.make(this.#folder, name, { url, key });
    this.#clones.set(name, clone);
    return clone;
  }

  /** Does one thing in both, and compares its outcomes. */
  async plays(next: Deed, step: number, history: string[]): Promise<void> {
    const context = (): string => history.join('\n');
    const commands = async (...all: readonly Command[]): Promise<void> => {
      for (const done of all) {
        history.push(JSON.stringify(done));
        const [actual, expected] = await this.does(done, step);
        assert.equal(actual, expected, context());
      }
    };
    if (next.does === 'fetch') {
      history.push(JSON.stringify(next));
      await this.#fetch(next.by, context);
    } else if (next.does === 'erase') await this.#erase(next.which, history);
    else if (next.does === 'swap') await commands(...this.#swap(next.first, next.second));
    else if (next.does === 'import') await this.#import(next.beside, step, history);
    else await commands(this.resolve(next));
  }

  async #erase(which: number, history: string[]): Promise<void> {
    const path = this.#pick(which);
    if (path === undefined) return;
    history.push(`erase ${path}`);
    await eraseAt(this.#workspace, path);
    assert.equal(this.model.erase(path), 'done', history.join('\n'));
    this.#count('erase');
  }

  /** Two documents of one folder change their names, over a third one. */
  #swap(one: number, other: number): Command[] {
    const [first, second] = [this.#pick(one), this.#pick(other)];
    if (first === undefined || second === undefined || first === second) return [];
    if (parentOf(first) !== parentOf(second)) return [];
    const rename = (path: string, name: string): Command => ({
      does: 'rename',
      by: 'ada',
      path,
      name,
      acknowledged: true,
    });
    const [nameOfFirst = '', nameOfSecond = ''] = [first.split('/').at(-1), second.split('/').at(-1)];
    const aside = `${second.slice(0, second.length - nameOfSecond.length)}aside`;
    this.#count('swap');
    return [rename(second, 'aside'), rename(first, nameOfSecond), rename(aside, nameOfFirst)];
  }

  #pick(which: number): string | undefined {
    const live = this.model.docs.flatMap(({ at }) => at ?? []);
    return live[which % live.length];
  }

  /** Two documents of one moment beside an existing one. */
  async #import(beside: number, step: number, history: string[]): Promise<void> {
    const found = this.#pick(beside);
    if (found === undefined) return;
    const folder = parentOf(found);
    const paths = ['one', 'two'].map((name) => [folder, `${name}-${step}`].filter((part) => part !== '').join('/'));
    history.push(`import ${paths.join(' ')}`);
    this.service.clock.advance(1000);
    const files = paths.map((path) => ({
      location: parseLocation(path),
      content: { bytes: Buffer.from(`imported ${step} ${path}`) },
    }));
    await perform(this.#workspace, operator, importDocuments, { into: rootLocation, files, message: null });
    for (const path of paths) {
      const text = `imported ${step} ${path}`;
      this.model.imported(path, text);
      const { id, current } = await new Client(this.#workspace, operator.principalId).record(path);
      this.made.push({ id, firstVersion: current.id, text });
    }
    this.#count('import');
  }

  #count(what: string): void {
    this.outcomes.set(what, (this.outcomes.get(what) ?? 0) + 1);
  }

  /** Every person fetches. */
  async fetchAll(history: readonly string[]): Promise<void> {
    for (const name of people) await this.#fetch(name, () => history.join('\n'));
  }

  async #fetch(name: string, context: () => string): Promise<void> {
    const clone = await this.cloneOf(name);
    const what = (sentence: string): string => `${name}: ${sentence}, after\n${context()}`;
    if (!this.#held.reaches(name)) {
      assert.equal(await clone.fetch(true), false, what('reaches nothing, and gets a repository'));
      this.#count('fetch not found');
      return;
    }
    const held = this.#held.fetch(name);
    const before = clone.head;
    assert.ok(await clone.fetch(true), what('gets no repository'));
    this.#count(
      held.isOwn ? 'fetch own' : held.isAnew ? 'fetch again' : before === null ? 'first fetch' : 'next fetch',
    );
    compareStore(clone.readReachable(), clone.head, held, what);
    // A fetch into what a person had as approver of the root is no continuation.
    if (!held.isOwn && !held.isAnew && !this.#wasOwn.has(name)) {
      assert.ok(clone.isBehind(before), what('the history is another one, although the reach only grew'));
    }
    if (held.isOwn) this.#wasOwn.add(name);
    else this.#wasOwn.delete(name);
    assert.equal(clone.fsck(), '', what('git finds faults'));
    if (!held.isOwn) await this.#compareServed(name, held, what);
  }
  readonly #wasOwn = new Set<string>();

  /** Nothing hidden lies in the repository that is served, reachable or not. */
  async #compareServed(name: string, held: Held, what: (sentence: string) => string): Promise<void> {
    const { path } = await this.#workspace.derived.prepare(this.person(name).id);
    const store = readStore(path);
    const head = readHead(path);
    assert.deepEqual(new Set(store.keys()), reachableFrom(store, head), what('objects that no commit needs'));
    compareStore(store, head, held, what);
    assert.equal(fsck(path), '', what('git finds faults in the served repository'));
  }
}

/** Compares the files of the newest commit, every content and every path with the model. */
function compareStore(
  store: ReturnType<typeof readStore>,
  head: string | null,
  held: Held,
  what: (sentence: string) => string,
): void {
  assert.deepEqual(sorted(filesOf(store, head)), sorted(held.files), what('the files of the newest commit'));
  const texts = textsOf(store, store.keys());
  for (const text of held.least) assert.ok(texts.has(text), what(`the content "${text}" is missing`));
  for (const text of texts) {
    assert.ok(held.least.has(text) || held.most.has(text), what(`"${text}" is held, and is not to be`));
  }
  if (held.isOwn) return;
  for (const path of pathsSince(store, head)) assert.ok(held.paths.has(path), what(`the history names "${path}"`));
}

const sorted = (files: ReadonlyMap<string, string>): [string, string][] =>
  [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
