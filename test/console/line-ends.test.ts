import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { closeText, openText } from '../../lib/console/web/screens/editor/keep-line-ends.js';

const root = path.resolve(import.meta.dirname, '../../..');

const turns: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll('\n', '\r\n'),
  (text) => text.replaceAll('\n', '\r'),
  (text) => `\ufeff${text.trimEnd()}`,
  (text) => text.replace(/\n/g, (end, at: number) => (at % 3 === 0 ? '\r\n' : at % 5 === 0 ? '\r' : end)),
];

const pieces = fc.constantFrom(
  'a',
  'b',
  '',
  '\n',
  '\r\n',
  '\r',
  '\ufeff',
  '\u2028',
  '\u0085',
  '\v',
  'e\u0301',
  '\u{1f600}',
  '\t',
  '\u200d',
  '\0',
);
const anyText = fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join(''));

describe('a text that is opened and stored without an edit', () => {
  it('keeps every byte, for hundreds of real documents with every kind of line end', () => {
    let count = 0;
    for (const file of findMarkdown()) {
      const text = readText(file);
      if (text === undefined) continue;
      count += 1;
      for (const turn of turns) {
        const stored = turn(text);
        const opened = openText(stored);
        assert.ok(!opened.shown.includes('\r'));
        assert.equal(closeText(opened, opened.shown), stored, file);
      }
    }
    assert.ok(count > 200, `${count} documents`);
  });

  it('keeps every byte of any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const opened = openText(text);
        assert.equal(closeText(opened, opened.shown), text);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('a text with an edit', () => {
  it('ends new lines as the others are ended', () => {
    assert.equal(
      store('a\r\nb\r\n', (shown) => `${shown}c\n`),
      'a\r\nb\r\nc\r\n',
    );
    assert.equal(
      store('a\rb', (shown) => shown.replace('b', 'b\nc')),
      'a\rb\rc',
    );
    assert.equal(
      store('a\nb', (shown) => shown.replace('b', 'b\nc')),
      'a\nb\nc',
    );
  });

  it('keeps the end of each line that is as it was, and gives the others the usual one', () => {
    assert.equal(
      store('a\r\nb\nc\r\nd\r', (shown) => shown.replace('b\n', 'new\nb\n')),
      'a\r\nnew\r\nb\nc\r\nd\r',
    );
    assert.equal(
      store('a\r\nb\nc\r\nd', (shown) => shown.replace('a\n', '')),
      'b\nc\r\nd',
    );
    assert.equal(
      store('a\r\nb\nc\r\nd', (shown) => `${shown}\n`),
      'a\r\nb\nc\r\nd\r\n',
    );
  });

  it('keeps the byte order mark, even of a text that was emptied', () => {
    assert.equal(
      store('\ufeffa', () => ''),
      '\ufeff',
    );
  });

  it('shows what was typed, whatever the ends become', () => {
    fc.assert(
      fc.property(anyText, anyText, (text, typed) => {
        const shown = openText(typed.replace(/^\ufeff/, '')).shown;
        const opened = openText(text);
        const stored = closeText(opened, shown);
        assert.equal((opened.hasMark ? stored.slice(1) : stored).replace(/\r\n?/g, '\n'), shown);
      }),
      { numRuns: 2000 },
    );
  });

  const store = (text: string, edit: (shown: string) => string): string => {
    const opened = openText(text);
    return closeText(opened, edit(opened.shown));
  };
});

/** Every Markdown file of this repository and of the packages it uses. */
function findMarkdown(): string[] {
  const packages = path.join(root, 'node_modules');
  const own = readdirSync(path.join(root, 'lib'), { recursive: true, encoding: 'utf8' }).map((name) =>
    path.join(root, 'lib', name),
  );
  const theirs = readdirSync(packages, { encoding: 'utf8' }).flatMap((name) =>
    ['README.md', 'CHANGELOG.md', 'readme.md', 'History.md', 'LICENSE.md'].map((file) =>
      path.join(packages, name, file),
    ),
  );
  return [...own, ...theirs].filter((file) => file.endsWith('.md'));
}

function readText(file: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch {
    return undefined;
  }
}
