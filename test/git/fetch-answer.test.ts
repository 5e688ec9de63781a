import assert from 'node:assert/strict';
import { FetchAnswer } from '../../lib/git/serving/fetch-answer.js';
import { encodePacket, encodeProgress, flushPacket, readPacket, textOf } from '../../lib/git/serving/packets.js';

const band = (number: number, text: string): Buffer =>
  encodePacket(Buffer.concat([Buffer.from([number]), Buffer.from(text)]));
const nak = encodePacket('NAK\n');
const pack = [band(2, 'Counting\n'), band(1, 'PACK'.repeat(3)), band(1, 'end'), flushPacket];
const answers = {
  2: [encodePacket('packfile\n'), ...pack],
  0: [nak, ...pack],
};

describe('The answer to a fetch', () => {
  for (const [version, parts] of Object.entries(answers)) {
    const bytes = Buffer.concat(parts);

    it(`passes as it is, in pieces of any size, in version ${version}`, () => {
      for (let size = 1; size <= bytes.length; size += 1) {
        assert.deepEqual(pass(new FetchAnswer(), bytes, size), bytes);
      }
    });

    it(`has its words between the opening and the pack, in pieces of any size, in version ${version}`, () => {
      const expected = Buffer.concat([...parts.slice(0, 1), encodeProgress('words\n'), ...parts.slice(1)]);
      for (let size = 1; size <= bytes.length; size += 1) {
        assert.deepEqual(pass(new FetchAnswer('words\n'), bytes, size), expected);
      }
    });

    it(`ends in whole packets wherever it is cut, with words where they can stand, in version ${version}`, () => {
      let spoken = 0;
      for (let cut = 0; cut <= bytes.length; cut += 1) {
        const answer = new FetchAnswer();
        const passed = answer.pass(bytes.subarray(0, cut));
        const end = answer.breakOff('no more');
        if (end === undefined) continue;
        spoken += 1;
        const all = Buffer.concat([passed, end]);
        const texts: string[] = [];
        for (let at = 0; at < all.length;) {
          const read = readPacket(all, at);
          assert.ok(read, `cut at ${cut}`);
          texts.push(textOf(read.packet) ?? '');
          at = read.end;
        }
        assert.ok(texts.includes('\u0003no more') || texts.includes('ERR no more'), `cut at ${cut}: ${texts.join()}`);
      }
      assert.ok(spoken > bytes.length / 2, `${spoken}`);
    });
  }

  it('a fetch answer reports whether it has a pack', () => {
    const lines = (...texts: string[]): Buffer =>
      Buffer.concat([...texts.map((text) => encodePacket(`${text}\n`)), flushPacket]);
    const hasPack = (bytes: Buffer): boolean => {
      const answer = new FetchAnswer();
      answer.pass(bytes);
      return answer.hasPack;
    };
    assert.equal(hasPack(lines('acknowledgments', 'NAK')), false);
    assert.equal(hasPack(lines('acknowledgments', `ACK ${'1'.repeat(40)}`, 'ready')), false);
    assert.equal(hasPack(lines('packfile')), true);
  });

  it('passes as it is where it is in no packets', () => {
    const bytes = Buffer.from('PACK and other bytes');
    for (let size = 1; size <= bytes.length; size += 1) assert.deepEqual(pass(new FetchAnswer(), bytes, size), bytes);
  });
});

/** The answer in pieces of a size. */
function pass(answer: FetchAnswer, bytes: Buffer, size: number): Buffer {
  const passed: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) passed.push(answer.pass(bytes.subarray(at, at + size)));
  return Buffer.concat([...passed, answer.rest()]);
}
