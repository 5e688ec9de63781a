import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { Subject } from '../../lib/domain/grant.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { setPrincipalState } from '../../lib/operations/set-principal-state.js';
import { perform } from '../../lib/operations/perform.js';
import { Actor, outcomeOf } from '../harness/act.js';
import { Hands } from '../harness/hands.js';
import { openTestService, operator, type TestService } from '../harness/service.js';
import { Person } from './cast.js';
import { parentOf, type Role, type Scope } from './reference-model.js';
import { WritableModel } from './reference-writes.js';

/** Random histories that are compared in each run of the tests. Raise it, or change the seed, for a longer hunt. */
const histories = 120;
const seed = 20260105;

const people = ['ada', 'ben', 'cem', 'dia'];
const groups = ['red', 'green', 'blue'];
const names = ['a', 'b', 'c', 'd'];
/** Every path of up to three segments over few names, so that things meet. */
const paths = names.flatMap((x) => [x, ...names.flatMap((y) => [`${x}/${y}`, ...names.map((z) => `${x}/${y}/${z}`)])]);

/** Ada is approver of the root to begin with, and Ben its editor: they act most. */
const person = fc.constantFrom('ada', 'ben', 'ben', ...people);
/** A path, or a number that stands for one of those that something is at when the command is given. */
const path = fc.oneof({ weight: 3, arbitrary: fc.nat(99) }, { weight: 2, arbitrary: fc.constantFrom(...paths) });
const folder = fc.oneof({ weight: 2, arbitrary: fc.nat(99) }, { weight: 1, arbitrary: fc.constantFrom('', ...paths) });
const acknowledged = fc.nat(2).map((n) => n === 0);
const subject = fc.constantFrom(...people, ...groups);
const role = fc.constantFrom<Role>('reader', 'editor', 'approver');
const grantOn = fc.oneof(
  { weight: 3, arbitrary: fc.record({ scope: fc.constant<Scope>('folder'), path: folder, subject, role }) },
  { weight: 2, arbitrary: fc.record({ scope: fc.constant<Scope>('document'), path, subject, role }) },
);
/** What there is to begin with: documents, and grants that Ada gives. */
const beginning = fc.record({
  documents: fc.uniqueArray(fc.constantFrom(...paths.filter((at) => at.includes('/'))), { minLength: 4, maxLength: 9 }),
  grants: fc.array(grantOn, { minLength: 3, maxLength: 10 }),
  memberships: fc.array(fc.record({ group: fc.constantFrom(...groups), subject }), { maxLength: 5 }),
});
const command = fc.oneof(
  { weight: 5, arbitrary: fc.record({ does: fc.constant('create' as const), by: person, path }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('update' as const), by: person, path }) },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('delete' as const), by: person, path: fc.nat(99) }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('undelete' as const), by: person, path: fc.nat(99) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('create-folder' as const), by: person, path }) },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constantFrom('delete-folder' as const, 'undelete-folder' as const),
      by: person,
      path: fc.nat(99),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constantFrom(
        'restore' as const,
        'claim' as const,
        'claim' as const,
        'release' as const,
        'comment' as const,
        'label' as const,
      ),
      by: person,
      path: fc.nat(99),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('break' as const),
      by: person,
      path: fc.nat(99),
      holder: fc.constantFrom(...people),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('revert' as const),
      by: person,
      folder: fc.constantFrom('', ...names),
      of: fc.constantFrom(...people),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('rename' as const),
      by: person,
      path,
      name: fc.constantFrom(...names),
      acknowledged,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('move' as const),
      by: person,
      path,
      folder,
      acknowledged,
    }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('grant' as const), by: person, grant: grantOn }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('revoke' as const), by: person, grant: grantOn, instead: fc.nat(99) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('join' as const), group: fc.constantFrom(...groups), subject }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('leave' as const),
      group: fc.constantFrom(...groups),
      subject,
      instead: fc.nat(99),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('disable' as const),
      by: fc.constantFrom(...people.slice(1)),
      disabled: fc.boolean(),
    }),
  },
);
type Given = typeof command extends fc.Arbitrary<infer Value> ? Value : never;
/** A command with the paths that it is about. */
type Resolved<Value> = { readonly [Key in keyof Value]: Key extends 'path' | 'folder' ? string : Value[Key] };
type ResolvedCommand<One> = One extends { grant: infer Grant }
  ? Resolved<Omit<One, 'grant'>> & { readonly grant: Resolved<Grant> }
  : Resolved<One>;
