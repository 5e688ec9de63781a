import assert from 'node:assert/strict';
import { readPolicy } from '../../lib/access/read-policy.js';
import { Reach } from '../../lib/view/reach.js';
import { findTwin, requirePortable } from '../../lib/changes/portable-names.js';
import { parseLocation } from '../../lib/domain/location.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { deleteFolder } from '../../lib/operations/folders/delete-folder.js';
import { undeleteFolder } from '../../lib/operations/folders/undelete-folder.js';
import { perform } from '../../lib/operations/perform.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { reportNames } from '../../lib/commands/operator/report-names.js';
import { findDocumentId } from '../../lib/view/locate.js';
import { View } from '../../lib/view/view.js';
import { openActors, type Actors, type Person } from '../support/model/actors.js';
import { measureHold } from '../support/processes/measure-hold.js';
import { outcomeOf, refusalOf } from '../support/store/actor.js';
import { operator } from '../support/store/service.js';
import { entryOf, TestMirror } from '../support/store/test-mirror.js';

const badName = 'INVALID_REQUEST bad_location';
const taken = 'CONFLICT name_taken';

describe('A workspace with portable names', () => {
  let actors: Actors;
  let ada: Person;

  beforeEach(async () => {
    actors = await openActors();
    ada = await actors.person('approver');
  });
  afterEach(() => actors.service.close());

  it('is what a new one is, and refuses to create what Windows or macOS cannot check out', async () => {
    await ada.create('team/plan.md');
    for (const name of ['a:b.md', 'q?.md', 'x|y.md', '<x>.md', 'star*', '"quoted".md', 'trail.']) {
      assert.equal(await outcomeOf(ada.create(`team/${name}`)), badName, name);
      assert.equal(await outcomeOf(ada.create(`${name}/x.md`)), badName, name);
      assert.equal(await outcomeOf(ada.createFolder(`team/${name}`)), badName, name);
    }
    for (const location of ['team/PLAN.md', 'TEAM/x.md', 'Team', 'team/plan.MD/deeper.md']) {
      const { code, message, details } = await refusalOf(ada.create(location));
      assert.equal(`${code} ${details?.reason}`, taken);
      assert.match(
        message,
        /^Windows and macOS cannot tell "\S+" from "team(\/plan\.md)?", which is here already\. Choose/,
      );
    }
    assert.equal(await outcomeOf(ada.createFolder('team/Plan.md')), taken);
    const { message, details } = await refusalOf(ada.create('team/sub/a:b.md'));
    assert.equal(message, 'The location has : in "a:b.md", which Windows does not allow in a name.');
    assert.ok(details !== undefined && 'field' in details && details.field === 'location');
  });

  it('refuses such a name to a rename and a move, but lets a thing change the case of its own', async () => {
    for (const location of ['a/Plan.md', 'b/plan.md', 'b/x.md', 'Sub/y.md']) await ada.create(location);
    assert.equal(await outcomeOf(ada.rename('b/x.md', 'x?.md')), badName);
    assert.equal(await outcomeOf(ada.rename('b/x.md', 'PLAN.md')), taken);
    assert.equal(await outcomeOf(ada.move('a/Plan.md', 'b')), taken);
    assert.equal(await outcomeOf(ada.move('b/x.md', 'c:d')), badName);
    assert.equal(await outcomeOf(ada.move('b/x.md', 'sub')), taken);
    assert.equal(await outcomeOf(ada.rename('Sub', 'B')), taken);
    await ada.rename('b/plan.md', 'Plan.md');
    await ada.rename('Sub', 'SUB');
    await ada.move('SUB/y.md', 'sub');
    assert.deepEqual(await ada.list(), ['a/', 'b/', 'sub/']);
    assert.deepEqual(await ada.list('b'), ['Plan.md', 'x.md']);
  });

  it('leaves such files out of an import, with the reason, and imports the others', async () => {
    await ada.create('in/Present.md');
    const files = ['in/a.md', 'in/A.md', 'in/b?.md', 'in/present.md', 'in/sub/x.md', 'in/SUB/y.md', 'in/sub/z.md'];
    const input = {
      into: parseLocation('in'),
      files: files.map((location) => ({
        location: parseLocation(location),
        content: { bytes: Buffer.from(location) },
      })),
      message: null,
    };
    const { result } = await perform(actors.service.workspace, ada.caller, importDocuments, input);
    assert.deepEqual(result.created, ['in/a.md', 'in/sub/x.md', 'in/sub/z.md']);
    assert.deepEqual(
      result.skipped.map(({ location }) => location),
      ['in/A.md', 'in/b?.md', 'in/present.md', 'in/SUB/y.md'],
    );
    for (const { reason } of result.skipped) assert.match(reason, /Windows/);
  });

  it('leaves such files out of a mirror, with the reason, and keeps those that are mirrored already', async () => {
    await switchTo(false);
    const mirror = await TestMirror.open(actors.service.workspace, 'docs');
    await mirror.sync({ written: { 'old:name.md': 'before' } });
    await switchTo(true);
    const put = ['new:name.md', 'ok.md'].map((path) => entryOf(path));
    await mirror.sync({ written: { 'old:name.md': 'after', 'new:name.md': 'x', 'ok.md': 'x' }, entries: { put } });
    assert.deepEqual(await ada.list('docs'), ['ok.md', 'old:name.md']);
    assert.equal(await ada.read('docs/old:name.md'), 'after');
    const rows = mirror.workspace.journal.reader.mirrorEntries.list(mirror.caller.principalId, '', 10);
    const row = rows.find(({ path }) => path === 'new:name.md');
    assert.deepEqual([row?.reason, row?.detail?.includes('Windows')], ['bad_name', true]);
  });

  it('brings back nothing beside a twin, and keeps the names that things had', async () => {
    await switchTo(false);
    await ada.create('a/Q: and A.md');
    await ada.create('folder/One.md');
    await ada.create('folder/two.md');
    await switchTo(true);
    await ada.delete('a/Q: and A.md');
    await ada.undelete('a/Q: and A.md');
    await ada.move('a/Q: and A.md', 'b');
    await ada.update('b/Q: and A.md', 'more');
    await switchTo(false);
    await ada.create('Q: and A/one.md');
    await switchTo(true);
    await ada.delete('Q: and A/one.md');
    await ada.undelete('Q: and A/one.md');
    const { workspace } = actors.service;
    await perform(workspace, ada.caller, deleteFolder, { location: parseLocation('folder') });
    await ada.create('folder/one.md');
    assert.equal(await outcomeOf(ada.undelete('folder/One.md')), 'CONFLICT location_occupied');
    const { result } = await perform(workspace, ada.caller, undeleteFolder, { location: parseLocation('folder') });
    assert.deepEqual(result.leftAlone, [{ location: 'folder/One.md', reason: 'location_occupied' }]);
    assert.deepEqual(await ada.list('folder'), ['one.md', 'two.md']);
  });

  it('judges only new names: a folder that is there takes new documents', async () => {
    await switchTo(false);
    await ada.create('Q: and A/one.md');
    await ada.create('Q: and A/ONE.md');
    await switchTo(true);
    await ada.create('Q: and A/two.md');
    await ada.createFolder('Q: and A/more');
    assert.equal(await outcomeOf(ada.create('Q: and A/Two.md')), taken);
  });

  it('compares a name with what its writer reads, so that nothing hidden shows', async () => {
    await ada.create('Secret/x.md');
    await ada.create('shared/known.md');
    await ada.create('Half/hidden.md');
    const bea = await actors.person('editor', 'shared');
    await ada.grant('editor', bea.subject, 'secret/mine');
    await ada.grant('editor', bea.subject, 'half');
    await bea.create('secret/mine/a.md');
    await bea.create('half/b.md');
    assert.equal(await outcomeOf(bea.create('shared/Known.md')), taken);
    await ada.grant('reader', bea.subject, 'Half/hidden.md', 'document');
    await bea.delete('half/b.md');
    assert.equal(await outcomeOf(bea.create('half/b.md')), taken, 'it reads something in the other folder now');
  });

  it('takes no longer for each name, however many documents its writer was given', async () => {
    const locations = Array.from({ length: 3000 }, (_, index) => parseLocation(`given/${index}.md`));
    for (let from = 0; from < locations.length; from += 1000) {
      const files = locations
        .slice(from, from + 1000)
        .map((location) => ({ location, content: { bytes: Buffer.from('x') } }));
      await perform(actors.service.workspace, ada.caller, importDocuments, {
        into: parseLocation('given'),
        files,
        message: null,
      });
    }
    const { reader } = actors.service.workspace.journal;
    const ids = locations.map((location) => findDocumentId(reader, location) ?? '');
    const reach = new Reach(
      new Map([[parseLocation('own/folder'), 'editor']]),
      new Map(ids.map((id) => [id, 'reader'])),
    );
    const held = measureHold(() => {
      const view = new View(reader, reach, 0);
      const standing = { view, reach, policy: readPolicy(reader), transaction: { tables: reader } };
      for (let index = 0; index < 500; index += 1) {
        requirePortable(standing, parseLocation(`own/folder/${index}.md`));
        assert.equal(findTwin(view, parseLocation(`GIVEN/${index}.md`)), 'given');
      }
    }, 200);
    assert.ok(held < 200, `${held} ms for 1000 names`);
  }).timeout(30_000);

  it('is reported by doctor with what it holds from before', async () => {
    assert.deepEqual(await reportNames(actors.service.service), []);
    await switchTo(false);
    for (const location of ['a/b?.md', 'a/Twin.md', 'a/twin.md', 'A/x.md', 'ends./y.md', 'fine.md'])
      await ada.create(location);
    const [said, ...more] = await reportNames(actors.service.service);
    assert.deepEqual(more, []);
    assert.equal(
      said?.message,
      'acme: Windows or macOS cannot check these out in a clone. Rename them. ' +
        '"a/b?.md" has ? in "b?.md", which Windows does not allow in a name; ' +
        '"a/twin.md" is the same name as "Twin.md" there; ' +
        '"a" is the same name as "A" there; ' +
        '"ends." has the segment "ends.", and Windows drops the dot at the end of a name.',
    );
  });

  it('that is off, as in a workspace of an earlier release, takes each of these', async () => {
    await switchTo(false);
    for (const location of ['a:b.md', 'A:B.md', 'q?', 'README', 'readme', 'trail.']) await ada.create(location);
    await ada.rename('q?', 'Q?');
    assert.deepEqual(await ada.list(), ['A:B.md', 'Q?', 'README', 'a:b.md', 'readme', 'trail.']);
  });

  const switchTo = (portableNames: boolean): Promise<unknown> =>
    perform(actors.service.workspace, operator, changePolicy, { portableNames });
});
