import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readOutline, readSection } from '../../lib/text/outline.js';

describe('the outline of a Markdown text', () => {
  it('gives each heading the lines up to the next one of its level or above', () => {
    assert.deepEqual(brief('# A\n\n## B\ntext\n### C\n## D\n# E'), [
      'a h1 1-6',
      'b h2 3-5',
      'c h3 5-5',
      'd h2 6-6',
      'e h1 7-7',
    ]);
  });

  it('makes ids as forges do: composed, and with a hyphen for a blank beside a sign', () => {
    assert.deepEqual(brief('# 🎯 Features\n# Cafe\u0301\n# Caf\u00e9\n# 🎯\n'), [
      '-features h1 1-1',
      'caf\u00e9 h1 2-2',
      'caf\u00e9-1 h1 3-3',
      'section h1 4-4',
    ]);
    assert.deepEqual(brief('\ufeff# A\n'), ['a h1 1-1']);
    assert.deepEqual(brief('\ufeff---\ntitle: x\n---\n# A\n'), ['a h1 4-4']);
  });

  it('knows underlined headings, over several lines too', () => {
    assert.deepEqual(brief('Title\n===\n\ntwo\nlines\n---\n'), ['title h1 1-6', 'two-lines h2 4-6']);
  });

  it('tells which lines are headings in Markdown alone', () => {
    const loose = (text: string): string[] => readOutline(text).map(({ id, isLoose }) => `${id} ${isLoose}`);
    const text = '# One\n\nThe next\r\n=======\r\n\n[source]\n--------\nif (a)\n  go();\n----\n\nShort\n------------\n';
    assert.deepEqual(loose(text), ['one false', 'the-next false', 'source true', 'if-a-go true', 'short true']);
  });

  it('takes no heading from code, lists, quotes, rules and front matter', () => {
    assert.deepEqual(
      brief('---\ntitle: x\n---\n```md\n# no\n```\n~~~\n# no\n~~~\n    # no\n> # no\n\n***\n\n---\n'),
      [],
    );
    assert.deepEqual(brief('- item\n---\n\n1. item\n---\n\n#no\n####### no'), []);
  });

  it('ends a fence only by one of its kind and at least its length', () => {
    assert.deepEqual(brief('````\n```\n# no\n````\n# yes'), ['yes h1 5-5']);
  });

  it('drops closing number signs, but no others', () => {
    assert.deepEqual(
      readOutline('# a #\n# b ##\n# c#\n#\n# #').map(({ title }) => title),
      ['a', 'b', 'c#', '', ''],
    );
  });

  it('gives headings with equal words distinct ids', () => {
    assert.deepEqual(
      readOutline('# Über uns!\n# a\n# a\n# a-1\n# 😀\n# A').map(({ id }) => id),
      ['über-uns', 'a', 'a-1', 'a-1-1', 'section', 'a-2'],
    );
  });

  it('reads a section without the blank lines behind it', () => {
    const text = '# A\n\none\n\n# B\ntwo';
    const sections = (whole: string): string[] => readOutline(whole).map((heading) => readSection(whole, heading));
    assert.deepEqual(sections(text), ['# A\n\none', '# B\ntwo']);
    assert.deepEqual(sections(`${text}\n\n# C\n`), ['# A\n\none', '# B\ntwo', '# C']);
    assert.deepEqual(sections('# A\r\none\r\n\r\n# B'), ['# A\r\none', '# B']);
  });

  it('keeps the part of a heading that a request can name', () => {
    const [long, again] = readOutline(`# ${'word 😀 '.repeat(1000)}\n# ${'word 😀 '.repeat(1000)}\n`);
    assert.ok(long !== undefined && again !== undefined);
    assert.ok(long.title.length <= 300 && long.id.length <= 200 && again.id.length <= 210);
    assert.ok(!/\p{Surrogate}/u.test(long.title));
    assert.notEqual(long.id, again.id);
    const underlined = readOutline(`${'some words\n'.repeat(5000)}===\n`);
    assert.deepEqual(
      underlined.map(({ title, level, line, lastLine }) => [title.length, level, line, lastLine]),
      [[300, 1, 1, 5001]],
    );
  });

  it('takes time in proportion to any text', () => {
    // Time in the square of a million is more than the runner waits.
    for (const part of ['# a\n', '#', '=', '`', '> ', ' ', '# a \u2028', '# \t', '```\n', 'a\n---\n', '- \n']) {
      readOutline(part.repeat(Math.ceil(1_000_000 / part.length)));
    }
  });

  it('always gives unique ids and sections that nest', () => {
    const line = fc.constantFrom('# a', '## a', '### b', 'text', '', '---', '```', '- x', '# a-1');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const text = lines.join('\n');
        const headings = readOutline(text);
        const lineCount = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
        assert.equal(new Set(headings.map(({ id }) => id)).size, headings.length);
        for (const [index, heading] of headings.entries()) {
          assert.ok(heading.line <= heading.lastLine && heading.lastLine <= lineCount);
          const next = headings.slice(index + 1).find(({ level }) => level <= heading.level);
          assert.equal(heading.lastLine, next === undefined ? lineCount : next.line - 1);
        }
      }),
    );
  });
});

const brief = (text: string): string[] =>
  readOutline(text).map(({ id, level, line, lastLine }) => `${id} h${level} ${line}-${lastLine}`);
