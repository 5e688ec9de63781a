import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { streamDocument } from '../../lib/api/answers/stream-document.js';

const record = { location: 'a.md', size: 3 };

describe('A document written as JSON while it is sent', () => {
  it('a streamed document keeps its text however the stream is cut into pieces', async () => {
    const anyText = fc.string({ unit: 'grapheme', maxLength: 300 }).map((some) => some.repeat(300));
    await fc.assert(
      fc.asyncProperty(anyText, fc.array(fc.nat(), { maxLength: 5 }), async (content, ends) => {
        const written = await write(cut(Buffer.from(content), ends), true);
        assert.deepEqual(written, { ...record, content, encoding: 'utf-8' });
      }),
      { numRuns: 50 },
    );
  });

  it('keeps a byte order mark and control characters', async () => {
    const content = `\ufeff${'\u0001'.repeat(100_000)}\ufeff`;
    assert.deepEqual(await write([Buffer.from(content)], true), { ...record, content, encoding: 'utf-8' });
  });

  it('holds bytes as base64, for any cut of their pieces', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5000 }), fc.array(fc.nat(), { maxLength: 5 }), async (some, ends) => {
        const bytes = Buffer.concat(Array.from({ length: 30 }, () => Buffer.from(some)));
        const written = await write(cut(bytes, ends), false);
        assert.deepEqual(written, { ...record, content: bytes.toString('base64'), encoding: 'base64' });
      }),
      { numRuns: 50 },
    );
  });

  it('frees its source when its reader goes away, before or after the first byte', async () => {
    for (const isBegun of [false, true]) {
      const content = Readable.from([Buffer.alloc(1000)], { objectMode: false });
      const body = streamDocument(record, { kind: 'text', mediaType: 'text/plain' }, () => Promise.resolve(content));
      assert.ok(body.form === 'flow');
      const stream = await body.open();
      if (isBegun) await new Promise((resolve) => stream.once('data', resolve));
      stream.destroy();
      await new Promise((resolve) => (content.closed ? resolve(undefined) : content.once('close', resolve)));
    }
  });
});

/** The bytes in pieces with arbitrary ends. */
const cut = (bytes: Buffer, ends: readonly number[]): Buffer[] => {
  const places = [0, ...ends.map((end) => end % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
};

async function write(pieces: readonly Buffer[], isText: boolean): Promise<unknown> {
  const body = streamDocument(record, { kind: isText ? 'text' : 'binary', mediaType: 'text/plain' }, () =>
    Promise.resolve(pieces),
  );
  assert.ok(body.form === 'flow');
  return JSON.parse(await text(await body.open()));
}
