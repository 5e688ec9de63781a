import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { writeContent } from '../../lib/rest/write-content.js';

describe('content in JSON', () => {
  const record = { id: 'doc_1', name: 'naïve "ünïcode".md', labels: ['ä'] };
  const text = { kind: 'text' } as const;
  const binary = { kind: 'binary' } as const;
  const anyText = fc.string({ unit: 'grapheme', maxLength: 300 });
  const controls = fc.string({ unit: fc.constantFrom('\u0000', '\u001f', '"', '\\', '\n', '\u2028', 'é', '😀') });

  it('is the same each time it is answered, and what JSON.stringify makes of record and content', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, controls), (content) => {
        const bytes = Buffer.from(content);
        const expected = JSON.stringify({ ...record, content: bytes.toString(), encoding: 'utf-8' });
        for (let answer = 0; answer < 4; answer++) {
          const body = writeContent(record, { bytes, isHeld: answer > 0, version: text });
          assert.equal(body.text.toString(), expected);
          assert.ok(body.form === 'json');
          assert.deepEqual(body.value, JSON.parse(expected));
        }
      }),
    );
  });

  it('that is no text is base64, also where the same bytes could be text', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (content) => {
        const bytes = Buffer.from(content);
        const expected = JSON.stringify({ ...record, content: bytes.toString('base64'), encoding: 'base64' });
        for (let answer = 0; answer < 3; answer++) {
          const body = writeContent(record, { bytes, isHeld: answer > 0, version: binary });
          assert.equal(body.text.toString(), expected);
        }
      }),
    );
  });

  it('is that of the record that is asked for: two documents can share their bytes', () => {
    const bytes = Buffer.from('shared');
    for (const name of ['one.md', 'other.md', 'one.md', 'other.md']) {
      const body = writeContent({ name }, { bytes, isHeld: true, version: text });
      assert.deepEqual(JSON.parse(body.text.toString()), { name, content: 'shared', encoding: 'utf-8' });
    }
    const { content } = JSON.parse(writeContent(record, { bytes, isHeld: true, version: binary }).text.toString());
    assert.equal(content, 'c2hhcmVk');
  });
});
