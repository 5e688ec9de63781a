import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = 'lib/decisions';
const pages = readdirSync(folder).filter((name) => /^\d{4}-.+\.md$/.test(name));

/** The page's number and title, from its first line. */
function headingOf(page: string): { readonly number: string; readonly title: string } {
  const first = readFileSync(join(folder, page), 'utf8').split('\n', 1)[0] ?? '';
  const match = /^# (\d{4}) · (.+)$/.exec(first);
  assert.ok(match, `${page} begins with “${first}”, and not with “# NNNN · title”`);
  return { number: match[1] ?? '', title: match[2] ?? '' };
}

/** The lines of the index that name a page. */
function readIndex(): string[] {
  return readFileSync(join(folder, 'README.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('- '));
}

/** The index's addition to the title of a page that names its successors at its top. */
function markOf(page: string): string {
  const top = readFileSync(join(folder, page), 'utf8').split('\n')[2] ?? '';
  if (!top.startsWith('**Superseded ')) return '';
  const successors = [...top.matchAll(/\[(\d{4})\]/g)].map(([, number]) => number);
  return ` (superseded ${top.startsWith('**Superseded in part ') ? 'in part ' : ''}by ${successors.join(', ')})`;
}

describe('The decisions', () => {
  it('have one number each', () => {
    const numbers = pages.map((page) => headingOf(page).number);
    assert.deepEqual(
      numbers,
      pages.map((page) => page.slice(0, 4)),
    );
    assert.equal(new Set(numbers).size, pages.length);
  });

  it('stand in the index, each once, with their title and their successor', () => {
    const lines = pages.map((page) => {
      const { number, title } = headingOf(page);
      return `- [${number}](${page}) ${title}${markOf(page)}`;
    });
    assert.deepEqual(readIndex().toSorted(), lines.toSorted());
  });

  it('name only pages that exist', () => {
    for (const page of pages) {
      const links = readFileSync(join(folder, page), 'utf8').matchAll(/\]\((\d{4}-[^)]+\.md)\)/g);
      for (const [, link] of links) assert.ok(pages.includes(link ?? ''), `${page} links to ${link}`);
    }
  });
});
