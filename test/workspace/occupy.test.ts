import assert from 'node:assert/strict';
import { operatorId } from '../../lib/domain/principal.js';
import { Tree } from '../../lib/git/objects/tree.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('A place in the tree', () => {
  let test: TestService;
  let someone: Actor;

  beforeEach(async () => {
    test = await openTestService();
    someone = new Actor(test.workspace, operatorId);
  });
  afterEach(() => test.close());

  it('is a file or a folder and never both', async () => {
    await someone.create('a/b.md');
    const taken = 'CONFLICT name_taken';
    assert.equal(await outcomeOf(someone.create('a/b.md')), taken);
    assert.equal(await outcomeOf(someone.create('a/b.md/c.md')), taken);
    assert.equal(await outcomeOf(someone.createFolder('a/b.md/c')), taken);
    assert.equal(await outcomeOf(someone.create('a')), taken);
    assert.equal(await outcomeOf(someone.createFolder('a')), taken);
    await someone.create('x.md');
    assert.equal(await outcomeOf(someone.move('x.md', 'a/b.md')), taken);
    assert.equal(await outcomeOf(someone.rename('x.md', 'a')), taken);
    assert.equal(await outcomeOf(someone.rename('a', 'x.md')), taken);
    assert.deepEqual(await filesInGit(), ['a/b.md', 'x.md']);
  });

  it('is free for a file when the folder of that name is gone, and the reverse', async () => {
    await someone.create('a/b/c.md');
    await someone.delete('a/b/c.md');
    await someone.create('a');
    await someone.delete('a');
    await someone.create('a/b');
    assert.deepEqual(await filesInGit(), ['a/b']);
  });

  it('vanishes as a folder with its last content, and so do those above', async () => {
    await someone.create('a/b/c/d.md');
    await someone.create('a/x.md');
    await someone.delete('a/b/c/d.md');
    assert.deepEqual(await someone.list('a'), ['x.md']);
    await someone.move('a/x.md', '');
    assert.deepEqual(await someone.list(), ['x.md']);
    await someone.create('p/q/r.md');
    await someone.move('p/q', '');
    assert.deepEqual(await someone.list(), ['q/', 'x.md']);
  });

  it('stays as a folder that was created, and is shown empty', async () => {
    await someone.createFolder('a/kept');
    assert.deepEqual(await someone.list('a'), ['kept/']);
    assert.deepEqual(await someone.list('a/kept'), []);
    assert.deepEqual(await filesInGit(), ['a/kept/.keep']);
    await someone.create('a/kept/x.md');
    await someone.delete('a/kept/x.md');
    assert.deepEqual(await someone.list('a'), ['kept/']);
    await someone.rename('a', 'b');
    assert.deepEqual(await someone.list('b'), ['kept/']);
    assert.deepEqual(await filesInGit(), ['b/kept/.keep']);
    await someone.move('b/kept', '');
    assert.deepEqual(await someone.list(), ['kept/']);
  });

  it('cannot be moved into itself, and an unchanged name is taken', async () => {
    await someone.create('a/b/c.md');
    assert.equal(await outcomeOf(someone.move('a', 'a')), 'INVALID_REQUEST into_itself');
    assert.equal(await outcomeOf(someone.move('a', 'a/b')), 'INVALID_REQUEST into_itself');
    assert.equal(await outcomeOf(someone.rename('a', 'a')), 'CONFLICT name_taken');
    assert.equal(await outcomeOf(someone.move('a/b', 'a')), 'CONFLICT name_taken');
  });

  it('is made again, with its folders, by an undelete, unless it is taken', async () => {
    await someone.create('a/b/c.md', 'old');
    await someone.delete('a/b/c.md');
    await someone.create('a/b', 'in the way');
    assert.equal(await outcomeOf(someone.undelete('a/b/c.md')), 'CONFLICT location_occupied');
    await someone.delete('a/b');
    await someone.undelete('a/b/c.md');
    assert.equal(await someone.read('a/b/c.md'), 'old');
    assert.equal(await outcomeOf(someone.undelete('a/b')), 'CONFLICT location_occupied');
    assert.equal(await outcomeOf(someone.undelete('nothing/here')), 'NOT_FOUND');
  });

  /** Every file in the present commit, by path. */
  async function filesInGit(): Promise<string[]> {
    const { journal, objects } = test.workspace;
    const walk = async (oid: string, prefix: string): Promise<string[]> => {
      const found: string[] = [];
      for (const entry of (await objects.readTree(oid)).entries()) {
        if (entry.mode === '40000') found.push(...(await walk(entry.oid, `${prefix}${entry.name}/`)));
        else found.push(prefix + entry.name);
      }
      return found;
    };
    return walk(journal.state.tree ?? Tree.empty.oid, '');
  }
});
