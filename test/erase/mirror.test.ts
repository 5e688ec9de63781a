import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { eraseAt } from '../support/store/erase-at.js';
import { findTraces, requireSound } from '../support/store/evidence.js';
import { readMirror } from '../support/store/read-mirror.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';
import { entryOf, inOnePiece, TestMirror } from '../support/store/test-mirror.js';

const secrets = ['quokka-page', 'wombat-page', 'xylographsecret', 'marzipansecret'];

describe('An erase in a mirror', function () {
  this.timeout(60_000);
  let test: TestService;
  let mirror: TestMirror;
  let dataFolder: string;

  beforeEach(async () => {
    test = await openTestService({ store: 'disk' });
    dataFolder = test.dataFolder ?? '';
    mirror = await TestMirror.open(test.workspace, 'docs/upstream');
  });
  afterEach(() => test.close());

  it('leaves no trace of a document that came, changed and moved, and no later run brings it back', async () => {
    const page = { put: [entryOf('quokka-page.txt', { sourceId: 'file 7' }), entryOf('other.md')] };
    await mirror.sync({ written: { 'quokka-page.txt': 'the xylographsecret', 'other.md': 'stays' }, entries: page });
    const put = [entryOf('wombat-page.txt', { sourceId: 'file 7' }), entryOf('more.md')];
    const moved = { put, remove: ['quokka-page.txt'] };
    await mirror.sync({
      written: { 'wombat-page.txt': 'the marzipansecret', 'more.md': 'more' },
      moved: { 'quokka-page.txt': 'wombat-page.txt' },
      entries: moved,
    });
    await test.workspace.checkpointer.run();
    assert.ok(traces().length > 5, 'it is there before');
    await finish('wombat-page.txt');
    assert.deepEqual(traces(), []);
    const { leftOut } = await mirror.sync({
      written: { 'wombat-page.txt': 'the marzipan again', 'other.md': 'changed' },
    });
    assert.deepEqual(
      leftOut.map(({ reason }) => reason),
      ['suppressed'],
    );
    assert.deepEqual([...(await readMirror(mirror)).keys()].toSorted(), ['more.md', 'other.md']);
    const { mirrorEntries } = test.workspace.journal.reader;
    assert.equal(mirrorEntries.bySource(mirror.caller.principalId, 'file 7'), undefined);
    await requireSound(test.workspace, dataFolder, true);
    assert.deepEqual(traces(), []);
  });

  it('neither loses what another document waits for, nor takes it for a part of the erased one', async () => {
    const person = new Actor(test.workspace, operator.principalId);
    await person.create('quokka-page.txt', 'the xylographsecret');
    const stage = test.workspace.stages.open({ type: 'connector', id: mirror.caller.principalId });
    const content = await stage.add(inOnePiece('waits for its commit'));
    await stage.show();
    const { id } = await eraseAt(test.workspace, 'quokka-page.txt');
    await test.workspace.eraser.finished(id);
    assert.deepEqual(traces(), []);
    const bytes = await test.workspace.objects.readBlob(content.blobOid);
    assert.equal(bytes.toString(), 'waits for its commit');
    await stage.close();
    assert.equal(await test.workspace.repository.has(content.blobOid), false, 'no commit referred to it');
  });

  it('ends a run that may hold the document, and the run leaves nothing', async () => {
    await mirror.sync({ written: { 'quokka-page.txt': 'the xylographsecret' } });
    const stage = test.workspace.stages.open({ type: 'connector', id: mirror.caller.principalId });
    await stage.add(inOnePiece('the xylographsecret, in a newer version'));
    await stage.show();
    const broken = once(stage.signal, 'abort').then(() => stage.close());
    await finish('quokka-page.txt');
    await broken;
    assert.deepEqual(traces(), []);
    assert.equal(await outcomeOf(stage.add(inOnePiece('more'))), 'UNAVAILABLE');
  });

  const traces = (): string[] => findTraces(dataFolder, secrets, []);

  const finish = async (path: string): Promise<void> => {
    const { id } = await eraseAt(test.workspace, mirror.at(path));
    await test.workspace.eraser.finished(id);
  };
});
