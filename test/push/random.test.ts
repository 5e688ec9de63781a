import assert from 'node:assert/strict';
import { join } from 'node:path';
import { parseLocation } from '../../lib/domain/location.js';
import { verifyWorkspace } from '../../lib/integrity/verify-workspace.js';
import { rebuild } from '../../lib/operations/workspaces/rebuild.js';
import { countOf, requireSeen, seedOf } from '../support/counts.js';
import { makeRandom } from '../support/faults/load.js';
import { fsck } from '../support/git/fixture.js';
import { Actor } from '../support/store/actor.js';
import { Clone, type CloneCommit } from '../support/store/clone.js';
import { eraseAt } from '../support/store/erase-at.js';
import { dumpContent } from '../support/store/history.js';
import { openTestService, operator } from '../support/store/service.js';

const histories = countOf('PUSH_HISTORIES', { usual: 1, campaign: 60 });
const seed = seedOf(20261123);
const pushes = 8;
/** Few names, so that files and folders take each other's places. */
const names = ['a', 'b', 'c', 'a/x', 'a/y', 'b/x/deep', 'c/d', 'c/d/e', 'f.md', 'g.md', 'h/i.md'].map(
  (name) => `team/${name}`,
);

describe('After any pushed line', () => {
  const seen = new Set<string>();

  for (let number = 0; number < histories; number += 1) {
    it(`main holds what was pushed and nothing else has changed, and its commits alone give every row again (${number})`, async function () {
      this.timeout(120_000);
      const test = await openTestService({ store: 'disk' });
      try {
        const { workspace, clock } = test;
        const folder = test.dataFolder ?? '';
        const changes = new Changes(`${seed} ${number}`, seen);
        const ada = new Actor(workspace, (await test.person('editor', 'team', 'Ada')).id);
        const ben = new Actor(workspace, (await test.person('approver', '', 'Ben')).id);
        for (const path of ['hidden/a', 'hidden/team/a', 'tea', 'teams/a']) await ben.create(path, path);
        const all = await Clone.of(ben);
        const clone = await Clone.of(ada);
        const idOf = (path: string) => workspace.view(operator).document(parseLocation(path))?.id;
        const requireSound = async (when: string): Promise<void> => {
          const options = { dataFolder: folder, name: 'acme', git: 'auto' } as const;
          const { problems } = await verifyWorkspace(options, () => undefined);
          assert.deepEqual(problems, [], when);
          const before = dumpContent(folder);
          await rebuild(workspace, operator);
          assert.deepEqual(dumpContent(folder), before, `${when}, after a rebuild`);
        };

        let state = changes.begin(clone.files);
        for (let push = 0; push < pushes; push += 1) {
          const ids = new Map([...clone.files.keys()].map((path) => [path, idOf(path)]));
          for (let left = 1 + changes.below(4); left > 0; left -= 1) {
            const next = changes.after(state);
            const { commit, moved } = compare(state, next);
            clone.commit(commit);
            const before = new Map(ids);
            const leaving = new Set(moved.values());
            for (const path of before.keys()) if (leaving.has(path) || !next.has(path)) ids.delete(path);
            for (const [to, from] of moved) ids.set(to, before.get(from));
            state = next;
          }
          const result = await clone.push();
          assert.equal(
            result.commits.filter(({ versionId }) => versionId !== null).at(-1)?.versionId ?? null,
            result.commits.every(({ versionId }) => versionId === null) ? null : workspace.journal.state.head,
          );
          const pushed = new Map(clone.files);
          await clone.pull();
          assert.deepEqual(Object.fromEntries(clone.files), Object.fromEntries(pushed), `push ${push}`);
          for (const [path, id] of ids) if (id !== undefined) assert.equal(idOf(path), id, `${path}, push ${push}`);
          for (const { documentId, location, sequence } of result.documents) {
            const found = workspace.view(operator).documentById(documentId);
            assert.deepEqual([found?.location ?? null, found?.current.sequence ?? sequence], [location, sequence]);
          }
          clock.advance(1000);
        }
        await all.pull();
        const outside = [...all.files].filter(([path]) => !path.startsWith('team/'));
        const hidden = ['hidden/a', 'hidden/team/a', 'tea', 'teams/a'].map((path) => [path, path] as const);
        assert.deepEqual(new Map(outside), new Map(hidden));
        await requireSound('before the erase');
        const [path] = [...state.keys()];
        if (path !== undefined) {
          const { id } = await eraseAt(workspace, path);
          await workspace.eraser.finished(id);
          seen.add('erased');
          await clone.pull();
          assert.equal(clone.files.has(path), false);
          await requireSound('after the erase');
        }
        await workspace.checkpointer.run();
        assert.equal(fsck(join(folder, 'acme', 'content.git')), '');
      } finally {
        await test.close();
      }
    });
  }

  after(() => {
    const all = ['create', 'update', 'delete', 'move', 'swap', 'file for folder', 'erased'];
    requireSeen(all, seen, { count: histories, enough: 2 });
  });
});

