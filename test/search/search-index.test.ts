import assert from 'node:assert/strict';
import type { Location } from '../../lib/domain/location.js';
import { maxPhraseCandidates } from '../../lib/search/query/check-phrases.js';
import type { SearchPosition } from '../../lib/search/ranking/search-position.js';
import { everything, folders, IndexOf, snippetFrom } from './index-of.js';

describe('search: an index that follows commits', () => {
  it('finds the text of a commit as soon as it is applied, and no older text of it', async () => {
    const of = new IndexOf({ 'a.md': 'ladders' });
    of.write('a.md', 'stairs');
    assert.deepEqual(await of.find('stair'), ['a.md']);
    assert.deepEqual(await of.find('ladder'), []);
    of.remove('a.md');
    assert.deepEqual(await of.find('stair'), []);
  });

  it('shows a folder at its new place at once, and by none of its names', async () => {
    const of = new IndexOf({ 'old/deep/a.md': 'ladder', 'old/b.md': 'ladder', 'old-b/c.md': 'ladder' });
    of.rename('old', 'new/home');
    assert.deepEqual(await of.find('ladder', { reach: folders('new') }), ['new/home/b.md', 'new/home/deep/a.md']);
    assert.deepEqual(await of.find('ladder', { reach: folders('old') }), []);
    of.rename('new/home/deep', 'top');
    of.rename('new', 'old');
    assert.deepEqual(await of.find('ladder', { reach: folders('old') }), ['old/home/b.md']);
    assert.deepEqual(await of.find('ladder', { reach: folders('top') }), ['top/a.md']);
    assert.deepEqual(await of.find('home deep old'), []);
  });

  it('finds a document by its new name and not by its old one', async () => {
    const of = new IndexOf({ 'a/ladder.txt': 'climb', 'a/other.txt': 'climb' });
    of.rename('a/ladder.txt', 'a/stairs.txt');
    assert.deepEqual(await of.find('ladder'), []);
    assert.deepEqual(await of.find('stairs'), ['a/stairs.txt']);
    assert.deepEqual(await of.find('climb'), ['a/other.txt', 'a/stairs.txt']);
  });

  it('finds each document by its own title in quotes, wherever the title stands, and leaves it out by it', async () => {
    const of = new IndexOf({
      'a.md': '---\nauthor: ada\ntitle: Quarterly budgeting\n---\ngiraffe text',
      'b.md': 'giraffe other',
      'c.md': '---\ntitle: "Grand Harbour Plan"\n---\n# Other\n\ngiraffe',
      'd.html': '<title>Grand Harbour Plan</title> giraffe',
      'e.txt': '---\ntitle: Grand Harbour Plan\n---\ngiraffe',
      'f.md': '# Grand Harbour Plan\n\ngiraffe',
    });
    assert.deepEqual(await of.find('"quarterly budgeting"'), ['a.md']);
    assert.deepEqual(await of.find('giraffe -"quarterly budgeting" -"harbour plan"'), ['b.md']);
    assert.deepEqual((await of.find('"grand harbour plan"')).toSorted(), ['c.md', 'd.html', 'e.txt', 'f.md']);
    assert.deepEqual(await of.find('"author ada"'), []);
    assert.deepEqual(await of.find('"budgeting giraffe"'), []);
  });

  it('finds the document of a name first, by that name', async () => {
    const text = 'git git git txt rebase rebase rebase git-rebase.txt and so on';
    const of = new IndexOf({ 'd/git-pull.txt': text, 'd/git-rebase.txt': 'a short page', 'd/git-log.txt': text });
    assert.equal((await of.find('git-rebase.txt'))[0], 'd/git-rebase.txt');
    assert.equal((await of.find('the page git-rebase.txt'))[0], 'd/git-rebase.txt');
    assert.deepEqual(await of.find('-git-rebase.txt +short'), []);
  });

  it('filters by folder, kind and all labels given', async () => {
    const of = new IndexOf({ 'a/ladder.png': null });
    of.write('a/x.md', 'ladder', ['draft', 'safety']);
    of.write('b/y.md', 'ladder', ['draft']);
    assert.deepEqual(await of.find('ladder', { filters: { kind: 'binary' } }), ['a/ladder.png']);
    assert.deepEqual(await of.find('ladder', { filters: { folder: 'b' as Location } }), ['b/y.md']);
    assert.deepEqual(await of.find('ladder', { filters: { labels: ['draft'] } }), ['a/x.md', 'b/y.md']);
    assert.deepEqual(await of.find('ladder', { filters: { labels: ['safety', 'draft'] } }), ['a/x.md']);
    assert.deepEqual(await of.find('ladder', { filters: { labels: ['dra'] } }), []);
    of.index.apply({ commit: 'c', relabels: [{ location: 'b/y.md' as Location, labels: ['safety', 'draft'] }] });
    assert.deepEqual(await of.find('ladder', { filters: { labels: ['safety'] } }), ['a/x.md', 'b/y.md']);
    assert.deepEqual(await of.find('label:safety'), ['a/x.md', 'b/y.md']);
  });

  it('separates several reaches on one index: nothing, the root, one folder, one document', async () => {
    const of = new IndexOf({ 'a/x.md': 'ladder', 'b/y.md': 'ladder' });
    assert.deepEqual(await of.find('ladder', { reach: folders() }), []);
    assert.deepEqual(await of.find('ladder', { reach: folders('') }), ['a/x.md', 'b/y.md']);
    assert.deepEqual(await of.find('ladder', { reach: folders('b') }), ['b/y.md']);
    assert.deepEqual(await of.find('ladder', { reach: folders('b/y.md') }), [], 'a folder of that name');
    const reach = { everything: false, folders: [], documents: ['a/x.md' as Location] };
    assert.deepEqual(await of.find('ladder', { reach }), ['a/x.md']);
  });

  it('finds nothing for an empty question', async () => {
    const of = new IndexOf({ 'a.md': 'ladder' });
    for (const query of ['', ' ', '+', '???']) {
      const { hits, position } = await of.page(query);
      assert.deepEqual({ hits, position }, { hits: [], position: null });
    }
  });
});

