import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { writeText } from '../../lib/api/answers/write-json-text.js';

describe('a text in JSON', () => {
  const record = { id: 'doc_1', name: 'naïve "ünïcode".md', labels: ['ä'] };
  const anyText = fc.string({ unit: 'grapheme', maxLength: 300 });
  const controls = fc.string({ unit: fc.constantFrom('\u0000', '\u001f', '"', '\\', '\n', '\u2028', 'é', '😀') });

  it('is the same each time it is answered, and equals JSON.stringify of record and content', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, controls), (content) => {
        const bytes = Buffer.from(content);
        const expected = JSON.stringify({ ...record, content: bytes.toString(), encoding: 'utf-8' });
        for (let answer = 0; answer < 3; answer++) {
          const body = writeText(record, bytes);
          assert.equal(body.text.toString(), expected);
          assert.ok(body.form === 'json');
          assert.deepEqual(body.value, JSON.parse(expected));
        }
      }),
    );
  });

  it('stands in the requested record: two documents can share their bytes', () => {
    const bytes = Buffer.from('shared');
    for (const name of ['one.md', 'other.md', 'one.md', 'other.md']) {
      const { text } = writeText({ name }, bytes);
      assert.deepEqual(JSON.parse(text.toString()), { name, content: 'shared', encoding: 'utf-8' });
    }
  });
});
