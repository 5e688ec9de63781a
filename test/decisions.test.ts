import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = 'lib/decisions';
const pages = readdirSync(folder).filter((name) => /^\d{4}-.+\.md$/.test(name));

describe('The decisions', () => {
  it('have one number each, which is in the file name and the title', () => {
    const numbers = pages.map((page) => headingOf(page).number);
    assert.deepEqual(
      numbers,
      pages.map((page) => page.slice(0, 4)),
    );
    assert.equal(new Set(numbers).size, pages.length);
  });

  it('have file names that are made of number and title', () => {
    assert.deepEqual(
      pages.map((page) => {
        const { number, title } = headingOf(page);
        return `${number}-${toFileName(title)}.md`;
      }),
      pages,
    );
  });

  it('account for each number once: as a page, as included in a page, or as without a page', () => {
    const numbers = [...pages.flatMap((page) => [page.slice(0, 4), ...includedIn(page)]), ...withoutPage()].toSorted();
    const highest = Number(numbers.at(-1));
    assert.deepEqual(
      numbers,
      Array.from({ length: highest }, (_, at) => String(at + 1).padStart(4, '0')),
    );
  });

  it('stand in the index, each once, with their title', () => {
    const lines = pages.map((page) => {
      const { number, title } = headingOf(page);
      return `- [${number}](${page}) ${title}`;
    });
    assert.deepEqual(readIndex().toSorted(), lines.toSorted());
  });

  it('name only pages that exist', () => {
    for (const page of pages) {
      const links = readFileSync(join(folder, page), 'utf8').matchAll(/\]\((\d{4}-[^)]+\.md)\)/g);
      for (const [, link] of links) assert.ok(pages.includes(link ?? ''), `${page} links to ${link}`);
    }
  });

  it('have a page for each number that the code cites', () => {
    const known = new Set(pages.flatMap((page) => [page.slice(0, 4), ...includedIn(page)]));
    const cited = citedInCode();
    assert.ok(cited.length > 30, 'the citations are found');
    assert.deepEqual(
      cited.filter((number) => !known.has(number)),
      [],
    );
  });
});

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

/** The numbers of earlier pages that a page says it includes, from its third line. */
function includedIn(page: string): string[] {
  const line = readFileSync(join(folder, page), 'utf8').split('\n')[2] ?? '';
  return /^Includes (\d{4}(?:, \d{4})*)\.$/.exec(line)?.[1]?.split(', ') ?? [];
}

/** The numbers that the index lists as having no page: single ones, and ranges such as 0015–0019. */
function withoutPage(): string[] {
  const text = readFileSync(join(folder, 'README.md'), 'utf8').split('## Numbers without a page\n')[1] ?? '';
  return [...text.matchAll(/(\d{4})(?:–(\d{4}))?/g)].flatMap(([, first = '', last = first]) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => String(Number(first) + at).padStart(4, '0')),
  );
}

/** A title in the form of a file name. */
function toFileName(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[’'`]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** The decisions that comments of the code and tests name by number, as “decision NNNN”. */
function citedInCode(): string[] {
  const files = ['bin', 'lib', 'schema', 'test'].flatMap((top) =>
    readdirSync(top, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:ts|tsx|mjs|cjs|sql|yaml|md)$/.test(name) && !name.includes('node_modules'))
      .map((name) => join(top, name)),
  );
  const texts = files.filter((name) => !name.startsWith(folder)).map((name) => readFileSync(name, 'utf8'));
  const lists = texts.flatMap((text) => [...text.matchAll(/\bdecisions? (\d{4}(?:(?:, | and )\d{4})*)/gi)]);
  return lists.flatMap(([, list = '']) => list.match(/\d{4}/g) ?? []);
}
