import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Derived } from '../../lib/derived/derive.js';
import { derivedPaths, packFolder, readState } from '../../lib/derived/state.js';
import { parseFolderLocation, parseLocation } from '../../lib/domain/location.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import type { Client } from '../support/store/client.js';
import { eraseAt } from '../support/store/erase-at.js';
import { assertAgrees, git, openDerivedWorld, packOfClone, type DerivedWorld } from './derived-world.js';

/** What ada can read of a story, in chapters. Hidden work of others comes between them. */
const chapters: readonly ((admin: Client, ada: Client) => Promise<unknown>)[] = [
  (admin) => admin.create('shared/a.md', 'one'),
  (_admin, ada) => ada.create('shared/sub/b.md', 'two'),
  (admin) => admin.update('shared/a.md', 'one, and more'),
  (admin) =>
    admin.perform(importDocuments, {
      into: parseFolderLocation('shared/in'),
      files: ['x', 'y', 'z'].map((name) => ({
        location: parseLocation(`shared/in/${name}`),
        content: { bytes: Buffer.from(name) },
      })),
      message: 'An import',
    }),
  (_admin, ada) => ada.rename('shared/sub', 'deep', true),
  (admin) => admin.move('shared/deep/b.md', 'shared', true),
  (_admin, ada) => ada.delete('shared/in/y'),
  (admin) => admin.update('shared/b.md', 'two, and more'),
  (_admin, ada) => ada.undelete('shared/in/y'),
];

describe('the bytes of a derived repository', function () {
  const worlds: DerivedWorld[] = [];

  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.close();
  });

  it('are the same when it is made twice', async () => {
    const world = await open();
    const one = await tell(world, { hides: true, fetchAfter: [] });
    const principalId = one.repository.split('/').at(-2) ?? '';
    const other = await world.derive(principalId, '-again');
    assert.equal(other.head, one.head);
    assert.deepEqual(await packsOf(other), await packsOf(one));
  });

  for (const fetchAfter of [[], [0, 2, 4, 5, 6, 7]]) {
    it(`depend on nothing hidden, ${fetchAfter.length === 0 ? 'made at once' : 'grown by many fetches'}`, async () => {
      const [plain, full] = [await open(), await open()];
      const one = await tell(plain, { hides: false, fetchAfter });
      const other = await tell(full, { hides: true, fetchAfter });
      assert.equal(other.head, one.head);
      assert.deepEqual(await packsOf(other), await packsOf(one));
      assert.deepEqual(packOfClone(other), packOfClone(one));
      assert.equal(
        git(other.repository, 'log', '--format=fuller', 'main'),
        git(one.repository, 'log', '--format=fuller', 'main'),
      );
      assert.ok(!readFileSync(derivedPaths(join(other.repository, '..')).state, 'utf8').includes('hidden'));
    });
  }

  it('say nothing of the workspace itself', async () => {
    const world = await open();
    const derived = await tell(world, { hides: true, fetchAfter: [3] });
    const log = git(derived.repository, 'log', '--format=%B%an%ae', 'main');
    for (const word of ['Audit', 'Request', 'Cartulary-', 'req_test', 'hidden', 'secret']) {
      assert.ok(!log.includes(word), word);
    }
    const main = world.test.workspace.repository;
    for (const oid of git(derived.repository, 'rev-list', 'main').split('\n')) assert.equal(await main.has(oid), false);
  });

  async function open(): Promise<DerivedWorld> {
    const world = await openDerivedWorld('same');
    worlds.push(world);
    return world;
  }
});

/** Work outside of ada's reach. */
async function hideSomething(world: DerivedWorld, admin: Client, chapter: number): Promise<void> {
  await admin.create(`hidden/${chapter}.md`, `hidden ${chapter}`);
  await admin.update(`hidden/${chapter}.md`, 'one, and more');
  await admin.create(`shared-not/${chapter}`, 'x');
  if (chapter === 3) await admin.rename('hidden', 'secret', true);
  if (chapter === 4) await admin.move('secret', 'shared-not', true);
  if (chapter === 5) await admin.delete(`hidden/${chapter}.md`);
  if (chapter === 6) {
    const { id } = await eraseAt(world.test.workspace, 'hidden/6.md');
    await world.test.workspace.eraser.finished(id);
  }
  if (chapter === 7) await world.person(`Stranger ${chapter}`, 'hidden');
}

/** Tells the story. @param fetchAfter chapters behind which ada fetches, besides the end */
async function tell(
  world: DerivedWorld,
  { hides, fetchAfter }: { readonly hides: boolean; readonly fetchAfter: readonly number[] },
): Promise<Derived> {
  const admin = await world.person('Admin', '');
  await world.test.grant('approver', { type: 'principal', id: admin.id }, '');
  const ada = await world.person('Ada', 'shared');
  for (const [index, chapter] of chapters.entries()) {
    if (hides) await hideSomething(world, admin, index);
    await chapter(admin, ada);
    if (fetchAfter.includes(index)) await world.derive(ada.id);
    world.test.clock.advance(1000);
  }
  const derived = await world.derive(ada.id);
  await assertAgrees(derived, ada);
  return derived;
}

/** The packs on disk, in their order. */
async function packsOf(derived: Derived): Promise<Buffer[]> {
  const state = await readState(join(derived.repository, '..'));
  assert.equal(
    readdirSync(packFolder(derived.repository)).filter((f) => f.endsWith('.pack')).length,
    state?.packs.length,
  );
  return (state?.packs ?? []).map(({ name }) =>
    readFileSync(join(packFolder(derived.repository), `pack-${name}.pack`)),
  );
}
