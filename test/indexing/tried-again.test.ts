import assert from 'node:assert/strict';
import fs from 'node:fs';
import { parseLocation } from '../../lib/domain/location.js';
import { ChildLost } from '../../lib/extraction/child-process.js';
import { fileOf } from '../../lib/indexing/file-texts.js';
import { createDocument } from '../../lib/operations/documents/create-document.js';
import { readDocument } from '../../lib/operations/documents/read-document.js';
import { perform } from '../../lib/operations/perform.js';
import { makeWorkbench, type Workbench } from '../support/faults/workbench.js';
import { makeDocx, wordText } from '../support/files/make-office.js';
import { eraseAt } from '../support/store/erase-at.js';
import { HeldExtractor } from '../support/store/held-extractor.js';
import { operator } from '../support/store/service.js';
import { TestTimers } from '../support/test-timers.js';

const minute = 60_000;

describe('a text that could not be made by no fault of its file', function () {
  this.timeout(30_000);
  let bench: Workbench;
  let extractor: HeldExtractor;
  let timers: TestTimers;

  beforeEach(async () => {
    extractor = new HeldExtractor();
    timers = new TestTimers();
    bench = await makeWorkbench({ extractor, timers });
  });
  afterEach(() => bench.remove());

  it('is tried again after one, five and thirty minutes, and then every thirty', async () => {
    loseNext(5);
    await put('a.docx', 'wombat');
    const begun: number[] = [extractor.begun];
    for (const pause of [1, 5, 30, 30, 30]) {
      timers.advance(pause * minute - 1);
      await made();
      assert.equal(extractor.begun, begun.at(-1), `not before ${pause} minutes`);
      assert.deepEqual(await stateOf('a.docx'), { state: 'waiting' });
      timers.advance(1);
      await made();
      begun.push(extractor.begun);
    }
    assert.deepEqual(begun, [1, 2, 3, 4, 5, 6]);
    assert.equal((await stateOf('a.docx'))?.state, 'done');
    assert.equal(timers.count, 0);
    assert.equal(bench.reported.length, 5);
  });

  it('is tried at once where somebody asks, and once', async () => {
    loseNext(1);
    await put('a.docx', 'wombat');
    extractor.hold();
    const { files } = bench.workspace.texts;
    const document = bench.workspace.view(operator).document(parseLocation('a.docx'))!;
    const file = fileOf(document, document.current);
    for (let time = 0; time < 50; time += 1) assert.deepEqual(await files.tryAgain(file), { state: 'waiting' });
    assert.equal(files.waiting, 1);
    timers.advance(60 * minute);
    extractor.release();
    await made();
    assert.equal(extractor.begun, 2);
    assert.equal((await files.tryAgain(file)).state, 'done');
    assert.equal(timers.count, 0);
  });

  it('is that of the newest content alone', async () => {
    loseNext(1);
    await put('a.docx', 'wombat');
    await bench.actor.delete('a.docx');
    await put('a.docx', 'heron');
    assert.equal((await stateOf('a.docx'))?.state, 'done');
    timers.advance(minute);
    await made();
    assert.equal(extractor.begun, 2);
    assert.deepEqual(bench.reported.length, 1);
  });

  it('is forgotten when its document is erased, and when the workspace is closed', async () => {
    loseNext(2);
    await put('a.docx', 'wombat');
    await put('b.docx', 'heron');
    assert.equal(timers.count, 2);
    const { id } = await eraseAt(bench.workspace, 'a.docx');
    await bench.workspace.eraser.finished(id);
    assert.equal(timers.count, 1);
    timers.advance(30 * minute);
    await made();
    assert.equal(extractor.begun, 3, 'the other one');
    assert.deepEqual(fs.readdirSync(bench.paths.texts), [
      String(bench.workspace.view(operator).document(parseLocation('b.docx'))?.number),
    ]);
    loseNext(1);
    await put('c.docx', 'quokka');
    await bench.close();
    assert.equal(timers.count, 0);
  });

  function loseNext(count: number): void {
    for (let each = 0; each < count; each += 1) {
      extractor.faults.push(each % 2 === 0 ? new ChildLost('It was ended.') : new Error('EIO: i/o error'));
    }
  }

  async function put(location: string, word: string): Promise<void> {
    const content = { bytes: makeDocx(wordText(word)) };
    const input = { location: parseLocation(location), content, labels: [], message: null };
    await perform(bench.workspace, operator, createDocument, input);
    await made();
  }

  async function made(): Promise<void> {
    await bench.workspace.search.settled();
    await bench.workspace.texts.files.settled();
  }

  async function stateOf(location: string) {
    const input = { location: parseLocation(location), withContent: false, withTextState: true };
    return (await perform(bench.workspace, operator, readDocument, input)).result.text;
  }
});
