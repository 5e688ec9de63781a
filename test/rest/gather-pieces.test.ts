import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { GatherPieces } from '../../lib/api/answers/gather-pieces.js';

describe('gathering pieces', () => {
  const enough = 64 * 1024;

  it('passes on every byte in order, in pieces of at least 64 kB but for the last', async () => {
    const sizes = [1, 4, 2, 30_000, 40_000, 0, 65_536, 65_535, 1, 200_000, 3, 5];
    const sent = sizes.map((size, number) => Buffer.alloc(size, number));
    const passed: Buffer[] = [];
    for await (const piece of Readable.from(sent).pipe(new GatherPieces())) passed.push(piece as Buffer);
    assert.ok(Buffer.concat(passed).equals(Buffer.concat(sent)));
    assert.ok(passed.slice(0, -1).every((piece) => piece.length >= enough));
    assert.deepEqual(passed.at(-1), Buffer.from([10, 10, 10, 11, 11, 11, 11, 11]));
  });

  it('ends without a piece where there was nothing', async () => {
    assert.equal((await buffer(Readable.from([]).pipe(new GatherPieces()))).length, 0);
  });
});
