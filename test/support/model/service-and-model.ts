import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { Subject } from '../../../lib/domain/grant.js';
import { setPrincipalState } from '../../../lib/operations/principals/set-principal-state.js';
import { perform } from '../../../lib/operations/perform.js';
import { Actor, outcomeOf } from '../store/actor.js';
import { Client } from '../store/client.js';
import { operator, type TestService } from '../store/service.js';
import { Person } from './actors.js';
import { beginning, command, groups, people, type Command, type Given } from './commands.js';
import { parentOf } from './reference-model.js';
import { WritableModel } from './reference-writes.js';

const onFolders: ReadonlySet<string> = new Set(['rename', 'create-folder']);

/** The service and the model, with the same commands. */
export class ServiceAndModel {
  readonly model = new WritableModel();
  readonly service: TestService;
  readonly #subjects = new Map<string, Subject>();
  readonly #people = new Map<string, Person>();
  /** Of each document of the model, by its number. */
  protected readonly made: { readonly id: string; readonly firstVersion: string; readonly text: string }[] = [];
  /** Ids of claims by document and holder. */
  protected readonly claims = new Map<string, string>();
  readonly #foldersGone: string[] = [];

  constructor(service: TestService) {
    this.service = service;
  }

  /** People and groups, with nothing there yet. */
  async begin(): Promise<void> {
    const keeper = await this.service.principal('Keeper');
    await this.service.grant('approver', { type: 'principal', id: keeper }, '');
    for (const name of people) {
      const one = this.makePerson(await this.service.principal(name));
      this.#people.set(name, one);
      this.#subjects.set(name, one.subject);
      this.model.people.push(name);
    }
    for (const name of groups) {
      this.#subjects.set(name, { type: 'group', id: await this.service.group(name) });
      this.model.groups.set(name, new Set());
    }
    for (const [name, role] of [
      ['ada', 'approver'],
      ['ben', 'editor'],
    ] as const) {
      await this.service.grant(role, this.subject(name), '');
      this.model.grants.push({ scope: 'folder', on: '', subject: name, role });
    }
  }

  /** The client of a person, on the compared face. */
  protected makePerson(id: string): Person {
    return new Person(this.service.workspace, id);
  }

  subject(name: string): Subject {
    return this.#subjects.get(name) ?? assert.fail(name);
  }

  person(name: string): Person {
    return this.#people.get(name) ?? assert.fail(name);
  }

  client(name: string): Client {
    return new Client(this.service.workspace, this.person(name).id);
  }

  protected claimOn(path: string, holder: string): string {
    return this.claims.get(`${this.model.at(path)?.number} ${holder}`) ?? 'clm_none';
  }

  async #create(by: string, path: string, text: string): Promise<void> {
    const { id, current } = await this.person(by).create(path, text);
    this.made.push({ id, firstVersion: current.id, text });
  }

  protected async claim(by: string, path: string): Promise<void> {
    const { id } = await this.client(by).claim(path);
    this.claims.set(`${this.model.at(path)?.number} ${by}`, id);
  }

  protected release(by: string, path: string): Promise<unknown> {
    return this.client(by).release(this.claimOn(path, by));
  }

  /** Previews, reverts the preview, and repeats the revert in the model. */
  async #revert(by: string, folder: string, of: string): Promise<void> {
    const client = this.client(by);
    const { digest } = await client.previewRevert(this.person(of).id, folder, 0);
    const { steps } = await client.revert(this.person(of).id, folder, 0, digest);
    const all = new Actor(this.service.workspace, operator.principalId);
    for (const { action, documentId, location } of steps) {
      assert.ok(folder === '' || location.startsWith(`${folder}/`), `${location} is not in ${folder}`);
      const text = action === 'delete' ? '' : await all.read(location);
      this.model.reverted(
        this.made.findIndex(({ id }) => id === documentId),
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
        const doc = typeof on === 'string' ? undefined : this.model.docs[on];
        const at = typeof on === 'string' ? on : (doc?.at ?? doc?.deletedFrom);
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
    // Deleted documents are undeleted, or a new document takes their name; before the first deletion, the command
    // deletes.
    if (given.does === 'undelete' && gone.length === 0)
      return { ...given, does: 'delete', path: pick(given.path, live) };
    if (given.does === 'undelete' || given.does === 'create') return { ...given, path: pick(given.path, gone) };
    return { ...given, path: pick(given.path, onFolders.has(given.does) ? some : live) };
  }

  /** @returns the command's outcome in the program and in the model */
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
        const outcome = await outcomeOf(this.client(done.by).deleteFolder(done.path));
        if (outcome === 'done') this.#foldersGone.push(done.path);
        return [outcome, model.deleteFolder(done.by, done.path)];
      }
      case 'undelete-folder':
        return [
          await outcomeOf(this.client(done.by).undeleteFolder(done.path)),
          model.undeleteFolder(done.by, done.path),
        ];
      case 'restore': {
        const made = this.made[model.at(done.path)?.number ?? -1];
        const version = made?.firstVersion ?? '0'.repeat(40);
        return [
          await outcomeOf(this.client(done.by).restore(done.path, version)),
          model.update(done.by, done.path, made?.text ?? ''),
        ];
      }
      case 'claim':
        return [await outcomeOf(this.claim(done.by, done.path)), model.claim(done.by, done.path)];
      case 'release':
        return [await outcomeOf(this.release(done.by, done.path)), model.unclaim(done.by, done.path, done.by, false)];
      case 'break':
        return [
          await outcomeOf(this.client(done.by).breakClaim(done.path, this.claimOn(done.path, done.holder))),
          model.unclaim(done.by, done.path, done.holder, true),
        ];
      case 'comment':
        return [await outcomeOf(this.client(done.by).comment(done.path, text)), model.comment(done.by, done.path)];
      case 'label':
        return [await outcomeOf(this.client(done.by).labels('add', done.path, 'x')), model.label(done.by, done.path)];
      case 'revert':
        return [
          await outcomeOf(this.#revert(done.by, done.folder, done.of)),
          model.roleIn(done.by, done.folder) >= 2 ? 'done' : 'NOT_FOUND',
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
}

/** The comparisons and their times. */
export interface Comparison<Pair extends ServiceAndModel> {
  open(): Promise<Pair>;
  /** After each command, with the command. */
  afterEach(pair: Pair, done: Command, context: () => string): Promise<void>;
  atTheEnd(pair: Pair, context: () => string): Promise<void>;
}

/** Plays random histories in service and model. @returns the number of each command's outcomes: `move done` */
export async function compareHistories<Pair extends ServiceAndModel>(
  comparison: Comparison<Pair>,
  { histories, seed }: { readonly histories: number; readonly seed: number },
): Promise<ReadonlyMap<string, number>> {
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
      const pair = await comparison.open();
      // Grows with each command: it is asked for at each of many comparisons.
      let history = '';
      const context = (): string => history;
      try {
        for (const [step, next] of given.entries()) {
          const done = pair.resolve(next);
          history += `${JSON.stringify(done)}\n`;
          const [actual, expected] = await pair.does(done, step);
          assert.equal(actual, expected, context());
          const outcome = `${done.does} ${actual}`;
          seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
          if (step >= given.length - commands.length) await comparison.afterEach(pair, done, context);
        }
        await comparison.atTheEnd(pair, context);
      } finally {
        await pair.service.close();
      }
    }),
    { numRuns: histories, seed, endOnFailure: false },
  );
  return seen;
}
