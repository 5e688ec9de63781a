import assert from 'node:assert/strict';
import { operatorId } from '../../lib/domain/principal.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { outcomeOf } from '../support/store/actor.js';
import { Client } from '../support/store/client.js';
import { openTestService } from '../support/store/service.js';
import { compareHistories } from '../support/model/service-and-model.js';
import { groups, names, paths, people, type Command } from '../support/model/commands.js';
import { Compared, pathsIn } from '../support/model/compared.js';
import type { Person } from '../support/model/actors.js';
import { within } from '../support/model/reference-model.js';
import { countOf, requireSeen, seedOf } from '../support/counts.js';
import { folderRole, mayWriteTo, nameOfRole, recipientsOf, topFolders } from './reference-tools.js';
import { ToolPerson } from './tool-person.js';

/** Fewer histories than of operations: each is asked more. */
const histories = countOf('MCP_HISTORIES', { usual: 5, campaign: 300 });
const seed = seedOf(20260106);

describe('Agents’ tools and the reference model', () => {
  it('agree on the outcome of every command, and on the answers to all people after it', async function () {
    this.timeout(60_000 + histories * 8_000);
    const written = new Map<string, number>();
    let named = 0;
    let step = 0;
    const seen = await compareHistories<ComparedByTools>(
      {
        async open() {
          const pair = new ComparedByTools(await openTestService());
          await pair.begin();
          return pair;
        },
        async afterEach(pair, done: Command, context) {
          step += 1;
          const asker = people[step % people.length] ?? 'ada';
          await pair.write(pathsIn(done)[0], context);
          await pair.compareLists(asker, context);
          for (const name of people) await pair.compareReads(name, pathsIn(done), context);
        },
        async atTheEnd(pair, context) {
          for (const name of people) {
            await pair.compareLists(name, context);
            await pair.compareReads(name, paths, context);
            await pair.compareSurroundings(name, context);
            await pair.compareThreads(name, context);
            await pair.comparePast(name, context);
          }
          for (const name of people) pair.countUndone(name);
          await pair.compareReaders(paths, context);
          await pair.compareBriefs(context);
          await pair.compareMail(context);
          named += pair.named;
          for (const [outcome, count] of pair.outcomes) written.set(outcome, (written.get(outcome) ?? 0) + count);
        },
      },
      { histories, seed },
    );
    const often = ['update done', 'update NOT_FOUND', 'delete done', 'claim done', 'release done', 'move done'];
    requireSeen(often, seen, { count: histories, enough: 40 });
    assert.ok(named >= histories, `${named} refused reads named documents`);
    const least = histories < 40 ? 0 : 3;
    for (const outcome of often) assert.ok((seen.get(outcome) ?? 0) >= least, `${outcome}: ${seen.get(outcome) ?? 0}`);
    requireSeen(['thread', 'undone'], new Set(written.keys()), { count: histories, enough: 12 });
    for (const outcome of ['done', 'NOT_FOUND'])
      assert.ok((written.get(outcome) ?? 0) >= histories, `messages ${outcome}: ${written.get(outcome) ?? 0}`);
  });
});

const sortAll = (found: readonly string[]): string[] => found.toSorted();

const codeOf = (error: unknown): unknown => (error instanceof Refusal ? error.code : error);

const uriOf = (path: string): string => `cartulary://doc/${path}`;

/** Service and model, where all people use the agents' tools. */
class ComparedByTools extends Compared {
  readonly #wrote = new Set<string>();
  readonly #sent: Sent[] = [];
  readonly outcomes = new Map<string, number>();
  /** Refused reads that named documents. */
  named = 0;
  #serial = 0;

  protected override makePerson(id: string): Person {
    return new ToolPerson(this.service.workspace, id, this.service.service.cursors);
  }

  tools(name: string): ToolPerson {
    return this.person(name) as ToolPerson;
  }

  protected override async claim(by: string, path: string): Promise<void> {
    const id = await this.tools(by).claim(path);
    this.claims.set(`${this.model.at(path)?.number} ${by}`, id);
  }

  protected override release(by: string, path: string): Promise<void> {
    return this.tools(by).release(this.claimOn(path, by));
  }

