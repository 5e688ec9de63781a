import assert from 'node:assert/strict';
import type { Location } from '../../lib/domain/location.js';
import { analyzeDocuments } from '../../lib/indexing/analyze-documents.js';
import type { DocumentToIndex } from '../../lib/indexing/index-event.js';
import type { SearchDocument } from '../../lib/search/analysis/analyze-document.js';
import { SearchIndex } from '../../lib/search/search-index.js';

const mebibyte = 1024 * 1024;

describe('the analysis of documents', () => {
  const document = (number: number, kind: 'text' | 'binary', size: number): DocumentToIndex => ({
    number,
    location: `${number}` as Location,
    blobOid: '',
    size,
    kind,
    mediaType: '',
    labels: [],
  });

  /** Bytes of the texts that were analysed together, and the documents. */
  async function piecesOf(documents: readonly DocumentToIndex[], textOf: (number: number) => string) {
    const index = SearchIndex.create({ folder: null, readText: () => Promise.resolve(null) });
    const found: { readonly length: number; readonly names: string }[] = [];
    const analyze = (...some: readonly SearchDocument[]) => {
      const length = some.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
      found.push({ length, names: some.map(({ location }) => location).join(' ') });
      return index.analyze(...some.map((each) => ({ ...each, text: null })));
    };
    await analyzeDocuments(
      documents,
      { analyze, analyzeInWorker: (some) => Promise.resolve(analyze(...some)) },
      {
        texts: { read: ({ number }) => Promise.resolve(textOf(number)), isMade: ({ kind }) => kind === 'binary' },
        isClosing: () => false,
        leaveOut: () => undefined,
      },
    );
    await index.close();
    return found;
  }

  it('has no more texts in memory at once than were meant, however small the files are that they were made of', async () => {
    const long = 'x'.repeat(10 * mebibyte);
    const files = Array.from({ length: 6 }, (_, index) => document(index + 1, 'binary', 1000));
    const pieces = await piecesOf(files, () => long);
    assert.equal(pieces.map(({ names }) => names).join(' '), '1 2 3 4 5 6');
    assert.ok(Math.max(...pieces.map(({ length }) => length)) <= 20 * mebibyte, JSON.stringify(pieces));
  });

  it('takes many short ones together', async () => {
    const files = Array.from({ length: 128 }, (_, index) => document(index + 1, index % 2 ? 'text' : 'binary', 100));
    assert.equal((await piecesOf(files, (number) => `text ${number}`)).length, 1);
  });

  it('takes a text with the next ones where it fits, and in their order', async () => {
    const files = [1, 2, 3].map((number) => document(number, 'text', 7 * mebibyte));
    const pieces = await piecesOf([...files, document(4, 'binary', 10), document(5, 'text', 3)], () => 'x');
    assert.deepEqual(
      pieces.map(({ names }) => names),
      ['1 2', '3 4 5'],
    );
  });
});
