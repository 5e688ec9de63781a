import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { parseLocation, rootLocation, type Location } from '../../lib/domain/location.js';
import type { Caller } from '../../lib/domain/caller.js';
import { fileOf } from '../../lib/indexing/file-texts.js';
import { ChildLost } from '../../lib/extraction/child-process.js';
import { Extractor, extractorNumber, type ExtractorOptions } from '../../lib/extraction/extractor.js';
import { createDocument } from '../../lib/operations/documents/create-document.js';
import { searchDocuments } from '../../lib/operations/documents/search-documents.js';
import { searchLines } from '../../lib/operations/documents/search-lines.js';
import { updateDocument } from '../../lib/operations/documents/update-document.js';
import { verifyWorkspace } from '../../lib/integrity/verify-workspace.js';
import { rebuild } from '../../lib/operations/workspaces/rebuild.js';
import { perform } from '../../lib/operations/perform.js';
import { makeWorkbench, type Workbench } from '../support/faults/workbench.js';
import { makeDocx, wordText } from '../support/files/make-office.js';
import { makePdf } from '../support/files/make-pdf.js';
import { createGrant } from '../../lib/operations/grants/change-grant.js';
import { addPrincipal } from '../../lib/operations/principals/add-principal.js';
import { Actor } from '../support/store/actor.js';
import { eraseAt } from '../support/store/erase-at.js';
import { requireSound } from '../support/store/evidence.js';
import { Sqlite } from '../support/store/sqlite.js';
import { operator } from '../support/store/service.js';
import { readingChildren } from '../support/processes/reading-children.js';
import { skipBecause } from '../support/skip.js';
import { until } from '../support/until.js';

