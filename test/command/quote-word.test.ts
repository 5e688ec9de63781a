import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { quoteWord } from '../../bin/quote-word.js';

describe('A text in a command that is printed for people', () => {
  it('is one word of a shell, whatever it holds', () => {
    const texts = ["it's", 'a b', '$HOME `id` "x"', "''", '\\', 'a\\', '!x', '*', '~', 'ü', '', '-n', 'plain/name.md'];
    for (const text of texts) {
      assert.equal(execFileSync('sh', ['-c', `printf %s. ${quoteWord(text)}`], { encoding: 'utf8' }), `${text}.`);
    }
    assert.equal(quoteWord('team/plan-2.md'), 'team/plan-2.md');
  });
});
