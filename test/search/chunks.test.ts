import assert from 'node:assert/strict';
import fc from 'fast-check';
import { finish } from '../support/finish.js';
import type { Location } from '../../lib/domain/location.js';
import { analyzeDocument, relabelAnalyzed, renameAnalyzed } from '../../lib/search/analysis/analyze-document.js';
import { cutChunks, usualChunks } from '../../lib/search/analysis/cut-chunks.js';
import { english } from '../../lib/search/languages/languages.js';
import { makeSnippet } from '../../lib/search/ranking/make-snippet.js';
import { parseQuery } from '../../lib/search/query/parse-query.js';
import { extractDocument, writeSegment } from '../../lib/search/segments/write-segment.js';
import { findPlace } from '../../lib/text/find-place.js';
import { replaceHead } from '../../lib/search/segments/replace-head.js';
import type { Segment } from '../../lib/search/segments/segment.js';
import { IndexOf } from './index-of.js';

const filler = 'Some words of ordinary prose go on for a while in this line of the text.\n';

/** A book of chapters; one of them has the words. */
function makeBook(chapters: number, chapter: number, words: string): string {
  const pages = Array.from({ length: chapters }, (_, number) => {
    const text = filler.repeat(60);
    return `## Chapter ${number}\n\n${number === chapter ? `${text}${words}\n${text}` : text.repeat(2)}\n`;
  });
  return `# Handbook\n\n${pages.join('')}`;
}

function bytesOf({ buffer }: Segment): Buffer {
  return Buffer.from(buffer);
}

