import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adoptCommits } from '../../lib/derived/adopt-commits.js';
import { derivedPaths, packFolder } from '../../lib/derived/state.js';
import type { TouchedDocument } from '../../lib/derived/find-pushed.js';
import { parseLocation } from '../../lib/domain/location.js';
import type { Derived } from '../../lib/derived/derive.js';
import { findDocumentById } from '../../lib/view/locate.js';
import type { Client } from '../support/store/client.js';
import { gitEnvironment, runGit } from '../support/processes/run-git.js';
import { assertAgrees, git, openDerivedWorld, readLog, type DerivedWorld } from './derived-world.js';

describe('an adoption of pushed commits', function () {
  let world: DerivedWorld;
  let ada: Client;
  let before: Derived;
  let folder: string;
  let scratch: string;

  beforeEach(async () => {
    world = await openDerivedWorld();
    ada = await world.person('Ada', 'shared');
    await ada.create('shared/a.md', 'text of a');
    await ada.create('shared/b.md', 'text of b');
    before = await world.derive(ada.id);
    ({ folder } = await world.order(ada.id));
    scratch = mkdtempSync(join(tmpdir(), 'cartulary-pushed-'));
  });

  afterEach(async () => {
    rmSync(scratch, { recursive: true });
    await world.close();
  });

  it('makes the client’s own commits the head, and goes on from them', async () => {
    const write = (clone: string): void => {
      execFileSync('bash', ['-ec', 'printf two > shared/a.md; printf new > shared/n.md; rm shared/b.md'], {
        cwd: clone,
      });
    };
    const { head, packs } = commitInClone(write);
    const changed = await ada.update('shared/a.md', 'two');
    const created = await ada.create('shared/n.md', 'new');
    const deleted = ada.workspace.view(ada.caller).document('shared/b.md' as never)?.id ?? '';
    await ada.delete('shared/b.md');
    const documents = [standing(changed.id), standing(created.id), standing(deleted, ['shared/b.md'], 1)];
    const adopted = { folder, onto: before.head, head, packs, documents };
    assert.equal(await adoptCommits(adopted), true);
    assert.equal(git(before.repository, 'rev-parse', 'main'), head);
    assert.deepEqual(readdirSync(packs).length, 2, 'the caller removes them');
    assert.equal(await adoptCommits(adopted), true, 'once more, as after a crash');
    const after = await world.derive(ada.id);
    assert.deepEqual([after.head, after.commits, after.madeAnew], [head, 0, null]);
    await ada.update('shared/n.md', 'newer');
    const grown = await world.derive(ada.id);
    assert.deepEqual(readLog(grown).at(-1), 'Update shared/n.md M shared/n.md');
    await assertAgrees(grown, ada, [git(before.repository, 'rev-parse', `${before.head}:shared/b.md`)]);
  });

  it('is finished after a crash that had brought the packs alone', async () => {
    const { head, packs } = commitInClone((clone) => runGit(clone, ['mv', 'shared/a.md', 'shared/c.md']));
    const { id } = ada.workspace.view(ada.caller).document('shared/a.md' as never) ?? { id: '' };
    await ada.rename('shared/a.md', 'c.md', true);
    const documents = [standing(id, ['shared/a.md'])];
    const target = packFolder(derivedPaths(folder).repository);
    for (const file of readdirSync(packs)) execFileSync('cp', [join(packs, file), target]);
    assert.equal(await adoptCommits({ folder, onto: before.head, head, packs, documents }), true);
    const after = await world.derive(ada.id);
    assert.deepEqual([after.head, after.commits], [head, 0]);
    await assertAgrees(after, ada);
  });

  it('changes nothing where another document has taken the place of a changed one', async () => {
    const { head, packs } = commitInClone((clone) =>
      execFileSync('bash', ['-ec', 'printf two > shared/a.md'], { cwd: clone }),
    );
    await ada.delete('shared/a.md');
    await ada.create('shared/a.md', 'text of a');
    await ada.update('shared/a.md', 'two');
    const documents = [standing(idAt('shared/a.md'))];
    assert.equal(await adoptCommits({ folder, onto: before.head, head, packs, documents }), false);
    await assertAgrees(await world.derive(ada.id), ada, [
      git(before.repository, 'rev-parse', `${before.head}:shared/a.md`),
    ]);
  });

  it('changes nothing where another document has taken the place of a moved one', async () => {
    const { head, packs } = commitInClone((clone) => runGit(clone, ['mv', 'shared/a.md', 'shared/c.md']));
    await ada.rename('shared/a.md', 'elsewhere.md', true);
    await ada.create('shared/a.md', 'text of a');
    await ada.rename('shared/a.md', 'c.md', true);
    const documents = [standing(idAt('shared/c.md'), ['shared/a.md'])];
    assert.equal(await adoptCommits({ folder, onto: before.head, head, packs, documents }), false);
    await assertAgrees(await world.derive(ada.id), ada);
  });

  it('changes nothing where a changed document was at another place when it was served', async () => {
    const { head, packs } = commitInClone((clone) => runGit(clone, ['rm', '-q', 'shared/a.md']));
    await ada.delete('shared/a.md');
    await ada.rename('shared/b.md', 'a.md', true);
    const id = idAt('shared/a.md');
    await ada.delete('shared/a.md');
    const documents = [standing(id, ['shared/a.md'], 1)];
    assert.equal(await adoptCommits({ folder, onto: before.head, head, packs, documents }), false);
  });

  it('changes nothing when the repository has another head, or none', async () => {
    const { head, packs } = commitInClone((clone) => runGit(clone, ['rm', '-q', 'shared/a.md']));
    await ada.update('shared/b.md', 'meanwhile');
    const grown = await world.derive(ada.id);
    const adopted = { folder, onto: before.head, head, packs, documents: [] };
    assert.equal(await adoptCommits(adopted), false);
    assert.equal((await world.derive(ada.id)).head, grown.head);
    assert.equal(await adoptCommits({ ...adopted, folder: `${folder}-nobody` }), false);
  });

  const idAt = (place: string): string => ada.workspace.view(ada.caller).document(parseLocation(place))?.id ?? '';

  /** A clone's commit, and a folder with its objects in one thin pack made whole. */
  function commitInClone(change: (clone: string) => void): { readonly head: string; readonly packs: string } {
    const clone = join(scratch, 'clone');
    execFileSync('git', ['clone', '-q', before.repository, clone], { env: { ...gitEnvironment }, stdio: 'pipe' });
    change(clone);
    runGit(clone, ['add', '-A']);
    runGit(clone, ['commit', '-qm', 'Pushed']);
    const head = runGit(clone, ['rev-parse', 'HEAD']).trim();
    const packs = join(scratch, 'packs');
    mkdirSync(packs);
    execFileSync('git', ['-C', clone, 'pack-objects', '--revs', '-q', join(packs, 'pack')], {
      input: `${head}\n^${before.head}\n`,
      env: { ...gitEnvironment },
    });
    return { head, packs };
  }

  /** Where a document stands now, as a push's result says it. @param places where else it was */
  function standing(id: string, places: readonly string[] = [], deleted?: number): TouchedDocument {
    const former = places.map((place) => parseLocation(place));
    const found = findDocumentById(world.test.workspace.journal.reader, id);
    if (deleted !== undefined || found === undefined) {
      return { documentId: id, location: null, sequence: deleted ?? 1, places: new Set(former) };
    }
    const { location, row } = found;
    return { documentId: id, location, sequence: row.current.sequence, places: new Set([...former, location]) };
  }
});
