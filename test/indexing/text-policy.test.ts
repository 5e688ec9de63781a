import assert from 'node:assert/strict';
import fs from 'node:fs';
import { parseLocation, rootLocation } from '../../lib/domain/location.js';
import type { Policy } from '../../lib/domain/policy.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { createDocument } from '../../lib/operations/documents/create-document.js';
import { readDocument } from '../../lib/operations/documents/read-document.js';
import { readFoundText } from '../../lib/operations/documents/read-found-text.js';
import { searchDocuments } from '../../lib/operations/documents/search-documents.js';
import { searchLines } from '../../lib/operations/documents/search-lines.js';
import { rename } from '../../lib/operations/folders/relocate.js';
import { perform } from '../../lib/operations/perform.js';
import { makeWorkbench, type Workbench } from '../support/faults/workbench.js';
import { makeDocx, wordText } from '../support/files/make-office.js';
import { HeldExtractor } from '../support/store/held-extractor.js';
import { sourceOf } from '../../lib/limits/work-limits.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';

describe('the policy for the texts of files', function () {
  this.timeout(30_000);
  let bench: Workbench;
  let extractor: HeldExtractor;

  beforeEach(async () => {
    extractor = new HeldExtractor();
    bench = await makeWorkbench({ extractor });
  });
  afterEach(() => bench.remove());

  it('off takes texts and their words away, and on brings them back', async () => {
    await put('a.docx', makeDocx(wordText('wombat')));
    await put('scan.docx', Buffer.from([0, 1, 2]));
    await made();
    assert.deepEqual([await find('wombat'), await stateOf('scan.docx')], [['a.docx'], 'failed']);
    await set({ extractText: false });
    assert.deepEqual(await find('wombat'), []);
    assert.deepEqual(fs.readdirSync(bench.paths.texts), []);
    assert.deepEqual([await stateOf('a.docx'), await stateOf('scan.docx')], ['none', 'none']);
    await assert.rejects(readText('a.docx'), /Text is not made/);
    await put('b.docx', makeDocx(wordText('wombat')));
    await made();
    assert.deepEqual([await find('wombat'), extractor.begun], [[], 2]);
    await set({ extractText: true });
    assert.deepEqual((await find('wombat')).toSorted(), ['a.docx', 'b.docx']);
    assert.equal(await stateOf('scan.docx'), 'failed');
  });

  it('off holds for a text that a child works at', async () => {
    extractor.hold();
    await put('a.docx', makeDocx(wordText('wombat')));
    await bench.workspace.search.settled();
    await until('the child has it', () => extractor.begun === 1);
    await perform(bench.workspace, operator, changePolicy, { extractText: false });
    extractor.release();
    await made();
    assert.deepEqual([await find('wombat'), await stateOf('a.docx')], [[], 'none']);
    assert.deepEqual(files(), []);
  });

  it('off holds after a restart, also where the process ended before anything was taken away', async () => {
    await put('a.docx', makeDocx(wordText('wombat')));
    await made();
    await bench.workspace.journal.write({
      run: ({ tables }) => tables.meta.set('policy', JSON.stringify({ extractText: false })),
    });
    await bench.reopen();
    await made();
    assert.deepEqual([await find('wombat'), files()], [[], []]);
  });

  it('names the charset of plain text that declares none', async () => {
    const latin = Buffer.from('caf\xe9 \x80 20\n', 'latin1');
    await put('a.txt', latin, 'text/plain');
    await put('noise.txt', Buffer.from([0xe9, 0, 0, 0, 0x80]), 'text/plain');
    await made();
    assert.equal(await stateOf('a.txt'), 'failed');
    await set({ textCharset: 'windows-1252' });
    assert.equal(await readText('a.txt'), 'caf\xe9 \u20ac 20\n');
    assert.deepEqual(await find('caf\xe9'), ['a.txt']);
    assert.equal(await stateOf('noise.txt'), 'failed', 'what has zero bytes is no text');
    await set({ textCharset: 'windows-1251' });
    assert.equal(await readText('a.txt'), 'caf\u0439 \u0402 20\n');
    assert.deepEqual([await find('caf\xe9'), await find('caf\u0439')], [[], ['a.txt']]);
    await set({ textCharset: null });
    assert.deepEqual([await stateOf('a.txt'), await find('caf\u0439')], ['failed', []]);
  });

  it('does not keep lines from being found that another charset or another name brings', async () => {
    await put('a.txt', Buffer.from('caf\xe9\n', 'latin1'), 'text/plain');
    await put(
      'b.html',
      Buffer.from('Subject: one\n\n<p title="caf\xe9">two</p>', 'latin1'),
      'application/octet-stream',
    );
    await set({ textCharset: 'windows-1252' });
    assert.deepEqual([await findLines('caf\u0439'), await findLines('title=')], [[], []]);
    await set({ textCharset: 'windows-1251' });
    assert.deepEqual(await findLines('caf\u0439'), ['a.txt']);
    await perform(bench.workspace, operator, rename, {
      location: parseLocation('b.html'),
      name: 'b.eml',
      acknowledged: false,
    });
    await made();
    assert.deepEqual(await findLines('title='), ['b.eml']);
  });

  it('says how large a file may be, before and after it is changed', async () => {
    const body = makeDocx(wordText('wombat'));
    await put('a.docx', body);
    await made();
    await set({ largestExtracted: body.length - 1 });
    assert.deepEqual([await find('wombat'), await stateOf('a.docx')], [[], 'failed']);
    await set({ largestExtracted: body.length });
    assert.deepEqual([await find('wombat'), await stateOf('a.docx')], [['a.docx'], 'done']);
  });

  it('says how large a file may be, also for one that a child works at', async () => {
    const body = makeDocx(wordText('wombat'));
    extractor.hold();
    await put('a.docx', body);
    await bench.workspace.search.settled();
    await until('the child has it', () => extractor.begun === 1);
    await perform(bench.workspace, operator, changePolicy, { largestExtracted: body.length - 1 });
    extractor.release();
    await made();
    assert.deepEqual([await find('wombat'), await stateOf('a.docx')], [[], 'failed']);
  });

  it('refuses a text that it does not want any more, also to who has it', async () => {
    const body = makeDocx(wordText('wombat'));
    await put('a.docx', body);
    await made();
    const location = parseLocation('a.docx');
    const { tag } = (await perform(bench.workspace, operator, readFoundText, { location })).result;
    const readKnown = async (): Promise<string | undefined> => {
      const input = { location, isKnown: (known: string) => known === tag };
      return (await perform(bench.workspace, operator, readFoundText, input)).result.text;
    };
    assert.equal(await readKnown(), undefined);
    for (const change of [{ extractText: false }, { extractText: true, largestExtracted: body.length - 1 }]) {
      await set(change);
      await assert.rejects(readKnown(), /has no text/);
    }
    await set({ largestExtracted: body.length });
    assert.equal(await readKnown(), undefined);
  });

  it('is that of the text of which a reader gets the tag', async () => {
    extractor.hold();
    await put('a.txt', Buffer.from('caf\xe9\n', 'latin1'), 'text/plain');
    await perform(bench.workspace, operator, changePolicy, { textCharset: 'windows-1252' });
    const { computations } = bench.workspace.workLimits;
    const source = sourceOf(bench.workspace.name, operator);
    const releases = await Promise.all([1, 2, 3, 4].map(() => computations.take(source)));
    const location = parseLocation('a.txt');
    const reading = perform(bench.workspace, operator, readFoundText, { location });
    await until('the reader waits', () => computations.use.waiting === 1);
    await perform(bench.workspace, operator, changePolicy, { textCharset: 'windows-1251' });
    for (const release of releases) release();
    extractor.release();
    const { text, tag } = (await reading).result;
    assert.equal(text, 'caf\u0439\n');
    assert.match(tag, /windows-1251$/);
  });

  async function set(change: Partial<Policy>): Promise<void> {
    await perform(bench.workspace, operator, changePolicy, change);
    await made();
  }

  async function put(location: string, bytes: Buffer, mediaType?: string): Promise<void> {
    const input = { location: parseLocation(location), content: { bytes }, labels: [], message: null, mediaType };
    await perform(bench.workspace, operator, createDocument, input);
  }

  async function made(): Promise<void> {
    await bench.workspace.searchCaughtUp();
    await bench.workspace.search.settled();
    await bench.workspace.texts.files.settled();
    await bench.workspace.search.settled();
  }

  async function find(query: string): Promise<string[]> {
    const asked = { query, location: rootLocation, labels: [], limit: 20, position: null };
    const { hits } = (await perform(bench.workspace, operator, searchDocuments, asked)).result;
    return hits.map(({ document }) => document.location);
  }

  async function findLines(query: string): Promise<string[]> {
    const asked = { query, location: rootLocation, labels: [], context: 0, limit: 20, position: null };
    const { items } = (await perform(bench.workspace, operator, searchLines, { ...asked, match: 'exact' })).result;
    return items.map(({ document }) => document.location);
  }

  async function stateOf(location: string): Promise<string | undefined> {
    const input = { location: parseLocation(location), withContent: false, withTextState: true };
    return (await perform(bench.workspace, operator, readDocument, input)).result.text?.state;
  }

  async function readText(location: string): Promise<string | undefined> {
    return (await perform(bench.workspace, operator, readFoundText, { location: parseLocation(location) })).result.text;
  }

  /** Files of texts and reasons. */
  function files(): string[] {
    const names = fs.readdirSync(bench.paths.texts, { recursive: true, encoding: 'utf8' });
    return names.filter((name) => name.includes('.'));
  }
});
