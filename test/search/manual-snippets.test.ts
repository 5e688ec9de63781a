import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import MarkdownIt from 'markdown-it';
import { packagePath } from '../../lib/config.js';
import { runAtOnce } from '../../lib/scheduling/in-steps.js';
import { showText } from '../../lib/search/analysis/show-text.js';
import { wordsOf } from '../../lib/search/analysis/split-words.js';
import { IndexOf } from './index-of.js';

const renderer = new MarkdownIt({ html: true });

/** Pages of Markdown by their names. */
function readPages(folder: string): Map<string, string> {
  const names = readdirSync(packagePath(folder)).filter((name) => name.endsWith('.md'));
  return new Map(names.map((name) => [name, readFileSync(packagePath(`${folder}/${name}`), 'utf8')]));
}

/** What a renderer shows of a page, without blanks. */
function render(source: string): string {
  const shown: string[] = [];
  const walk = (tokens: ReturnType<typeof renderer.parse>): void => {
    for (const { type, content, info, markup, children } of tokens) {
      if (type === 'list_item_open' && info !== '') shown.push(info + markup);
      if (type === 'html_block') shown.push(content.replaceAll(/<[^>]*>/g, ''));
      else if (children !== null) walk(children);
      else if (!type.startsWith('html_')) shown.push(content);
    }
  };
  walk(renderer.parse(source, {}));
  return withoutBlanks(shown.join(''));
}

const withoutBlanks = (text: string): string => text.replaceAll(/\s+/g, '');

describe('search: snippets of the manual', function () {
  this.timeout(60_000);
  const pages = readPages('lib/docs');

  it('show what a renderer shows of its pages, of the decisions and of the changes', () => {
    const changes = readFileSync(packagePath('CHANGELOG.md'), 'utf8');
    for (const [name, source] of [...pages, ...readPages('lib/decisions'), ['CHANGELOG.md', changes] as const]) {
      assert.equal(withoutBlanks(runAtOnce(showText(source, name)).text), render(source), name);
    }
  });

  it('have no mark, and each highlight is a word of the query', async () => {
    const of = new IndexOf(Object.fromEntries(pages));
    const rendered = new Map([...pages].map(([name, source]) => [name, render(source)]));
    const words = [...new Set([...pages.values()].flatMap((source) => wordsOf(source)))];
    const asked = words.filter((word, place) => place % 8 === 0 && /^[a-z]{4,}$/.test(word));
    assert.ok(asked.length > 200, `${asked.length} words`);
    for (const word of asked) {
      const { hits, query } = await of.page(word, { limit: 3 });
      for (const hit of hits) {
        const source = pages.get(hit.location) ?? '';
        const { snippet, highlights, place } = await of.index.snippet(hit.location, source, query, hit);
        assert.ok(rendered.get(hit.location)?.includes(withoutBlanks(snippet)), `${word}: ${snippet}`);
        for (const [start, end] of highlights) {
          const marked = snippet.slice(start, end);
          assert.ok(wordsOf(marked).length === 1 && marked.charAt(0).toLowerCase() === word.charAt(0), marked);
        }
        const [first] = highlights;
        if (first !== undefined) assert.equal(source.charAt(place), snippet.charAt(first[0]), word);
      }
    }
  });
});