describe('search: phrases', () => {
  it('are checked against the text and the name', async () => {
    const of = new IndexOf({
      'a.md': 'a leave of **absence** is',
      'b.md': 'absence of leave',
      'leave of absence.png': null,
      'c.md': 'leave [of](http://x) absence, unpaid',
    });
    assert.deepEqual(await of.find('"leave of absence"'), ['leave of absence.png', 'a.md', 'c.md']);
    assert.deepEqual(await of.find('"leave of absence" -"absence unpaid"'), ['leave of absence.png', 'a.md']);
    assert.deepEqual(await of.find('"absence leave"'), []);
  });

  it('of a field are sought in that field alone, and kept out there alone', async () => {
    const of = new IndexOf({
      'a.md': '# A\n\nthis needs review soon',
      'c.md': '# Team plan\n\nnothing else',
      'd.md': '# Other\n\nour team plan is here',
      'f.md': '---\ntitle: The team plan of spring\n---\n# Draft\n\ntext',
      'team plan.txt': 'no heading',
      'who.md': '# The Who\n\nx',
    });
    of.write('b.md', '# B\n\nlabelled', ['needs review']);
    of.write('e.md', '# E\n\nlabelled', ['needs', 'review']);
    const find = async (query: string): Promise<string[]> => (await of.find(query)).toSorted();
    const titled = ['c.md', 'f.md', 'team plan.txt'];
    for (const query of [
      'title:"team plan"',
      '+title:"team plan"',
      'title:“Team Plan”',
      'title: "team plan"',
      '(title:"team plan")',
      'Title:"team plan"',
    ]) {
      assert.deepEqual(await find(query), titled, query);
    }
    assert.deepEqual(await find('-title:"team plan"'), ['a.md', 'b.md', 'd.md', 'e.md', 'who.md']);
    assert.deepEqual(await find('here -title:"team plan"'), ['d.md']);
    assert.deepEqual(await find('title:"plan team"'), []);
    assert.deepEqual(await find('body:"team plan"'), ['d.md']);
    assert.deepEqual(await find('path:"team plan"'), ['team plan.txt']);
    assert.deepEqual(await find('title:"The Who"'), ['who.md']);
    assert.deepEqual(await find('x -title:"the who"'), []);
    assert.deepEqual(await find('label:"needs review"'), ['b.md']);
    assert.deepEqual(await find('label:"needs"'), ['e.md']);
    assert.deepEqual(await find('labelled -label:"needs review"'), ['e.md']);
    assert.deepEqual(await find('-label:"needs review" -label:"review"'), [
      'a.md',
      'c.md',
      'd.md',
      'f.md',
      'team plan.txt',
      'who.md',
    ]);
    assert.deepEqual(await find('title:"" label:""'), []);
  });

  it('of stop words alone are found in texts, behind titles and names with the words', async () => {
    const of = new IndexOf({
      'a.md': 'It is said: to be, or not to be, that is the question.',
      'b.md': '# To be or not to be\n\nA speech.',
      'c.md': '# Or to be not\n\nto be not or to be',
      'to be or not to be.png': null,
    });
    assert.deepEqual((await of.find('"to be or not to be"')).toSorted(), ['a.md', 'b.md', 'to be or not to be.png']);
    assert.equal((await of.find('"to be or not to be"')).at(-1), 'a.md');
    assert.deepEqual(await of.find('speech -"to be or"'), []);
    assert.deepEqual(await of.find('question -"not or"'), ['a.md']);
    assert.deepEqual(await of.find('body:"or not to be"'), ['a.md']);
    assert.deepEqual(await of.find('"that is the" question'), ['a.md']);
    assert.deepEqual(await of.find('to be'), ['b.md', 'to be or not to be.png', 'c.md'], 'words alone as before');
  });

  it('keep a word before them that names no field, and are kept out together with it', async () => {
    const of = new IndexOf({ 'a.md': 'error: disk full', 'b.md': 'the disk full of music', 'c.md': 'music' });
    assert.deepEqual(await of.find('error:"disk full"'), ['a.md', 'b.md']);
    assert.deepEqual(await of.find('+error:"disk full"'), ['a.md']);
    assert.deepEqual(await of.find('-error:"disk full" disk'), ['b.md']);
    assert.deepEqual(await of.find('music -subtitle:"disk full"'), ['c.md', 'b.md']);
  });

  it('read so many candidates for a page and no more, and go on with the next page', async () => {
    const texts: Record<string, string> = {};
    const many = maxPhraseCandidates + 40;
    for (let number = 0; number < many; number += 1)
      texts[`${String(number).padStart(3, '0')}.md`] = 'near by, far off';
    texts['zzz.md'] = 'far by the sea';
    let read = 0;
    const of: IndexOf = new IndexOf(texts, {
      readText: (_, location) => {
        read += 1;
        return of.texts.get(location) ?? null;
      },
    });
    const first = await of.page('"far by"');
    assert.deepEqual([first.hits, read], [[], maxPhraseCandidates]);
    assert.ok(first.position !== null);
    const second = await of.page('"far by"', { position: first.position });
    assert.deepEqual(
      second.hits.map(({ location }) => location),
      ['zzz.md'],
    );
    assert.equal(second.position, null);
  });
});

