import assert from 'node:assert/strict';
import { readModule } from './read-module.js';

describe('reading a module for the laws', () => {
  it('sees through comments, strings, templates and regexps', () => {
    const { code, strings, imports, regexps } = readModule(
      'lib/git/a.ts',
      [
        "import a, { type B } from 'a'; // import 'no'",
        "export type { C } from './c.js'; /* import 'no' */",
        'const quote = /["\'`]/.test(x) ? 1 / 2 : `t ${f({ a: `in ${b} ner` })} "import \'no\'" `;',
        "const { d } = await import('d');",
        "type E = import('./e.js').E;",
        "const text = one / two; if (/a[/]b/gu.test(text)) use('/no/');",
      ].join('\n'),
    );
    assert.deepEqual(imports, [
      { text: 'a', line: 1 },
      { text: './c.js', line: 2 },
      { text: 'd', line: 4 },
      { text: './e.js', line: 5 },
    ]);
    assert.deepEqual(
      strings.filter(({ line }) => line === 3).map(({ text }) => text),
      ['t ', 'in ', ' ner', ' "import \'no\'" '],
    );
    assert.deepEqual(regexps, [
      { text: '["\'`]', flags: '', line: 3 },
      { text: 'a[/]b', flags: 'gu', line: 6 },
    ]);
    assert.match(code, /f\(\{ a: `\s+\$\{b\}/);
    assert.ok(!code.includes('no'));
  });
});
