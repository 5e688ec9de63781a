import assert from 'node:assert/strict';
import { PacketReader } from '../../lib/git/serving/packet-reader.js';
import { encodePacket, flushPacket, MalformedPacket, textOf } from '../../lib/git/serving/packets.js';

describe('The packets at the beginning of a stream', () => {
  it('are the same in pieces of any size, with what follows', async () => {
    const bytes = Buffer.concat([
      encodePacket('one\n'),
      encodePacket('two'),
      flushPacket,
      Buffer.from('PACK and more'),
    ]);
    for (let size = 1; size <= bytes.length; size += 1) {
      const reader = new PacketReader(inPieces(bytes, size));
      assert.deepEqual(
        [await reader.next(), await reader.next(), await reader.next()].map((packet) => packet && textOf(packet)),
        ['one', 'two', undefined],
      );
      const rest: Buffer[] = [];
      for await (const piece of reader.following()) rest.push(piece);
      assert.equal(Buffer.concat(rest).toString(), 'PACK and more');
      assert.equal(await reader.next(), undefined);
    }
  });

  it('end with the stream, and never within a packet', async () => {
    const bytes = encodePacket('one');
    for (let end = 1; end < bytes.length; end += 1) {
      await assert.rejects(new PacketReader(inPieces(bytes.subarray(0, end), 2)).next(), MalformedPacket, `${end}`);
    }
  });

  it('are refused above a length before they are read', async () => {
    let given = 0;
    async function* counted(): AsyncGenerator<Buffer> {
      for await (const piece of inPieces(encodePacket('x'.repeat(60_000)), 100)) {
        given += piece.length;
        yield piece;
      }
    }
    await assert.rejects(new PacketReader(counted()).next(59_999), MalformedPacket);
    assert.ok(given <= 100, `${given} bytes were read`);
    assert.equal((await new PacketReader(counted()).next(60_000))?.type, 'line');
  });

  it('of the largest size take no longer for each byte than small ones, in pieces of one byte', async () => {
    const read = async (length: number, count: number): Promise<void> => {
      const bytes = Buffer.concat(Array.from({ length: count }, () => encodePacket('x'.repeat(length))));
      const reader = new PacketReader(inPieces(bytes, 1));
      while ((await reader.next()) !== undefined);
    };
    await read(1000, 260);
    const [small, large] = [await timeOf(() => read(1000, 260)), await timeOf(() => read(65_000, 4))];
    assert.ok(large < 4 * small + 50, `${large} ms, and ${small} ms for small ones`);
  });
});

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Milliseconds of processor time. */
async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