describe('search: pages', () => {
  it('have no duplicate, loss or change of order while documents are written, moved and deleted', async () => {
    const texts: Record<string, string> = {};
    for (let number = 0; number < 60; number += 1) texts[`a/${number}.md`] = `ladder ${'wall '.repeat(number % 7)}`;
    const of = new IndexOf(texts);
    const expected = await of.find('ladder wall', { limit: 200 });
    const found: string[] = [];
    let position: SearchPosition | null = null;
    for (let page = 0; page === 0 || position !== null; page += 1) {
      const answer = await of.page('ladder wall', { limit: 7, position });
      found.push(...answer.hits.map(({ location }) => location));
      position = answer.position;
      for (let number = 0; number < 20; number += 1) of.write(`b/${page}-${number}.md`, 'wall wall wall');
      of.remove(`b/${page}-3.md`);
      of.rename(`b/${page}-4.md`, `c/${page}-4.md`);
    }
    assert.deepEqual(
      found.filter((location) => location.startsWith('a/')),
      expected,
    );
    assert.equal(new Set(found).size, found.length);
  });

  it('are read with the reach of the moment', async () => {
    const of = new IndexOf({ 'a/1.md': 'ladder', 'a/2.md': 'ladder', 'b/3.md': 'ladder' });
    const first = await of.page('ladder', { limit: 1, reach: everything });
    assert.deepEqual(await of.find('ladder', { position: first.position, reach: folders('b') }), ['b/3.md']);
  });
});