type Command = ResolvedCommand<Given>;

const onFolders: ReadonlySet<string> = new Set(['rename', 'create-folder']);

/** The service and the model, told the same things. */
class Both {
  readonly model = new WritableModel();
  readonly service: TestService;
  readonly #subjects = new Map<string, Subject>();
  readonly #people = new Map<string, Person>();
  /** Of each document of the model, by its number. */
  readonly #made: { readonly id: string; readonly firstVersion: string; readonly text: string }[] = [];
  /** Ids of claims by document and holder. */
  readonly #claims = new Map<string, string>();
  readonly #foldersGone: string[] = [];

  private constructor(service: TestService) {
    this.service = service;
  }

  static async open(): Promise<Both> {
    const both = new Both(await openTestService());
    const keeper = await both.service.principal('Keeper');
    await both.service.grant('approver', { type: 'principal', id: keeper }, '');
    for (const name of people) {
      const one = new Person(both.service.workspace, await both.service.principal(name));
      both.#people.set(name, one);
      both.#subjects.set(name, one.subject);
      both.model.people.push(name);
    }
    for (const name of groups) {
      both.#subjects.set(name, { type: 'group', id: await both.service.group(name) });
      both.model.groups.set(name, new Set());
    }
    for (const [name, role] of [
      ['ada', 'approver'],
      ['ben', 'editor'],
    ] as const) {
      await both.service.grant(role, both.subject(name), '');
      both.model.grants.push({ scope: 'folder', on: '', subject: name, role });
    }
    return both;
  }

  subject(name: string): Subject {
    return this.#subjects.get(name) ?? assert.fail(name);
  }

  person(name: string): Person {
    return this.#people.get(name) ?? assert.fail(name);
  }

  hands(name: string): Hands {
    return new Hands(this.service.workspace, this.person(name).id);
  }