  /** One person writes to another about some document, all in sequence. */
  async write(path: string | undefined, context: () => string): Promise<void> {
    const { model } = this;
    this.#serial += 1;
    const able = people.filter((name) => !model.disabled.has(name));
    const from = able[this.#serial % able.length];
    const to = [...people, ...groups][(this.#serial * 3 + Math.floor(this.#serial / 7)) % 7] ?? 'ada';
    if (from === undefined) return;
    const doc = path === undefined ? undefined : model.at(path);
    const about = path !== undefined && (doc !== undefined || !model.exists(path)) ? path : undefined;
    const body = `message ${this.#serial}`;
    const outcome = await outcomeOf(this.tools(from).send(this.subject(to).id, body, about));
    const isAboutSeen = about === undefined || model.read(from, about) !== 'NOT_FOUND';
    const expected = isAboutSeen && mayWriteTo(model, from, to, this.#wrote) ? 'done' : 'NOT_FOUND';
    assert.equal(outcome, expected, `${from} writes to ${to} about ${about} after\n${context()}`);
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    if (outcome !== 'done') return;
    const recipients = recipientsOf(model, from, to);
    for (const each of recipients) this.#wrote.add(`${from} ${each}`);
    this.#sent.push({ body, to: recipients, doc: doc?.number });
  }

  countUndone(name: string): void {
    if (this.tools(name).undone > 0) this.outcomes.set('undone', 1);
  }

  /** Compares one person's results from each listing tool. */
  async compareLists(name: string, context: () => string): Promise<void> {
    const { model } = this;
    const tools = this.tools(name);
    const readable = model.docs.flatMap(({ at }) => (at !== null && model.read(name, at) !== 'NOT_FOUND' ? [at] : []));
    const withRole = (at: string): string => `${at} ${nameOfRole(model.role(name, at))}`;
    const check = async (actual: Promise<string[]>, expected: readonly string[], what: string): Promise<void> =>
      assert.deepEqual(sortAll(await actual), sortAll(expected), `${name}: ${what} after\n${context()}`);

    const isEverywhere = folderRole(model, name, '') >= 1;
    const foldersIn = (folder: string): string[] =>
      model
        .list(name, folder)
        .filter((item) => item.endsWith('/'))
        .map((item) => [folder, item.slice(0, -1)].filter((part) => part !== '').join('/'))
        .map((path) => `${path} ${nameOfRole(folderRole(model, name, path))}`);
    await check(tools.folders(), isEverywhere ? foldersIn('') : topFolders(model, name), 'the topmost folders');
    await check(tools.documents('', true), readable.map(withRole), 'all documents');
    await check(tools.resources(), readable.map(uriOf), 'resources');
    await check(tools.search('text'), readable, 'a word that all texts hold');
    await check(tools.claims(), model.claimed(name), 'claims');
    for (const folder of ['', ...names]) {
      const inside = readable.filter((at) => at !== folder && within(folder, at));
      const here = inside.filter((at) => !at.slice(folder === '' ? 0 : folder.length + 1).includes('/'));
      await check(tools.documents(folder), here.map(withRole), `documents in "${folder}"`);
      if (folder === '') continue;
      await check(tools.folders(folder), foldersIn(folder), `folders in "${folder}"`);
      await check(tools.documents(folder, true), inside.map(withRole), `documents below "${folder}"`);
      await check(tools.search('text', folder), inside, `a search in "${folder}"`);
    }
  }

  /** Compares reading by tool and as a resource, at each of the places. */
  async compareReads(name: string, places: readonly string[], context: () => string): Promise<void> {
    for (const at of places) {
      const { model } = this;
      const text = model.read(name, at);
      const what = `${name} reads "${at}" after\n${context()}`;
      assert.equal(await this.tools(name).read(at).catch(codeOf), text, what);
      if (text === 'NOT_FOUND') this.#compareNear(name, at, what);
      assert.equal(await this.tools(name).resource(uriOf(at)).catch(codeOf), text, what);
    }
  }

  /** A refused read names only documents that the person can read, and only a folder that the person sees. */
  #compareNear(name: string, at: string, what: string): void {
    const { near, isFolder } = this.tools(name);
    for (const each of near) {
      assert.notEqual(this.model.read(name, each), 'NOT_FOUND', `${each}: ${what}`);
      assert.notEqual(each, at, what);
    }
    const above = at.includes('/') ? at.slice(0, at.lastIndexOf('/')) : '';
    const seen = this.model.list(name, above).includes(`${at.slice(above === '' ? 0 : above.length + 1)}/`);
    assert.equal(isFolder, seen, `a folder: ${what}`);
    if (near.length > 0) this.named += 1;
  }

  /** The other parts of a brief, and the groups that it names to each person. */
  async compareSurroundings(name: string, context: () => string): Promise<void> {
    const { model } = this;
    const what = `${name} is briefed after\n${context()}`;
    const brief = await this.tools(name).brief();
    const reach = brief.reach as readonly { location: string; role: string }[];
    for (const { location, role } of reach) assert.equal(role, nameOfRole(model.role(name, location)), what);
    for (const { at } of model.docs) {
      if (at === null) continue;
      const isBelow = reach.some(({ location }) => within(location, at));
      assert.equal(isBelow, model.read(name, at) !== 'NOT_FOUND', `${at}: ${what}`);
    }
    for (const { location } of brief.claims)
      assert.ok(model.claimed(name).includes(location) || model.role(name, location) >= 1, what);
    for (const place of ['', ...names]) {
      if (place === '' || model.role(name, place) < 1) continue;
      const mayNameAll = model.role(name, place) === 3;
      for (const { via } of await this.tools(name).tellReaders(place))
        for (const { groups: through } of via)
          for (const group of through) {
            const known = group.name as string | undefined;
            if (known === undefined) assert.ok(!mayNameAll, what);
            else assert.ok(mayNameAll || model.selves(name).includes(known), `${known}: ${what}`);
          }
    }
  }

  /** Compares the first version of each document, and the number of later ones. */
  async comparePast(name: string, context: () => string): Promise<void> {
    for (const { at, number, versions } of this.model.docs) {
      const first = this.made[number];
      if (at === null || first === undefined) continue;
      const isReader = this.model.read(name, at) !== 'NOT_FOUND';
      const expected = isReader ? { text: first.text, later: versions - 1 } : 'NOT_FOUND';
      const found = await this.tools(name).readPast(at, first.firstVersion).catch(codeOf);
      assert.deepEqual(found, expected, `${name} reads what "${at}" was after\n${context()}`);
    }
  }

  /** Compares the threads of comments: in lists, and by their ids alone. */
  async compareThreads(name: string, context: () => string): Promise<void> {
    const { model } = this;
    for (const { at, comments } of model.docs) {
      if (at === null) continue;
      const what = `${name} asks for the comments on "${at}" after\n${context()}`;
      const isReader = model.read(name, at) !== 'NOT_FOUND';
      const found = await this.tools(name).threads(at).catch(codeOf);
      assert.equal(Array.isArray(found) ? found.length : found, isReader ? comments : 'NOT_FOUND', what);
      const { open_comments = 0 } = await this.tools(name)
        .call('read_org_doc', { location: at })
        .catch(() => ({}));
      assert.equal(open_comments, isReader ? comments : 0, what);
      const [first] = (await new Client(this.service.workspace, operatorId).comments(at, 'open', 1)).items;
      if (first === undefined) continue;
      assert.equal(
        await this.tools(name).discuss(first.comment.threadId).catch(codeOf),
        isReader ? at : 'NOT_FOUND',
        what,
      );
      this.outcomes.set('thread', (this.outcomes.get('thread') ?? 0) + 1);
    }
  }

  /** Compares all inboxes: the readers of a document's present place see the document that a message is about. */
  async compareMail(context: () => string): Promise<void> {
    const { model } = this;
    for (const name of people) {
      const mine = this.#sent
        .filter(({ to }) => to.includes(name))
        .map(({ body, doc }) => {
          const at = doc === undefined ? undefined : model.docs[doc]?.at;
          const isTold = at !== undefined && at !== null && model.read(name, at) !== 'NOT_FOUND';
          return `${body} about ${isTold ? at : 'nothing'}`;
        });
      assert.deepEqual(sortAll(await this.tools(name).mail()), sortAll(mine), `${name}'s mail after\n${context()}`);
    }
  }
}

interface Sent {
  readonly body: string;
  readonly to: readonly string[];
  /** Number of the document that it is about. */
  readonly doc: number | undefined;
}