describe('search: snippets', () => {
  const text = `# Rules\n\n${'Nothing to see. '.repeat(40)}Ladders of *wood* are checked each year. ${'More. '.repeat(200)}ladder`;

  it('show the place with most of the words, marked', async () => {
    const { index } = new IndexOf({});
    const { snippet, highlights } = await snippetFrom(index, 'a.md' as Location, text, 'checked ladder -year');
    assert.deepEqual(
      highlights.map(([start, end]) => snippet.slice(start, end)),
      ['Ladders', 'checked'],
    );
    assert.ok(snippet.length <= 241 && !snippet.includes('\n'));
  });

  it('mark wildcards, edits and phrases, and show the beginning without a word to mark', async () => {
    const { index } = new IndexOf({});
    const marked = async (query: string): Promise<string[]> => {
      const { snippet, highlights } = await snippetFrom(index, 'a.md' as Location, text, query);
      return highlights.map(([start, end]) => snippet.slice(start, end));
    };
    assert.deepEqual(await marked('chec*'), ['checked']);
    assert.deepEqual(await marked('wodo~1'), ['wood']);
    assert.deepEqual(await marked('"each year"'), ['each year']);
    assert.match((await snippetFrom(index, 'a.md' as Location, text, 'absent')).snippet, /^Rules Nothing/);
  });

  it('begin with a title of front matter where it was found, and only then', async () => {
    const { index } = new IndexOf({});
    const page = '---\ntitle: "Grand Harbour Plan"\n---\n# Other\n\ngiraffe text';
    const shown = async (name: string, query: string): Promise<string> => {
      const { snippet, highlights } = await snippetFrom(index, name as Location, page, query);
      return `${snippet}: ${highlights.map(([start, end]) => snippet.slice(start, end)).join()}`;
    };
    assert.equal(await shown('a.md', 'harbour'), 'Grand Harbour Plan Other giraffe text: Harbour');
    assert.equal(await shown('a.md', '"harbour plan"'), 'Grand Harbour Plan Other giraffe text: Harbour Plan');
    assert.equal(await shown('a.md', 'giraffe'), 'Other giraffe text: giraffe');
    assert.match(await shown('a.txt', 'harbour'), /^--- title: "Grand Harbour Plan" --- # Other .*: Harbour$/);
  });

  it('never cut a character in two', async () => {
    const { index } = new IndexOf({});
    for (let lead = 0; lead < 4; lead += 1) {
      const { snippet } = await snippetFrom(
        index,
        'a.txt' as Location,
        'x'.repeat(lead) + '𐀀'.repeat(50_000),
        'absent',
      );
      assert.doesNotMatch(snippet, /\p{Surrogate}/u);
    }
  });
});
