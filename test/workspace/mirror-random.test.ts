import assert from 'node:assert/strict';
import { join } from 'node:path';
import { verifyWorkspace } from '../../lib/integrity/verify-workspace.js';
import { rebuild } from '../../lib/operations/workspaces/rebuild.js';
import { countOf, requireSeen, seedOf } from '../support/counts.js';
import { fsck } from '../support/git/fixture.js';
import { eraseAt } from '../support/store/erase-at.js';
import { dumpContent } from '../support/store/history.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';
import { readMirror } from '../support/store/read-mirror.js';
import { TestMirror } from '../support/store/test-mirror.js';

const histories = countOf('MIRROR_HISTORIES', { usual: 1, campaign: 60 });
const seed = seedOf(20261123);
const syncs = 12;
/** Few names, so that files and folders take each other's places. */
const names = ['a', 'b', 'c', 'a/x', 'a/y', 'b/x/deep', 'c/d', 'c/d/e', 'f.md', 'g.md', 'h/i.md'];

let files = 0;

describe('After any changes of a source', () => {
  let test: TestService;
  beforeEach(async () => {
    test = await openTestService({ store: 'disk' });
  });
  afterEach(() => test.close());

  const seen = new Set<string>();
  for (let number = 0; number < histories; number++) {
    it(`the mirror is equal to it, and its commits alone give every row again (${number})`, async function () {
      this.timeout(60_000);
      const { workspace, dataFolder, clock } = test;
      const folder = dataFolder ?? '';
      const dice = new Dice(seed + number);
      const mirror = await TestMirror.open(workspace, 'mirrors/upstream');
      const requireSound = async (when: string): Promise<void> => {
        const options = { dataFolder: folder, name: 'acme', git: 'auto' } as const;
        const { problems } = await verifyWorkspace(options, () => undefined);
        assert.deepEqual(problems, [], when);
        const before = dumpContent(folder);
        await rebuild(workspace, operator);
        assert.deepEqual(dumpContent(folder), before, `${when}, after a rebuild`);
      };

      let source: Source = new Map();
      /** Ids of the documents, by their files in the source. */
      const ids = new Map<number, string>();
      for (let sync = 0; sync < syncs; sync++) {
        const { commits } = workspace.journal.state;
        const after = change(source, dice, seen);
        const result = await mirror.sync(compare(source, after));
        assert.deepEqual(result.leftOut, []);
        assert.ok(workspace.journal.state.commits <= commits + 1, 'one sync is one commit');
        const found = await readMirror(mirror);
        assert.deepEqual(textsOf(found), textsOf(after), `sync ${sync}`);
        for (const [path, { file }] of after) {
          const { id = '' } = found.get(path) ?? {};
          // A file that another one replaced in its place has its document.
          const known = ids.get(file);
          if (known !== undefined) assert.equal(id, known, `${path} is the same document in sync ${sync}`);
          ids.set(file, id);
        }
        source = after;
        clock.advance(1000);
      }
      await requireSound('before the erase');
      const [path] = [...source.keys()];
      if (path !== undefined) {
        const { id } = await eraseAt(workspace, mirror.at(path));
        await workspace.eraser.finished(id);
        seen.add('erased');
        const { leftOut } = await mirror.sync({ written: { [path]: 'it is back' } });
        assert.deepEqual(
          leftOut.map(({ reason }) => reason),
          ['suppressed'],
        );
        assert.equal((await readMirror(mirror)).has(path), false);
        await requireSound('after the erase');
      }
      await workspace.checkpointer.run();
      assert.equal(fsck(join(folder, 'acme', 'content.git')), '');
    });
  }

  after(() => {
    const all = ['create', 'update', 'delete', 'move', 'swap', 'replace', 'file for folder', 'erased'];
    requireSeen(all, seen, { count: histories, enough: 4 });
  });
});

/** Numbers that look random, the same for each seed. */
class Dice {
  #state: number;

  constructor(start: number) {
    this.#state = start >>> 0;
  }

  /** Less than `sides`. */
  roll(sides: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * sides);
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.roll(items.length)];
    if (item === undefined) throw new Error('There is nothing to pick from.');
    return item;
  }
}

const isInTheWay = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);

const textsOf = (texts: ReadonlyMap<string, { readonly text: string }>): Record<string, string> =>
  Object.fromEntries([...texts].map(([path, { text }]) => [path, text]));

/** A file of the source. The number is its identity: it keeps it when it moves. */
interface SourceFile {
  readonly file: number;
  readonly text: string;
}

type Source = ReadonlyMap<string, SourceFile>;

/** The source after some changes. @param seen gets what happened */
function change(before: Source, dice: Dice, seen: Set<string>): Source {
  const after = new Map(before);
  const free = (path: string): void => {
    for (const other of after.keys()) if (isInTheWay(path, other)) after.delete(other);
  };
  for (let left = 1 + dice.roll(5); left > 0; left--) {
    const paths = [...after.keys()];
    const what = dice.pick(['create', 'create', 'update', 'delete', 'move', 'swap', 'replace'] as const);
    if (what === 'create') {
      const path = dice.pick(names);
      if (paths.some((other) => other !== path && isInTheWay(path, other))) seen.add('file for folder');
      free(path);
      after.set(path, { file: (files += 1), text: `text ${dice.roll(4)}` });
    } else if (paths.length > 0) {
      const path = dice.pick(paths);
      const file = after.get(path)!;
      if (what === 'update') after.set(path, { ...file, text: `text ${dice.roll(4)}` });
      else if (what === 'delete') after.delete(path);
      else if (what === 'replace') after.set(path, { file: (files += 1), text: file.text });
      else if (what === 'swap') {
        const other = dice.pick(paths);
        after.set(path, after.get(other)!).set(other, file);
      } else {
        const to = dice.pick(names);
        after.delete(path);
        free(to);
        after.set(to, file);
      }
    }
    seen.add(what);
  }
  return after;
}

/** What a run finds out by comparing two states of the source. */
function compare(before: Source, after: Source) {
  const placeOf = new Map([...before].map(([path, { file }]) => [file, path]));
  const written: Record<string, string> = {};
  const moved: Record<string, string> = {};
  const kept = new Set<string>();
  for (const [path, { file, text }] of after) {
    const from = placeOf.get(file);
    if (from !== undefined) kept.add(from);
    if (from !== undefined && from !== path) moved[from] = path;
    if (from === undefined || before.get(from)?.text !== text) written[path] = text;
  }
  return { written, moved, deleted: [...before.keys()].filter((path) => !kept.has(path)) };
}