const isInTheWay = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);

/** Random states of some files, one from the other. */
class Changes {
  readonly #random: () => number;
  readonly #seen: Set<string>;
  #files = 0;

  constructor(from: string, seen: Set<string>) {
    this.#random = makeRandom(from);
    this.#seen = seen;
  }

  below(sides: number): number {
    return Math.floor(this.#random() * sides);
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  begin(texts: ReadonlyMap<string, string>): State {
    return new Map([...texts].map(([path, text]) => [path, { file: (this.#files += 1), text }]));
  }

  after(before: State): State {
    const after = new Map(before);
    const free = (path: string): void => {
      for (const other of after.keys()) if (isInTheWay(path, other)) after.delete(other);
    };
    for (let left = this.below(5); left > 0; left -= 1) {
      const paths = [...after.keys()];
      const what = this.pick(['create', 'create', 'update', 'delete', 'move', 'move', 'swap'] as const);
      if (what === 'create') {
        const path = this.pick(names);
        if (paths.some((other) => other !== path && isInTheWay(path, other))) this.#seen.add('file for folder');
        free(path);
        after.set(path, { file: (this.#files += 1), text: `text ${this.below(4)}` });
      } else if (paths.length > 0) {
        const path = this.pick(paths);
        const file = after.get(path)!;
        if (what === 'update') after.set(path, { ...file, text: `text ${this.below(4)}` });
        else if (what === 'delete') after.delete(path);
        else if (what === 'swap') {
          const other = this.pick(paths);
          after.set(path, after.get(other)!).set(other, file);
        } else {
          const to = this.pick(names);
          after.delete(path);
          free(to);
          after.set(to, file);
        }
      }
      this.#seen.add(what);
    }
    return after;
  }
}

/** A file that keeps its identity when it moves. */
interface File {
  readonly file: number;
  readonly text: string;
}

type State = ReadonlyMap<string, File>;

/**
 * What git makes of it: a file that comes to the place of one that does not move away is a change of that one.
 * @returns the moves too, from new places to old ones
 */
function compare(before: State, after: State): { readonly commit: CloneCommit; readonly moved: Map<string, string> } {
  const placeOf = new Map([...before].map(([path, { file }]) => [file, path]));
  const moved = new Map<string, string>();
  for (const [path, { file }] of after) {
    const from = placeOf.get(file);
    if (from !== undefined && from !== path) moved.set(path, from);
  }
  for (let isDone = false; !isDone;) {
    const leaving = new Set(moved.values());
    const stuck = [...moved.keys()].filter((to) => before.has(to) && !leaving.has(to));
    for (const to of stuck) moved.delete(to);
    isDone = stuck.length === 0;
  }
  const leaving = new Set(moved.values());
  const write: Record<string, string | null> = {};
  for (const path of before.keys()) if (!leaving.has(path) && !after.has(path)) write[path] = null;
  for (const [path, { text }] of after) {
    const source = moved.get(path) ?? (leaving.has(path) ? undefined : path);
    if (source === undefined || before.get(source)?.text !== text) write[path] = text;
  }
  return { commit: { write, move: Object.fromEntries([...moved].map(([to, from]) => [from, to])) }, moved };
}
