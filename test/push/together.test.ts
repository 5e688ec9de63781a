import assert from 'node:assert/strict';
import { parseLocation, rootLocation } from '../../lib/domain/location.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { listHistory } from '../../lib/operations/history/list-history.js';
import { perform } from '../../lib/operations/perform.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { Clone, refusedOf } from '../support/store/clone.js';
import { eraseAt } from '../support/store/erase-at.js';
import { openTestService, type TestService } from '../support/store/service.js';

const pushers = 16;
const writers = 4;
const pushesOfEach = 2;
/** Documents to which all of them add lines. */
const shared = ['team/0.md', 'team/1.md', 'team/2.md'];

describe('Pushes beside other work', function () {
  this.timeout(60_000);
  let test: TestService;
  let ada: Actor;

  beforeEach(async () => {
    test = await openTestService({ store: 'disk-without-git' });
    ada = new Actor(test.workspace, (await test.person('editor', 'team', 'Ada')).id);
  });
  afterEach(() => test.close());

  it('lose no change of others and have none twice, with sixteen pushers beside writers, each sending all twice', async () => {
    const { workspace } = test;
    for (const path of shared) await ada.create(path, '');
    const lines: string[] = [];
    const add = async (name: string, change: (line: string, path: string) => Promise<unknown>): Promise<void> => {
      for (let count = 0; count < pushesOfEach; count += 1) {
        const line = `${name}-${count}\n`;
        lines.push(line);
        const path = shared[(name.length + lines.length) % shared.length] ?? '';
        for (let isDone = false; !isDone;) {
          try {
            await change(line, path);
            isDone = true;
          } catch (error) {
            if (!(error instanceof Refusal) || error.code !== 'CONFLICT') throw error;
          }
        }
      }
    };
    const push = (number: number): Promise<void> => {
      const clone = new Clone(new Actor(workspace, ada.caller.principalId, `req_${number}`));
      return add(`pusher-${number}`, async (line, path) => {
        await clone.pull();
        clone
          .commit({ write: { [path]: `${clone.files.get(path) ?? ''}${line}` } })
          .commit({ write: { [`team/of/${line.trim()}`]: line } });
        const [first, second] = await Promise.allSettled([clone.tryPush(), clone.tryPush()]);
        if (first.status === 'rejected') throw first.reason;
        if (second.status === 'rejected') throw second.reason;
        assert.equal([first, second].filter(({ value }) => value.replayed).length, 1);
      });
    };
    const write = (number: number): Promise<void> =>
      add(`writer-${number}`, async (line, path) => {
        const location = parseLocation(path);
        const current = workspace.view(ada.caller).document(location)?.current;
        const text = current === undefined ? '' : (await workspace.objects.readContent(current)).toString();
        await ada.update(path, `${text}${line}`, `"${current?.id ?? ''}"`);
      });
    await Promise.all([
      ...Array.from({ length: pushers }, (_, number) => push(number)),
      ...Array.from({ length: writers }, (_, number) => write(number)),
    ]);
    const texts = await Promise.all(shared.map((path) => ada.read(path)));
    const kept = texts.flatMap((text) => text.split(/(?<=\n)/));
    assert.deepEqual(kept.toSorted(), lines.toSorted());
    assert.equal((await ada.list('team/of')).length, pushers * pushesOfEach);
    for (const [index, path] of shared.entries()) {
      const input = { location: parseLocation(path), after: '', limit: 200 };
      const { items } = (await perform(workspace, ada.caller, listHistory, input)).result;
      assert.equal(items.length, 1 + (texts[index]?.split('\n').length ?? 1) - 1, 'one version for each line');
    }
  });

  it('let others read between their steps, who see all of a push or nothing', async () => {
    const { workspace } = test;
    const clone = await Clone.of(ada);
    const write = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`team/f${index % 7}/${index}.md`, 'x']),
    );
    clone.commit({ write });
    for (let commit = 0; commit < 100; commit += 1) clone.commit({ write: { 'team/f0/0.md': `version ${commit}` } });
    const seen = new Set<number>();
    const looking = setInterval(() => seen.add([...workspace.view(ada.caller).walk(rootLocation)].length), 1);
    const result = await clone.push();
    clearInterval(looking);
    assert.equal(result.commits.length, 101);
    assert.equal(result.documents.length, 500);
    assert.ok(seen.has(0) && [...seen].every((count) => count === 0 || count === 500), [...seen].join());
    assert.equal(await ada.read('team/f0/0.md'), 'version 99');
  });

  it('leave no content behind where they are refused', async () => {
    const { workspace } = test;
    const clone = await Clone.of(ada);
    const large = 'x'.repeat(1024 * 1024 + 1);
    clone.commit({ write: { 'team/small.md': 'small', 'team/large.md': large, 'out.md': 'refused' } });
    await refusedOf(clone.push());
    const { objects } = workspace.journal.reader;
    assert.deepEqual([objects.stagedPacks(), objects.staged()], [[], []]);
  });

  it('are broken off by an erase, and written when they are sent again', async () => {
    const { workspace } = test;
    await ada.create('team/a.md', 'secret');
    await ada.create('team/b.md', 'b');
    const clone = await Clone.of(ada);
    await clone.commit({ write: { 'team/a.md': 'secret of a push', 'team/b.md': '2' }, message: 'Both' }).push();
    clone.commit({ write: { 'team/b.md': '3' } });
    const stage = workspace.stages.open({ type: 'push', id: 'waiting' });
    const { id } = await eraseAt(workspace, 'team/a.md');
    const erased = workspace.eraser.finished(id);
    await new Promise((resolve) => stage.signal.addEventListener('abort', resolve));
    await stage.close();
    await erased;
    await clone.push();
    assert.equal(await ada.read('team/b.md'), '3');
    assert.equal(await outcomeOf(ada.read('team/a.md')), 'NOT_FOUND');
  });

  it('are not made again by a retry when one of their documents was erased', async () => {
    const clone = await Clone.of(ada);
    clone.commit({ write: { 'team/a.md': 'a', 'team/b.md': 'b' } });
    await clone.tryPush();
    const { id } = await eraseAt(test.workspace, 'team/a.md');
    await test.workspace.eraser.finished(id);
    const { head } = test.workspace.journal.state;
    assert.equal(await outcomeOf(clone.tryPush()), 'NOT_FOUND');
    assert.equal(test.workspace.journal.state.head, head);
  });
});
