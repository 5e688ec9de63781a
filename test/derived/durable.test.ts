import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DeriveWorker } from '../../lib/derived/derive-worker.js';
import { deriveRepository, type Derived, type DeriveOrder } from '../../lib/derived/derive.js';
import { derivedPaths, packFolder, readState, stateHolds } from '../../lib/derived/state.js';
import { obstacleOf } from '../../lib/disk/obstacle.js';
import type { Client } from '../support/store/client.js';
import { mountDisk, unmountAll } from '../support/processes/obstacles.js';
import { assertAgrees, git, openDerivedWorld, readFiles, readLog, type DerivedWorld } from './derived-world.js';

const program = fileURLToPath(new URL('./dying-derive.js', import.meta.url));
const never = new AbortController().signal;

describe('a derived repository on disk', function () {
  let world: DerivedWorld;
  let admin: Client;
  let ada: Client;
  let order: DeriveOrder;

  beforeEach(async () => {
    world = await openDerivedWorld();
    admin = await world.person('Admin', '');
    ada = await world.person('Ada', 'shared');
    await admin.create('shared/a.md', 'text of a');
    await admin.create('shared/b.md', 'text of b');
    order = await world.order(ada.id);
  });

  afterEach(async () => {
    unmountAll();
    await world.close();
  });

  it('is right at the next call, wherever the first making is killed', async () => {
    let step = 1;
    for (; dieAt(step); step += 1) {
      assert.equal(await stateHolds(order.folder, new Set(['doc_of_nobody'])), step > 2, `step ${step}`);
      const derived = await world.derive(ada.id);
      await assertAgrees(derived, ada);
      assert.deepEqual(Object.keys(readFiles(derived)), ['shared/a.md', 'shared/b.md']);
      rmSync(order.folder, { recursive: true });
    }
    assert.equal(step, 9);
  });

  it('is the earlier one or the grown one, wherever a growth is killed, and then grows to the same', async () => {
    const first = await world.derive(ada.id);
    await admin.rename('shared/a.md', 'c.md', true);
    await admin.update('shared/c.md', 'more');
    await world.derive(ada.id, 'other');
    let step = 1;
    const heads = new Set<string>();
    for (; dieAt(step); step += 1) {
      const state = await readState(order.folder);
      heads.add(state?.head ?? 'none');
      const grown = await world.derive(ada.id);
      await assertAgrees(grown, ada);
      assert.equal(grown.madeAnew, null);
      assert.equal(git(grown.repository, 'merge-base', '--is-ancestor', first.head ?? '', grown.head ?? ''), '');
      assert.deepEqual(readLog(grown).slice(2, 4), [
        'Rename shared/a.md to shared/c.md R100 shared/a.md shared/c.md',
        'Update shared/c.md M shared/c.md',
      ]);
      await admin.update('shared/b.md', `step ${step}`);
    }
    assert.equal(step, 7);
  });

  it('keeps few packs, however often it grows, and one history', async () => {
    let derived = await world.derive(ada.id);
    const first = derived.head ?? '';
    for (let growth = 0; growth < 45; growth += 1) {
      await admin.update('shared/a.md', `growth ${growth}`);
      derived = await world.derive(ada.id);
    }
    await assertAgrees(derived, ada);
    assert.equal(git(derived.repository, 'rev-list', '--count', 'main'), '47');
    assert.equal(git(derived.repository, 'merge-base', first, 'main'), first);
    const packs = readdirSync(packFolder(derived.repository)).filter((file) => file.endsWith('.pack'));
    assert.ok(packs.length < 15, `${packs.length} packs`);
  });

  it('is made again when its files are damaged', async () => {
    const first = await world.derive(ada.id);
    const { state, repository } = derivedPaths(order.folder);
    const [pack = ''] = readdirSync(packFolder(repository)).filter((file) => file.endsWith('.pack'));
    const damages: [string, () => void][] = [
      ['a short state', () => truncateSync(state, 100)],
      [
        'a state without its last line',
        () => writeFileSync(state, readFileSync(state, 'utf8').replace(/[^\n]+\n$/, '')),
      ],
      ['an empty state', () => truncateSync(state, 0)],
      ['another format', () => writeFileSync(state, '{"format":99}\n')],
      ['no JSON', () => writeFileSync(state, 'state\n')],
      ['a short pack', () => truncateSync(join(packFolder(repository), pack), 40)],
      ['a lost pack', () => rmSync(join(packFolder(repository), pack))],
      ['a lost repository', () => rmSync(repository, { recursive: true })],
      ['a lost HEAD', () => rmSync(join(repository, 'HEAD'))],
    ];
    for (const [what, damage] of damages) {
      damage();
      const again = await world.derive(ada.id);
      assert.ok(again.madeAnew === 'damaged' || (what === 'an empty state' && again.madeAnew === 'first'), what);
      assert.equal(again.head, first.head, what);
      await assertAgrees(again, ada);
    }
  });

  it('follows its state when the branch is lost, or was left behind', async () => {
    const first = await world.derive(ada.id);
    rmSync(join(first.repository, 'refs/heads/main'));
    assert.equal((await world.derive(ada.id)).head, first.head);
    assert.equal(git(first.repository, 'rev-parse', 'main'), first.head);
  });

  it('knows which documents it ever held', async () => {
    await world.derive(ada.id);
    const state = await readState(order.folder);
    const [id = ''] = state?.documents.keys() ?? [];
    assert.equal(await stateHolds(order.folder, new Set(['doc_else', id])), true);
    assert.equal(await stateHolds(order.folder, new Set(['doc_else'])), false);
    assert.equal(await stateHolds(join(order.folder, 'nothing'), new Set([id])), false);
    await admin.delete('shared/a.md');
    await admin.delete('shared/b.md');
    await world.derive(ada.id);
    assert.equal(await stateHolds(order.folder, new Set([id])), true, 'after its deletion, too');
    writeFileSync(join(packFolder(derivedPaths(order.folder).repository), `pack-${'0'.repeat(40)}.pack`), 'left');
    assert.equal(await stateHolds(order.folder, new Set(['doc_else'])), true, 'a remnant may hold anything');
  });

  it('says that the disk is full, and stays the earlier one', async function () {
    const at = join(order.folder, '..', 'small');
    mountDisk(this, at, 1);
    const small = { ...order, folder: join(at, ada.id) };
    const first = await deriveRepository(small, never);
    // No text repeats, so it takes as much room as it has bytes.
    const large = Array.from({ length: 60_000 }, (_, index) => Math.imul(index, 2654435761).toString(36)).join('\n');
    await admin.create('shared/large.md', large.repeat(4));
    await admin.create('shared/larger.md', Buffer.from(large.repeat(3)).toString('base64'));
    await assert.rejects(deriveRepository(small, never), (error) => obstacleOf(error) === 'no_room');
    assert.equal(git(first.repository, 'rev-parse', 'main'), first.head);
    assert.equal(await stateHolds(small.folder, new Set(['doc_else'])), false, 'nothing is left of it');
    await admin.delete('shared/large.md');
    await admin.delete('shared/larger.md');
    const again = await deriveRepository(small, never);
    assert.equal(again.head, first.head);
    await assertAgrees(again, ada);
  });

  it('is made in a thread, which ends abandoned work', async () => {
    const worker = new DeriveWorker();
    try {
      const derived: Derived = await worker.derive(order, never);
      await assertAgrees(derived, ada);
      await admin.update('shared/a.md', 'more');
      const stopping = new AbortController();
      const work = worker.derive(order, stopping.signal);
      stopping.abort(new Error('nobody wants it'));
      await assert.rejects(work, /nobody wants it/);
      assert.equal((await worker.derive(order, never)).commits, 1);
      const lost = { ...order, content: join(order.folder, 'nowhere'), folder: `${order.folder}-lost` };
      await world.test.workspace.checkpointer.run();
      await assert.rejects(worker.derive(lost, never), { name: 'RepositoryUnreadable' });
    } finally {
      await worker.close();
    }
  });

  /** Derives in a process that is killed before its step with this number. @returns whether it was */
  function dieAt(step: number): boolean {
    const child = spawnSync(process.execPath, [program, JSON.stringify(order), String(step)], { encoding: 'utf8' });
    assert.equal(child.stderr, '');
    return child.signal === 'SIGKILL';
  }
});
