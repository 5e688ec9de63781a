import assert from 'node:assert/strict';
import type { Location } from '../../lib/domain/location.js';
import { english, openLanguages } from '../../lib/search/languages/languages.js';
import { analyzeDocument, renameAnalyzed } from '../../lib/search/analysis/analyze-document.js';
import { sequenceMark } from '../../lib/search/analysis/find-sequences.js';
import { IndexOf, snippetFrom } from './index-of.js';

describe('search: a number of several words', () => {
  const versions = {
    'v/one.md': 'Upgrade to version 1.2.3 now.',
    'v/two.md': 'Versions 1.2.4, 3.2.1 and 2.1.3 are old: 1, 2 and 3.',
  };

  for (const languages of [openLanguages(['en']), openLanguages(['en', 'de'])]) {
    it(`comes before its parts in another order (${languages.codes.join(', ')})`, async () => {
      const of = new IndexOf(versions, { languages });
      for (const query of ['1.2.3', 'version 1.2.3', 'v1.2 1.2.3'])
        assert.deepEqual(await of.find(query), ['v/one.md', 'v/two.md'], query);
      const hosts = new IndexOf(
        {
          'a.md': 'The hosts are 10.12.0.1, 12.10.0.0 and 10.0.12.10.',
          'b.md': 'The printer is at 10.0.0.12, in the hall.',
          'c.md': '10 0 0 12',
        },
        { languages },
      );
      assert.equal((await hosts.find('10.0.0.12'))[0], 'b.md');
      assert.equal((await hosts.find('10.0.0'))[0], 'b.md');
    });
  }

  it('is found in a longer one, in a title and in a name', async () => {
    const of = new IndexOf({
      'net/10.0.0.12.md': 'nothing',
      'a.md': 'http://10.0.0.12:8080/status',
      'b.md': '# Release 10.0.0.12\n\ntext',
      'z.md': '10, 0, 0 and 12',
    });
    const found = await of.find('10.0.0.12');
    assert.deepEqual(found.slice(0, 3).toSorted(), ['a.md', 'b.md', 'net/10.0.0.12.md']);
    assert.equal(found[3], 'z.md');
    assert.deepEqual(await of.find('title:10.0.0.12'), ['b.md', 'net/10.0.0.12.md']);
  });

  it('has to be there whole after a plus, and nowhere after a minus', async () => {
    const of = new IndexOf({
      'a.md': 'ticket ABC-123 is open',
      'b.md': 'ticket ABC-321 and XYZ-123 are open',
      'c.md': 'ticket 123 is for abc',
    });
    assert.deepEqual(await of.find('+ABC-123'), ['a.md']);
    assert.deepEqual((await of.find('ticket -ABC-123')).toSorted(), ['b.md', 'c.md']);
    assert.equal((await of.find('ticket abc-123'))[0], 'a.md');
    assert.deepEqual(await of.find('+title:ABC-123'), []);
    assert.deepEqual(await of.find('-ABC-123'), await of.find('-"ABC 123"'));
  });

  it('is read as words after a change of its name, its labels and its text', async () => {
    const of = new IndexOf({ 'notes/rc.1.md': 'text' });
    assert.deepEqual(await of.find('+path:rc.1'), ['notes/rc.1.md']);
    of.write('notes/rc.1.md', 'see 2026-11-28');
    assert.deepEqual(await of.find('+2026-11-28'), ['notes/rc.1.md']);
    of.write('notes/rc.1.md', 'see 2026-28-11');
    assert.deepEqual(await of.find('+2026-11-28'), []);
  });

  it('does not come up for a pattern or a misspelling, and hides no word from them', async () => {
    const of = new IndexOf({ 'a.md': 'serial abcd-1234-efgh', 'b.md': 'abcd' });
    assert.deepEqual((await of.find('abcd*')).toSorted(), ['a.md', 'b.md']);
    assert.deepEqual((await of.find('abce~1')).toSorted(), ['a.md', 'b.md']);
    assert.deepEqual((await of.find('abcd-123*')).toSorted(), ['a.md', 'b.md']);
  });

  it('has a bound of terms in a text of nothing else, whose words are all found, also after a rename', async () => {
    for (const runs of [10_000, 40_000]) {
      const text = Array.from({ length: runs }, (_, run) => `${run}.b.c.d.e.f.g.h`).join(' ');
      const { chunks } = analyzeDocument({ location: 'a.txt' as Location, text, kind: 'text', labels: [] });
      const terms = chunks.flatMap((chunk) => [...chunk.terms.keys()]);
      const words = new Set(terms.filter((term) => !term.startsWith(sequenceMark)));
      const sequences = terms.filter((term) => term.startsWith(sequenceMark)).length;
      assert.ok(sequences > 1000 && sequences <= 50_000, `${sequences} terms of sequences`);
      assert.ok(words.size >= runs, `${words.size} words`);
    }
    const text = Array.from({ length: 10_000 }, (_, each) => `${each}.b.c.d`).join(' ');
    const [old, moved] = ['old-1.txt', 'new-2.txt'] as Location[];
    const document = { location: old!, text, kind: 'text' as const, labels: ['x-1'] };
    const renamed = renameAnalyzed(analyzeDocument(document), moved!, english);
    assert.deepEqual(renamed, analyzeDocument({ ...document, location: moved! }));
    const run = Array.from({ length: 200_000 }, (_, index) => index % 10).join('.');
    const { chunks } = analyzeDocument({ location: 'a.txt' as Location, text: run, kind: 'text', labels: [] });
    const most = Math.max(...chunks.map(({ terms }) => terms.size));
    assert.ok(most < 50, 'of a long run only the beginning in each chunk');
  });

  it('is marked in a snippet by its words', async () => {
    const of = new IndexOf({});
    const { snippet, highlights } = await snippetFrom(of.index, 'a.md' as Location, 'Use 1.2.3 here.', '1.2.3');
    assert.deepEqual(
      highlights.map(([start, end]) => snippet.slice(start, end)),
      ['1', '2', '3'],
    );
  });
});
