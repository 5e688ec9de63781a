import assert from 'node:assert/strict';
import { composeMarkdownInSteps } from '../../lib/extraction/compose-markdown.js';
import { runAtOnce } from '../../lib/scheduling/in-steps.js';
import { readOutline } from '../../lib/text/outline.js';

describe('The Markdown of an extracted text', () => {
  it('has a heading for each part, with the headings of the file below it', () => {
    const text = 'Intro\nwords\nmore\n';
    const markdown = compose(text, [0, 12], [0]);
    assert.equal(markdown, '# Page 1\n\n## Intro\nwords\n\n# Page 2\n\nmore\n');
    assert.deepEqual(
      readOutline(markdown).map(({ id, level }) => [id, level]),
      [
        ['page-1', 1],
        ['intro', 2],
        ['page-2', 1],
      ],
    );
  });

  it('has no heading that the file does not have', () => {
    const text = '# one\nwords\n---\nmore\n===\n```\n    # code\n';
    assert.deepEqual(
      readOutline(compose(text, [0, 6])).map(({ title }) => title),
      ['Page 1', 'Page 2'],
    );
  });

  it('names a page without words', () => {
    assert.equal(compose('words\n', [0, 6, 6]), '# Page 1\n\nwords\n\n# Page 2\n\n\n# Page 3\n\n');
    assert.equal(compose('words', []), 'words\n');
  });
});

/** @param parts offsets of pages @param headings offsets of headings of the first level */
function compose(text: string, parts: readonly number[], headings: readonly number[] = []): string {
  return runAtOnce(
    composeMarkdownInSteps({
      text,
      parts: parts.map((offset, index) => ({ title: `Page ${index + 1}`, level: 1, offset })),
      headings: headings.map((offset) => ({ level: 1, offset })),
      isCut: false,
    }),
  );
}