  #claimOn(path: string, holder: string): string {
    return this.#claims.get(`${this.model.at(path)?.number} ${holder}`) ?? 'clm_none';
  }

  async #create(by: string, path: string, text: string): Promise<void> {
    const { id, current } = await this.person(by).create(path, text);
    this.#made.push({ id, firstVersion: current.id, text });
  }

  async #claim(by: string, path: string): Promise<void> {
    const { id } = await this.hands(by).claim(path);
    this.#claims.set(`${this.model.at(path)?.number} ${by}`, id);
  }

  /** Previews, does what was previewed, and tells the model of it. */
  async #revert(by: string, folder: string, of: string): Promise<void> {
    const hands = this.hands(by);
    const { digest } = await hands.previewRevert(this.person(of).id, folder, 0);
    const { steps } = await hands.revert(this.person(of).id, folder, 0, digest);
    const all = new Actor(this.service.workspace, operator.principalId);
    for (const { action, documentId, location } of steps) {
      assert.ok(folder === '' || location.startsWith(`${folder}/`), `${location} is not in ${folder}`);
      const text = action === 'delete' ? '' : await all.read(location);
      this.model.reverted(
        this.#made.findIndex(({ id }) => id === documentId),
        action,
        text,
      );
    }
  }

  /** Puts paths for numbers. */
  resolve(given: Given): Command {
    const live = this.model.docs.flatMap(({ at }) => at ?? []);
    const gone = this.model.docs.flatMap(({ deletedFrom }) => deletedFrom ?? []);
    const pick = (which: string | number, from: readonly string[]): string =>
      typeof which === 'string' ? which : (from[which % from.length] ?? 'a');
    const above = live.flatMap((at) => [parentOf(at), parentOf(parentOf(at))]).filter((at) => at !== '');
    const some = [...live, ...above, ...this.model.kept];
    if (given.does === 'leave') {
      const memberships = [...this.model.groups].flatMap(([group, members]) =>
        [...members].map((member) => ({ group, subject: member })),
      );
      return { ...given, ...memberships[given.instead % (memberships.length + 1)] };
    }
    if (given.does === 'revoke') {
      const stand = this.model.grants.flatMap(({ scope, on, subject: to, role: held }) => {
        const at = typeof on === 'string' ? on : this.model.docs[on]?.at;
        return at === null || at === undefined ? [] : [{ scope, path: at, subject: to, role: held }];
      });
      const grant = stand[given.instead % (stand.length + 1)] ?? { ...given.grant, path: pick(given.grant.path, some) };
      return { ...given, grant };
    }
    if ('grant' in given) {
      const { grant } = given;
      return { ...given, grant: { ...grant, path: pick(grant.path, grant.scope === 'document' ? live : above) } };
    }
    if (given.does === 'release' || given.does === 'break') {
      const held = this.model.claims.filter(({ doc }) => typeof this.model.docs[doc]?.at === 'string');
      const one = held[given.path % (held.length + 1)];
      const at = one === undefined ? pick(given.path, live) : (this.model.docs[one.doc]?.at ?? '');
      if (given.does === 'break') return { ...given, path: at, holder: one?.holder ?? given.holder };
      return { ...given, path: at, by: one?.holder ?? given.by };
    }
    if (given.does === 'revert') return given;
    if (given.does === 'delete-folder') return { ...given, path: pick(given.path, [...above, ...this.model.kept]) };
    if (given.does === 'undelete-folder') return { ...given, path: pick(given.path, this.#foldersGone) };
    if (given.does === 'move') return { ...given, path: pick(given.path, some), folder: pick(given.folder, above) };
    if (!('path' in given)) return given;
    // What was deleted is undeleted, or has its name taken by something new; before there is such a thing, there will be.
    if (given.does === 'undelete' && gone.length === 0)
      return { ...given, does: 'delete', path: pick(given.path, live) };
    if (given.does === 'undelete' || given.does === 'create') return { ...given, path: pick(given.path, gone) };
    return { ...given, path: pick(given.path, onFolders.has(given.does) ? some : live) };
  }

  /** @returns what the program and what the model say becomes of it */
  async does(done: Command, step: number): Promise<readonly [string, string]> {
    const { model, service } = this;
    this.service.clock.advance(1000);
    const text = `text ${step}`;
    switch (done.does) {
      case 'create':
        return [await outcomeOf(this.#create(done.by, done.path, text)), model.create(done.by, done.path, text)];
      case 'update':
        return [await outcomeOf(this.person(done.by).update(done.path, text)), model.update(done.by, done.path, text)];
      case 'delete':
        return [await outcomeOf(this.person(done.by).delete(done.path)), model.delete(done.by, done.path)];
      case 'undelete':
        return [await outcomeOf(this.person(done.by).undelete(done.path)), model.undelete(done.by, done.path)];
      case 'create-folder':
        return [await outcomeOf(this.person(done.by).createFolder(done.path)), model.createFolder(done.by, done.path)];
      case 'delete-folder': {
        const outcome = await outcomeOf(this.hands(done.by).deleteFolder(done.path));
        if (outcome === 'done') this.#foldersGone.push(done.path);
        return [outcome, model.deleteFolder(done.by, done.path)];
      }
      case 'undelete-folder':
        return [
          await outcomeOf(this.hands(done.by).undeleteFolder(done.path)),
          model.undeleteFolder(done.by, done.path),
        ];
      case 'restore': {
        const made = this.#made[model.at(done.path)?.number ?? -1];
        const version = made?.firstVersion ?? '0'.repeat(40);
        return [
          await outcomeOf(this.hands(done.by).restore(done.path, version)),
          model.update(done.by, done.path, made?.text ?? ''),
        ];
      }
      case 'claim':
        return [await outcomeOf(this.#claim(done.by, done.path)), model.claim(done.by, done.path)];
      case 'release':
        return [
          await outcomeOf(this.hands(done.by).release(this.#claimOn(done.path, done.by))),
          model.unclaim(done.by, done.path, done.by, false),
        ];
      case 'break':
        return [
          await outcomeOf(this.hands(done.by).breakClaim(done.path, this.#claimOn(done.path, done.holder))),
          model.unclaim(done.by, done.path, done.holder, true),
        ];
      case 'comment':
        return [await outcomeOf(this.hands(done.by).comment(done.path, text)), model.comment(done.by, done.path)];
      case 'label':
        return [await outcomeOf(this.hands(done.by).labels('add', done.path, 'x')), model.label(done.by, done.path)];
      case 'revert':
        return [
          await outcomeOf(this.#revert(done.by, done.folder, done.of)),
          model.role(done.by, done.folder) >= 2 ? 'done' : 'NOT_FOUND',
        ];
      case 'rename': {
        const to = [parentOf(done.path), done.name].filter((part) => part !== '').join('/');
        return [
          await outcomeOf(this.person(done.by).rename(done.path, done.name, done.acknowledged)),
          model.relocate(done.by, true, done.path, to, done.acknowledged),
        ];
      }
      case 'move': {
        const to = [done.folder, done.path.split('/').at(-1)].filter((part) => part !== '').join('/');
        return [
          await outcomeOf(this.person(done.by).move(done.path, done.folder, done.acknowledged)),
          model.relocate(done.by, false, done.path, to, done.acknowledged),
        ];
      }
      case 'grant':
      case 'revoke': {
        const { scope, path: on, subject: to, role: given } = done.grant;
        const isRevoke = done.does === 'revoke';
        const by = this.person(done.by);
        const work = isRevoke
          ? by.revoke(given, this.subject(to), on, scope)
          : by.grant(given, this.subject(to), on, scope);
        return [await outcomeOf(work), model.grant(done.by, done.grant, isRevoke)];
      }
      case 'join':
        return [
          await outcomeOf(service.join(this.subject(done.group).id, this.subject(done.subject))),
          model.join(done.group, done.subject),
        ];
      case 'leave':
        return [
          await outcomeOf(service.leave(this.subject(done.group).id, this.subject(done.subject))),
          model.leave(done.group, done.subject),
        ];
      case 'disable': {
        const input = { principalId: this.person(done.by).id, disabled: done.disabled };
        if (done.disabled) model.disabled.add(done.by);
        else model.disabled.delete(done.by);
        return [await outcomeOf(perform(service.workspace, operator, setPrincipalState, input)), 'done'];
      }
    }
  }

  /** Compares whom everyone is told as readers of each place, whether something lies there or not. */
  async compareReaders(places: readonly string[], context: () => string): Promise<void> {
    for (const place of places) {
      const expected = people.flatMap((name) => {
        const role = roles[this.model.role(name, place) - 1];
        return role === undefined ? [] : [`${name} ${role}`];
      });
      for (const name of people) {
        const told = await this.person(name).readers(place).catch(codeOf);
        const actual = Array.isArray(told) ? told.map((line) => String(line).split(':')[0]).slice(1) : told;
        // Before all others, by the order of letters, comes the keeper, who is no part of the model.
        const mayKnow = this.model.role(name, place) >= 1;
        assert.deepEqual(
          actual,
          mayKnow ? expected : 'NOT_FOUND',
          `${name} asks who reads "${place}" after\n${context()}`,
        );
      }
    }
  }

  /** Compares what a brief from the beginning tells everyone: each live document that they read, and no other place. */
  async compareBriefs(context: () => string): Promise<void> {
    const { model } = this;
    for (const name of people) {
      const changes = await this.person(name).briefFromTheStart();
      const live = changes.filter(({ of, action }) => of === 'document' && action !== 'deleted');
      const all = model.docs.flatMap(({ at }) => at ?? []);
      const readable = all.filter((at) => model.read(name, at) !== 'NOT_FOUND');
      const what = `${name} is briefed after\n${context()}`;
      assert.deepEqual(live.map(({ location }) => location).toSorted(), readable.toSorted(), what);
      for (const { of, action, location, from } of changes) {
        if (of === 'folder' && action !== 'deleted') assert.ok(model.sees(name, location), `${location}: ${what}`);
        if (from !== null) assert.ok(model.role(name, from) >= 1, `from ${from}: ${what}`);
        if (action !== 'deleted') continue;
        const gone = model.docs.find(({ deletedFrom }) => deletedFrom === location);
        assert.ok(model.role(name, location, gone) >= 1, `${location}: ${what}`);
      }
    }
  }

  /** How many versions and comments there are, and that a diff is shown to whom they are. */
  async #annals(name: string, at: string): Promise<unknown> {
    const hands = this.hands(name);
    const [story, comments, diff] = await Promise.all([
      hands.history(at, 200).catch(codeOf),
      hands.comments(at, 'all', 200).catch(codeOf),
      hands.diff(at).catch(codeOf),
    ]);
    if (typeof story === 'string' || typeof comments === 'string' || typeof diff === 'string')
      return [...new Set([story, comments, diff])].join(' ');
    const versions = (story as Awaited<ReturnType<Hands['history']>>).items.filter(({ type }) => type === 'version');
    return `${versions.length} ${(comments as Awaited<ReturnType<Hands['comments']>>).items.length}`;
  }

  async #claimed(name: string): Promise<string[]> {
    return (await this.hands(name).claims()).map((line) => line.split('#')[0] ?? '').toSorted();
  }

  /** Compares what everyone lists, exports and reads there. */
  async compare(
    listed: readonly string[],
    exported: readonly string[],
    read: readonly string[],
    context: () => string,
  ): Promise<void> {
    const { model } = this;
    const check = async (actual: Promise<unknown>, expected: unknown, what: string): Promise<void> =>
      assert.deepEqual(await actual, expected, `${what} after\n${context()}`);
    await Promise.all(
      people.flatMap((name) => {
        const one = this.person(name);
        return [
          ...listed.map((at) =>
            check(one.list(at).then(sortNames), sortNames(model.list(name, at)), `${name} lists "${at}"`),
          ),
          ...exported.map((at) =>
            check(one.export(at).then(sortNames, codeOf), model.export(name, at), `${name} exports "${at}"`),
          ),
          ...read.map((at) => check(one.read(at).catch(codeOf), model.read(name, at), `${name} reads "${at}"`)),
          // Where nothing is there is nothing to look back at; a few such places do.
          ...read
            .filter((at, index) => index < 3 || model.at(at) !== undefined)
            .map((at) => check(this.#annals(name, at), model.annals(name, at), `${name} looks back at "${at}"`)),
          check(this.#claimed(name), model.claimed(name), `${name} lists claims`),
        ];
      }),
    );
  }
}

const roles: readonly Role[] = ['reader', 'editor', 'approver'];
const codeOf = (error: unknown): unknown => (error instanceof Refusal ? error.code : error);
const sortNames = (found: readonly string[]): string[] => found.toSorted();

function pathsIn(done: Command): string[] {
  if ('path' in done) return [done.path];
  return 'grant' in done ? [done.grant.path].filter((at) => at !== '') : [];
}

describe('Access and the reference model', () => {
  it('agree on the outcome of every command and on what everyone sees after it', async function () {
    this.timeout(600_000);
    const seen = new Map<string, number>();
    const then = fc.array(command, { minLength: 8, maxLength: 36, size: 'max' });
    await fc.assert(
      fc.asyncProperty(beginning, then, async (begun, commands) => {
        const given: readonly Given[] = [
          ...begun.memberships.map((membership) => ({ does: 'join', ...membership }) as const),
          ...begun.documents.map((at) => ({ does: 'create', by: 'ada', path: at }) as const),
          ...begun.grants.map((grant) => ({ does: 'grant', by: 'ada', grant }) as const),
          ...commands,
        ];
        const both = await Both.open();
        const history: Command[] = [];
        const context = (): string => history.map((done) => JSON.stringify(done)).join('\n');
        try {
          for (const [step, next] of given.entries()) {
            const done = both.resolve(next);
            history.push(done);
            const [actual, expected] = await both.does(done, step);
            assert.equal(actual, expected, context());
            const outcome = `${done.does} ${actual}`;
            seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
            if (step >= given.length - commands.length)
              await both.compare(['', ...names.slice(0, 2)], [], pathsIn(done), context);
          }
          const { docs } = both.model;
          const there = docs.flatMap(({ at }) => (at === null ? [] : [parentOf(at), parentOf(parentOf(at))]));
          await both.compare([...new Set(['', ...names, ...there])], [''], paths, context);
          await both.compareReaders(paths, context);
          await both.compareBriefs(context);
        } finally {
          await both.service.close();
        }
      }),
      { numRuns: histories, seed, endOnFailure: false },
    );
    // A comparison in which nothing happens shows nothing.
    for (const outcome of [
      'move done',
      'rename done',
      'undelete done',
      'move CONFLICT access_would_widen',
      'delete-folder done',
      'undelete-folder done',
      'restore done',
      'claim done',
      'comment done',
      'revert done',
      'revert NOT_FOUND',
    ]) {
      assert.ok((seen.get(outcome) ?? 0) >= 5, `${outcome}: ${seen.get(outcome) ?? 0}`);
    }
    const seldom = ['claim CONFLICT claimed', 'delete CONFLICT claimed', 'release done', 'label NOT_FOUND'];
    for (const outcome of seldom) assert.ok(seen.has(outcome), outcome);
  });
});
