import assert from 'node:assert/strict';
import { Refusal } from '../../../lib/domain/refusal.js';
import type { Client } from '../store/client.js';
import { ServiceAndModel } from './service-and-model.js';
import { people, type Command } from './commands.js';
import { FeedMirror } from './feed-mirror.js';
import type { Role } from './reference-model.js';

const roles: readonly Role[] = ['reader', 'editor', 'approver'];
const codeOf = (error: unknown): unknown => (error instanceof Refusal ? error.code : error);
const sortNames = (found: readonly string[]): string[] => found.toSorted();

/** The paths in a command. */
export function pathsIn(done: Command): string[] {
  if ('path' in done) return [done.path];
  return 'grant' in done ? [done.grant.path].filter((at) => at !== '') : [];
}

/** Service and model, with a comparison of all answers to all people. */
export class Compared extends ServiceAndModel {
  readonly #mirrors = new Map<string, FeedMirror>();

  /** Compares the readers of each place that each person sees, whether the place is occupied or not. */
  async compareReaders(places: readonly string[], context: () => string): Promise<void> {
    for (const place of places) {
      const expected = people.flatMap((name) => {
        const role = roles[this.model.role(name, place) - 1];
        return role === undefined ? [] : [`${name} ${role}`];
      });
      for (const name of people) {
        const answer = await this.person(name).readers(place).catch(codeOf);
        const actual = Array.isArray(answer) ? answer.map((line) => String(line).split(':')[0]).slice(1) : answer;
        // The keeper, who is no part of the model, comes before all others in the order of letters.
        const mayKnow = this.model.role(name, place) >= 1;
        assert.deepEqual(
          actual,
          mayKnow ? expected : 'NOT_FOUND',
          `${name} asks who reads "${place}" after\n${context()}`,
        );
      }
    }
  }

  /** Compares what each person knows who has had the feed alone, from the beginning, with what the person may read. */
  async compareFeeds(context: () => string): Promise<void> {
    const { model } = this;
    const all = model.docs.flatMap(({ at }) => at ?? []);
    for (const name of people) {
      // The disabled come in nowhere, and go on later.
      if (model.disabled.has(name)) continue;
      const mirror = this.#mirrors.get(name) ?? new FeedMirror((cursor) => this.person(name).changes(cursor));
      this.#mirrors.set(name, mirror);
      await mirror.catchUp();
      const readable = all.filter((at) => model.read(name, at) !== 'NOT_FOUND');
      assert.deepEqual(mirror.places, readable.toSorted(), `${name} follows what changed after\n${context()}`);
    }
  }

  /** Compares each person's brief from the beginning: each live document in their reach, and no other place. */
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

  /** The number of versions and comments, and whether the diff is shown. */
  async #annals(name: string, at: string): Promise<unknown> {
    const client = this.client(name);
    const [history, comments, diff] = await Promise.all([
      client.history(at, 200).catch(codeOf),
      client.comments(at, 'all', 200).catch(codeOf),
      client.diff(at).catch(codeOf),
    ]);
    if (typeof history === 'string' || typeof comments === 'string' || typeof diff === 'string')
      return [...new Set([history, comments, diff])].join(' ');
    const versions = (history as Awaited<ReturnType<Client['history']>>).items.filter(({ type }) => type === 'version');
    return `${versions.length} ${(comments as Awaited<ReturnType<Client['comments']>>).items.length}`;
  }

  async #claimed(name: string): Promise<string[]> {
    return (await this.client(name).claims()).map((line) => line.split('#')[0] ?? '').toSorted();
  }

  /** Compares each person's lists, exports and reads there. */
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