describe('search: a long document', () => {
  it('is cut into chunks that hold all of it, each of a bounded length, and none within a character', () => {
    const piece = fc.constantFrom('\n', '\n\n', '\n# One\n', ' ', 'word ', 'x'.repeat(70), '🎯', 'é', '東京');
    const text = fc.array(piece, { maxLength: 400, size: 'max' }).map((pieces) => pieces.join(''));
    const lengths = fc.constantFrom({ whole: 64, usual: 48 }, { whole: 200, usual: 150 });
    fc.assert(
      fc.property(text, lengths, (content, { whole, usual }) => {
        const starts = cutChunks(content, { whole, usual });
        const chunks = starts.map((start, index) => content.slice(start, starts[index + 1]));
        assert.equal(chunks.join(''), content);
        for (const chunk of chunks) {
          assert.ok(chunk.length <= whole);
          assert.ok(chunk.isWellFormed());
        }
        for (const chunk of chunks.slice(0, -1)) assert.ok(chunk.length >= Math.floor((2 * usual) / 3));
      }),
    );
  });

  it('is cut before a heading, else after a paragraph', () => {
    const section = `# Title\n\n${filler.repeat(10)}`;
    const paragraph = `${filler.repeat(10)}\n`;
    for (const [part, ends] of [
      [section, '\n'],
      [paragraph, '\n\n'],
    ] as const) {
      const text = part.repeat(60);
      const starts = cutChunks(text);
      assert.ok(starts.length > 4);
      for (const start of starts.slice(1)) {
        assert.ok(text.slice(0, start).endsWith(ends));
        assert.ok(text.startsWith(part.slice(0, 20), start));
      }
    }
  });

  it('is found by a passage before documents that share fewer of its words', async () => {
    const of = new IndexOf({ 'book.md': makeBook(40, 30, 'The copper kettle whistles at dawn.') });
    for (let number = 0; number < 50; number += 1) {
      of.write(`short-${number}.md`, `# Note\n\nA copper pan. ${filler.repeat(5)}`);
    }
    const { hits } = await of.page('copper kettle whistles dawn');
    assert.equal(hits[0]?.location, 'book.md');
    const start = hits[0]?.chunkStart ?? 0;
    const place = of.texts.get('book.md')?.indexOf('copper kettle') ?? 0;
    assert.ok(start > 0 && start <= place && place < start + usualChunks.whole);
    assert.deepEqual(await of.find('+copper +chapter -kettle'), [], 'the words may stand in several chunks');
  });

  it('counts words of its title beside those of its best chunk', async () => {
    const passage = `The cistern leaks. ${filler.repeat(300)}`;
    const of = new IndexOf({
      'a.md': `# Plumbing\n\n${passage}`,
      'b.md': `# Painting\n\n${passage}`,
      'c.md': `# Painting\n\n${passage}Plumbing.\n`,
    });
    assert.deepEqual(await of.find('plumbing cistern'), ['a.md', 'c.md', 'b.md']);
  });

  it('is one hit, and comes with its last words into a page of hits', async () => {
    const of = new IndexOf({ 'book.md': makeBook(30, 29, 'zebra') });
    for (const query of ['zebra', 'prose', 'handbook', 'zebra*', '+prose +zebra', 'chapter']) {
      assert.deepEqual(await of.find(query), ['book.md'], query);
    }
    assert.deepEqual(await of.find('prose -zebra'), []);
  });

  it('shows the place of the words, however far behind', async () => {
    const text = makeBook(400, 390, 'A zebra crosses.');
    assert.ok(text.length > 2_000_000);
    const of = new IndexOf({ 'book.md': text });
    const { hits, query } = await of.page('zebra crosses');
    const { snippet, highlights, place } = finish(makeSnippet('book.md' as Location, text, query, english, hits[0]));
    assert.deepEqual(
      highlights.map(([start, end]) => snippet.slice(start, end)),
      ['zebra', 'crosses'],
    );
    const { section, line } = finish(findPlace(text, place, true));
    assert.equal(section, 'chapter-390');
    assert.equal(text.split('\n')[line - 1], 'A zebra crosses.');
  });

  it('is shown at the place of a phrase, and not at that of one of its words before it', () => {
    const text = 'Good work.\n\nA good year.\n';
    const { place } = finish(makeSnippet('a.md' as Location, text, parseQuery('"good year"')));
    assert.equal(place, text.indexOf('good year'));
  });

  it('is a hit for each chunk with the words where every place is asked for, the best first', async () => {
    const pages = ['zebra', '', 'zebra zebra crossing', '', 'crossing', 'zebra'];
    const text = pages.map((words) => `# Page\n\n${filler.repeat(100)}${words}\n`).join('');
    const of = new IndexOf({ 'long.md': text, 'short.md': 'A zebra crossing.' });
    const reach = { everything: false, folders: [], documents: ['long.md' as Location] };
    const ask = (query: string, limit: number) => of.page(query, { reach, everyPlace: true, limit });
    const { hits, position } = await ask('zebra crossing', 9);
    const pageOf = (start: number): number => text.slice(0, start + usualChunks.usual).split('# Page').length - 2;
    assert.equal(position, null);
    assert.equal(hits.length, 4);
    assert.equal(hits[0]?.location, 'long.md');
    assert.equal(pageOf(hits[0]?.chunkStart ?? 0), 2);
    assert.deepEqual(
      hits
        .map(({ chunkStart }) => chunkStart)
        .sort((a, b) => a - b)
        .map(pageOf),
      [0, 2, 4, 5],
    );
    assert.deepEqual((await ask('zebra crossing', 2)).hits, hits.slice(0, 2));
    assert.equal((await ask('+crossing -zebra', 9)).hits.length, 0);
    assert.equal((await ask('"zebra crossing"', 9)).hits.length, 1);
    const short = { everything: false, folders: [], documents: ['short.md' as Location] };
    assert.equal((await of.page('zebra', { reach: short, everyPlace: true })).hits.length, 1);
  });

  it('shows what stands behind a line of dashes, where a chunk begins with one', () => {
    const text = `${filler.repeat(200)}\n---\nA zebra crosses.\n---\n${filler.repeat(200)}`;
    const start = text.indexOf('---');
    const { highlights } = finish(
      makeSnippet('a.md' as Location, text, parseQuery('zebra'), english, { chunkStart: start }),
    );
    assert.equal(highlights.length, 1);
  });

  it('is found by a phrase anywhere in it, across the end of a chunk, and not by a phrase that it lacks', async () => {
    const text = `${filler.repeat(40_000)}\n${'Copper kettles whistle.\n'.repeat(3)}`;
    assert.ok(text.length > 2_500_000);
    const starts = cutChunks(text);
    const border = starts[300] ?? 0;
    const across = `${text.slice(0, border - 10)} blue whales\nsing songs ${text.slice(border + 10)}`;
    const [from, to] = [across.indexOf('blue whales'), across.indexOf('songs')];
    assert.ok(cutChunks(across).some((start) => start > from && start < to));
    const of = new IndexOf({ 'a.txt': text, 'b.txt': across });
    assert.deepEqual(await of.find('"kettles whistle"'), ['a.txt', 'b.txt']);
    assert.deepEqual(await of.find('"blue whales sing songs"'), ['b.txt']);
    assert.deepEqual(await of.find('"whistle kettles copper"'), []);
    assert.deepEqual(await of.find('copper -"blue whales"'), ['a.txt']);
    assert.deepEqual(await of.find('body:"whales sing"'), ['b.txt']);
    assert.deepEqual(await of.find('title:"whales sing"'), []);
  });

  it('is found by a phrase of stop words alone, too, and shows it', async () => {
    const text = `${filler.repeat(40_000)}\nTo be or not to be.\n`;
    assert.ok(text.length > 2_500_000);
    const of = new IndexOf({ 'a.txt': text, 'b.txt': filler.repeat(300) });
    const { hits } = await of.page('"to be or not to be"');
    assert.deepEqual(
      hits.map(({ location }) => location),
      ['a.txt'],
    );
    assert.ok((hits[0]?.chunkStart ?? 0) > 2_000_000);
  });

  it('shows the chunk with the phrase, whatever chunk has most of its words', async () => {
    const many = 'Kettles made of copper, and so on. '.repeat(60);
    const of = new IndexOf({
      'a.txt': `${filler.repeat(300)}\n${many}\n${filler.repeat(300)}\nA copper kettles' song.\n`,
    });
    const { hits } = await of.page('"copper kettles"');
    const text = of.texts.get('a.txt') ?? '';
    assert.ok((hits[0]?.chunkStart ?? 0) > text.indexOf(many) + many.length);
  });

  it('shows its beginning where the phrase stands there, whatever chunk has most of its words', async () => {
    const many = 'Kettles made of copper, and so on. '.repeat(60);
    const of = new IndexOf({
      'a.txt': `A copper kettles' song.\n${filler.repeat(300)}\n${many}\n${filler.repeat(300)}`,
    });
    const { hits } = await of.page('"copper kettles"');
    assert.deepEqual(
      hits.map(({ chunkStart }) => chunkStart),
      [0],
    );
    const byWords = await of.page('copper kettles -"song of kettles"');
    assert.ok((byWords.hits[0]?.chunkStart ?? 0) > 0, 'a phrase that is not there shows no place');
  });

  it('shows its beginning where the words have gone from the chunk', () => {
    const text = `The zebra sleeps. ${filler.repeat(500)}`;
    const found = { chunkStart: 20_000 };
    const { snippet, place } = finish(makeSnippet('a.md' as Location, text, parseQuery('zebra'), english, found));
    assert.ok(snippet.startsWith('The zebra sleeps.'));
    assert.equal(place, 4);
  });

  it('is the same after a change of its name and labels as when it is read anew', () => {
    const text = makeBook(20, 3, 'zebra');
    const [old, moved] = ['old.md', 'new.md'] as Location[];
    const document = { location: old!, text, kind: 'text' as const, labels: ['draft'] };
    const others = ['a.md', 'zz.md'].map((location) => ({ ...document, location: location as Location }));
    const segment = writeSegment([document, ...others].map((each) => analyzeDocument(each)));
    const ordinal = segment.findLocation(Buffer.from('old.md'));
    const stored = extractDocument(segment, ordinal);
    const anew = (changes: object): Buffer => bytesOf(writeSegment([analyzeDocument({ ...document, ...changes })]));
    const renamed = replaceHead(segment, ordinal, renameAnalyzed(stored, moved!, english));
    assert.ok(bytesOf(renamed).equals(anew({ location: moved! })));
    const relabeled = replaceHead(segment, ordinal, relabelAnalyzed(stored, ['final', 'zebra'], english));
    assert.ok(bytesOf(relabeled).equals(anew({ labels: ['final', 'zebra'] })));
  });

  it('without a word in a chunk has one chunk less', () => {
    const text = `Word.\n\n${'- \n'.repeat(9000)}\nLast.\n`;
    const { chunks } = analyzeDocument({ location: 'a.txt' as Location, text, kind: 'text', labels: [] });
    assert.deepEqual(
      chunks.map(({ terms }) => [...terms.keys()]),
      [['word'], ['last']],
    );
  });
});