describe('the texts of files in the search index', function () {
  this.timeout(60_000);
  let bench: Workbench;
  /** Files that a child has read. */
  let read: number;
  /** Called at each step of an erase. */
  let reach: (step: string) => Promise<void>;
  const bounds: ExtractorOptions = { onRead: () => (read += 1) };

  beforeEach(async () => {
    read = 0;
    reach = () => Promise.resolve();
    bench = await makeWorkbench({ extractor: new Extractor(bounds), onEraseStep: (step) => reach(step) });
  });
  afterEach(() => bench.remove());

  it('are found by their words after the file was stored, with a snippet and the page', async () => {
    await put('team/travel.pdf', makePdf([['Travel by train'], ['Hotels cost 140']]));
    await put('team/notes.docx', makeDocx(wordText('Quokkas are small')));
    assert.deepEqual(await find('travel'), ['team/travel.pdf'], 'by its name at once');
    await made();
    const [hit] = await hitsOf('hotels');
    assert.deepEqual([hit?.document.location, hit?.place?.section, hit?.isMade], ['team/travel.pdf', 'page-2', true]);
    assert.match(hit?.snippet ?? '', /Hotels cost 140/);
    assert.deepEqual(await find('quokkas'), ['team/notes.docx']);
    assert.deepEqual(await find('"are small"'), ['team/notes.docx']);
    assert.deepEqual(await find('title:travel'), ['team/travel.pdf'], 'a page is no title');
    assert.deepEqual(await find('title:page'), []);
    assert.deepEqual(await linesWith('cost 140'), [['team/travel.pdf', 'page-2', 'Hotels cost 140']]);
    assert.deepEqual(await linesWith('cost 140', 'team/travel.pdf'), [
      ['team/travel.pdf', 'page-2', 'Hotels cost 140'],
    ]);
  });

  it('follow each version, a move, a deletion and its undoing', async () => {
    await put('a.docx', makeDocx(wordText('wombat')));
    await made();
    await put('a.docx', makeDocx(wordText('heron')));
    await made();
    assert.deepEqual([await find('wombat'), await find('heron')], [[], ['a.docx']]);
    await bench.actor.rename('a.docx', 'b.docx');
    await made();
    assert.deepEqual(await find('heron'), ['b.docx']);
    await bench.actor.delete('b.docx');
    assert.deepEqual(await find('heron'), []);
    await bench.actor.undelete('b.docx');
    await made();
    assert.deepEqual(await find('heron'), ['b.docx']);
    assert.equal(read, 2, 'each content was read once');
    assert.equal(textFiles().length, 1);
  });

  it('are there after a restart, also where the index is lost, and no file is read again', async () => {
    await put('a.docx', makeDocx(wordText('wombat')));
    await put('scan.pdf', makePdf([[]]));
    await made();
    await bench.close();
    fs.rmSync(bench.paths.search, { recursive: true });
    await bench.open();
    await bench.workspace.searchCaughtUp();
    assert.deepEqual(await find('wombat'), ['a.docx']);
    await made();
    assert.equal(read, 2);
  });

  it('come into an index that was stored before them', async () => {
    await put('a.docx', makeDocx(wordText('wombat')));
    await made();
    await bench.close();
    // As after an end of the process between the text and the index.
    const [text = ''] = textFiles();
    const kept = fs.readFileSync(text);
    fs.rmSync(text);
    fs.rmSync(bench.paths.search, { recursive: true });
    const off = new Extractor({ processes: 0 });
    await withExtractor(off, async () => {
      await bench.open();
      await bench.workspace.searchCaughtUp();
      assert.deepEqual(await find('wombat'), []);
      await bench.close();
    });
    fs.writeFileSync(text, kept);
    await bench.open();
    await bench.workspace.searchCaughtUp();
    await until('the text is found', async () => (await find('wombat')).length === 1);
    assert.equal(read, 1);
  });

  it('are made at the next start where the process ended before, and given up where a file ends it twice', async () => {
    await withExtractor(new Extractor({ processes: 0 }), async () => {
      await bench.reopen();
      await put('a.docx', makeDocx(wordText('wombat')));
    });
    await bench.reopen();
    await made();
    assert.deepEqual(await find('wombat'), ['a.docx']);
    await withExtractor(new Extractor({ processes: 0 }), async () => {
      await bench.reopen();
      await put('b.docx', makeDocx(wordText('heron')));
    });
    const { number, current } = bench.workspace.view(operator).document(parseLocation('b.docx'))!;
    await bench.close();
    const tries = path.join(bench.paths.texts, String(number));
    const blob = current.blobOid;
    fs.mkdirSync(tries);
    fs.writeFileSync(path.join(tries, `${blob}.${extractorNumber}.word.tries`), '..');
    await bench.open();
    await made();
    assert.deepEqual(await find('heron'), []);
    assert.deepEqual(fs.readdirSync(tries), [`${blob}.${extractorNumber}.word.reason`]);
    assert.equal(
      fs.readFileSync(path.join(tries, `${blob}.${extractorNumber}.word.reason`), 'utf8'),
      'stopped_the_service',
    );
  });

  it('that are damaged on the disk are made anew', async () => {
    await put('a.docx', makeDocx(wordText('wombat')));
    await made();
    fs.writeFileSync(textFiles()[0] ?? '', 'noise');
    assert.equal(await bench.workspace.texts.readCurrent(1), null);
    await made();
    assert.match((await bench.workspace.texts.readCurrent(1)) ?? '', /wombat/);
    // Not even its first line is sound.
    fs.writeFileSync(textFiles()[0] ?? '', 'noise');
    const document = bench.workspace.view(operator).document(parseLocation('a.docx'))!;
    const file = fileOf(document, document.current);
    assert.deepEqual(await bench.workspace.texts.files.stateOf(file), { state: 'waiting' });
    await made();
    assert.equal((await bench.workspace.texts.files.stateOf(file)).state, 'done');
  });

  it('are looked at by a verification, which finds what is damaged and what belongs to no document', async () => {
    await put('a.docx', makeDocx(wordText('wombat')));
    await made();
    const verify = async (): Promise<string[]> => {
      const options = { dataFolder: bench.files.dataFolder ?? '', name: 'acme', git: 'auto' } as const;
      const { problems } = await verifyWorkspace(options, () => undefined);
      return problems.map(({ part, message }) => `${part}: ${message.replace(bench.paths.texts, '')}`);
    };
    assert.deepEqual(await verify(), []);
    const [text = ''] = textFiles();
    const sound = fs.readFileSync(text);
    fs.writeFileSync(text, sound.subarray(0, sound.length - 3));
    for (const stray of ['99', 'x', '01']) fs.mkdirSync(path.join(bench.paths.texts, stray));
    const name = text.replace(bench.paths.texts, '');
    assert.deepEqual(
      (await verify()).toSorted(),
      [
        'texts: /01 belongs to no document.',
        'texts: /99 belongs to no document.',
        'texts: /x belongs to no document.',
        `texts: ${name} is damaged.`,
      ].toSorted(),
    );
    fs.writeFileSync(text, sound);
    for (const stray of ['99', 'x', '01']) fs.rmdirSync(path.join(bench.paths.texts, stray));
    await bench.actor.delete('a.docx');
    assert.deepEqual(await verify(), [], 'of a deleted document');
  });

  it('leave nothing behind when their document is erased, neither at rest nor while they are made', async () => {
    await put('secret.docx', makeDocx(wordText('zanzibar')));
    await put('other.docx', makeDocx(wordText('heron')));
    await made();
    assert.deepEqual(await find('zanzibar'), ['secret.docx']);
    await eraseWhole('secret.docx');
    assert.deepEqual(textsWith('zanzibar'), []);
    assert.equal(textFiles().length, 1);

    const pages = Array.from({ length: 400 }, (_, page) => Array.from({ length: 30 }, () => `zanzibar ${page}`));
    await put('long.pdf', makePdf(pages));
    await new Promise((resolve) => setTimeout(resolve, 250));
    await eraseWhole('long.pdf');
    await made();
    assert.deepEqual(textsWith('zanzibar'), []);
    assert.equal(textFiles().length, 1);
    assert.deepEqual(await find('zanzibar'), []);
    assert.deepEqual(await find('heron'), ['other.docx']);
    await requireSound(bench.workspace, bench.files.dataFolder ?? '');
  });

  it('are not made for a reader whose document was erased while it was looked for', async () => {
    await put('secret.docx', makeDocx(wordText('zanzibar')));
    await made();
    const { files } = bench.workspace.texts;
    const document = bench.workspace.view(operator).document(parseLocation('secret.docx'))!;
    const file = fileOf(document, document.current);
    reach = async (step) => {
      if (step === 'forgotten') await assert.rejects(files.make(file), ChildLost);
    };
    await eraseWhole('secret.docx');
    assert.deepEqual(bench.reported, []);
    assert.equal(read, 1);
  });

  it('leave nothing behind when their document is erased after a rebuild that gave it another number', async () => {
    await put('first.docx', makeDocx(wordText('heron')));
    await put('secret.docx', makeDocx(wordText('zanzibar')));
    await put('last.md', Buffer.from('A note.'));
    await made();
    await eraseWhole('first.docx');
    const spoil = new Sqlite(bench.paths.sidecar);
    spoil.exec('PRAGMA foreign_keys = OFF; DELETE FROM document');
    spoil.close();
    await rebuild(bench.workspace, operator);
    assert.equal(bench.workspace.view(operator).document(parseLocation('secret.docx'))?.number, 1);
    await eraseWhole('secret.docx');
    await made();
    assert.deepEqual(textFiles(), []);
  });

  it('are made when a file gets a name, or a media type, that says what it is', async () => {
    const pdf = makePdf([['Travel by train']]);
    await put('a', pdf);
    await put('b.docx', pdf);
    await made();
    assert.deepEqual(await find('travel'), []);
    await bench.actor.rename('a', 'c.pdf');
    await put('b.docx', pdf, operator, 'application/pdf');
    await made();
    assert.deepEqual((await find('travel')).toSorted(), ['b.docx', 'c.pdf']);
    await bench.actor.rename('c.pdf', 'c');
    await made();
    assert.deepEqual(await find('travel'), ['b.docx']);
  });

  it('are made anew where the reason why there was none is damaged on the disk', async () => {
    await put('scan.pdf', makePdf([[]]));
    await made();
    const [name = ''] = fs.readdirSync(path.join(bench.paths.texts, '1'));
    fs.writeFileSync(path.join(bench.paths.texts, '1', name), '');
    await bench.workspace.texts.readCurrent(1);
    await made();
    assert.equal(read, 2);
  });

  it('are reported where nothing can be started that reads the file', async () => {
    await put('a.docx', makeDocx(wordText('wombat')));
    await made();
    fs.rmSync(textFiles()[0] ?? '');
    const { files } = bench.workspace.texts;
    const document = bench.workspace.view(operator).document(parseLocation('a.docx'))!;
    const { execPath } = process;
    process.execPath = '/nowhere';
    try {
      (bench.files as { extractor?: Extractor }).extractor?.dropIdle();
      files.want(fileOf(document, document.current));
      await made();
    } finally {
      process.execPath = execPath;
    }
    assert.deepEqual(
      bench.reported.map(({ what }) => what),
      ['The text of a file could not be made; it will be tried again'],
    );
    assert.deepEqual(textFiles(), []);
  });

  it('are in no process any more when their workspace is closed', async function () {
    // Less than the time for which an idle one is kept.
    this.timeout(8000);
    if (process.platform !== 'linux') skipBecause(this, 'this system has no /proc');
    const before = readingChildren();
    await put('a.docx', makeDocx(wordText('wombat')));
    await made();
    const [child = 0] = readingChildren().filter((pid) => !before.includes(pid));
    assert.notEqual(child, 0);
    await bench.close();
    await until('the process has ended', () => !readingChildren().includes(child));
  });

  it('are made of a file that comes right after one that is no more', async () => {
    await put('a.docx', makeDocx(wordText('wombat')));
    await made();
    const { files } = bench.workspace.texts;
    const document = bench.workspace.view(operator).document(parseLocation('a.docx'))!;
    const file = fileOf(document, document.current);
    fs.rmSync(textFiles()[0] ?? '');
    files.want({ ...file, blobOid: '0'.repeat(40) });
    files.want(file);
    await made();
    assert.equal(read, 2);
  });

  it('of one writer are made between those of another', async () => {
    const order: string[] = [];
    const texts = bench.workspace.texts.files;
    const make = texts.make.bind(texts);
    texts.make = (file) => {
      order.push(file.author);
      return make(file);
    };
    const other = await addPerson('editor', rootLocation);
    for (const name of ['a', 'b', 'c', 'd']) await put(`${name}.docx`, makeDocx(wordText(name)));
    await put('e.docx', makeDocx(wordText('e')), other);
    await made();
    const last = order.lastIndexOf(other.principalId);
    assert.ok(order.length === 5 && last < 3, order.join());
  });

  it('are no hit and no wait for a caller without access to them', async () => {
    const other = await addPerson('reader', parseLocation('open'));
    await put('open/a.md', Buffer.from('A heron.'));
    await put('closed/b.docx', makeDocx(wordText('quokka heron')));
    const before = await answerTo(other, 'heron');
    await made();
    assert.deepEqual(await answerTo(other, 'heron'), before);
    assert.deepEqual(await answerTo(other, 'quokka'), await answerTo(other, 'xyzzy'));
  });

  async function put(location: string, bytes: Buffer, caller: Caller = operator, mediaType?: string): Promise<void> {
    const at = parseLocation(location);
    const content = { bytes };
    const known = bench.workspace.view(operator).document(at);
    await (known === undefined
      ? perform(bench.workspace, caller, createDocument, { location: at, content, labels: [], message: null })
      : perform(bench.workspace, caller, updateDocument, {
          location: at,
          precondition: { any: true },
          content,
          mediaType,
          message: null,
        }));
  }

  async function addPerson(role: 'reader' | 'editor', location: Location): Promise<Caller> {
    const { workspace } = bench;
    const { id } = (await perform(workspace, operator, addPrincipal, { displayName: 'Ada', kind: 'person' })).result;
    await perform(workspace, operator, createGrant, {
      scopeType: 'folder',
      location,
      subject: { type: 'principal', id },
      role,
    });
    return new Actor(workspace, id).caller;
  }

  async function eraseWhole(location: string): Promise<void> {
    const { id } = await eraseAt(bench.workspace, location);
    await bench.workspace.eraser.finished(id);
  }

  /** Resolves when every text is made and in the index. */
  async function made(): Promise<void> {
    await bench.workspace.search.settled();
    await bench.workspace.texts.files.settled();
    await bench.workspace.search.settled();
  }

  async function hitsOf(query: string, caller: Caller = operator) {
    const asked = { query, location: rootLocation, labels: [], limit: 20, position: null, withPlaces: true };
    return (await perform(bench.workspace, caller, searchDocuments, asked)).result.hits;
  }

  async function find(query: string): Promise<Location[]> {
    return (await hitsOf(query)).map(({ document }) => document.location);
  }

  async function linesWith(query: string, location = ''): Promise<unknown[]> {
    const asked = { query, match: 'exact', location: location as Location, labels: [], context: 0, limit: 5 } as const;
    const { items } = (await perform(bench.workspace, operator, searchLines, { ...asked, position: null })).result;
    return items.map(({ document, found }) =>
      found === 'changed' ? found : [document.location, found.section, found.text],
    );
  }

  async function answerTo(caller: Caller, query: string): Promise<string> {
    return JSON.stringify((await hitsOf(query, caller)).map(({ document, snippet }) => [document.location, snippet]));
  }

  /** Closes and opens with another way of making texts until the work is done. */
  async function withExtractor(extractor: Extractor, work: () => Promise<void>): Promise<void> {
    const files = bench.files as { extractor?: Extractor };
    const usual = files.extractor;
    files.extractor = extractor;
    await work();
    files.extractor = usual as Extractor;
  }

  function textFiles(): string[] {
    const { texts } = bench.paths;
    return fs
      .readdirSync(texts, { recursive: true, encoding: 'utf8' })
      .map((name) => path.join(texts, name))
      .filter((file) => file.endsWith('.text'));
  }

  /** Files of texts with the word. */
  function textsWith(word: string): string[] {
    return textFiles().filter((file) =>
      inflateRawSync(fs.readFileSync(file).subarray(fs.readFileSync(file).indexOf('\n') + 1))
        .toString()
        .includes(word),
    );
  }
});
