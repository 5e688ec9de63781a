import assert from 'node:assert/strict';
import { createDecipheriv, hkdfSync } from 'node:crypto';
import { ObjectUnreadable, openObject, sealObject, type UnreadableReason } from '../../lib/stored/seal-object.js';
import { makeTestRandomness } from '../support/store/service.js';
import { readAll } from './bucket-world.js';

const randomness = makeTestRandomness('sealing');
const key = randomness.bytes(32);
const name = 'acme/0123456789abcdef0123456789abcdef/1/sets/1-2.set';
const pieceLength = 64 * 1024;
const sealedPiece = pieceLength + 16;
const headLength = 40;

describe('a sealed object', () => {
  it('opens to what was sealed, at every length around the borders of its pieces', async () => {
    const lengths = [0, 1, 15, 16, 17, 1000];
    for (const border of [pieceLength, 2 * pieceLength, 3 * pieceLength])
      for (const off of [-17, -16, -1, 0, 1, 16, 17]) lengths.push(border + off);
    for (const length of lengths) {
      const plain = Buffer.from(randomness.bytes(length));
      const sealed = await seal(plain, [1, 100, pieceLength, 1_000_000][length % 4]);
      const pieces = Math.max(1, Math.ceil(length / pieceLength));
      assert.equal(sealed.length, headLength + length + 16 * pieces);
      for (const step of [977, 65_536, 10_000_000]) assert.deepEqual(await open(sealed, { step }), plain);
    }
  });

  it('is of the form that is written down', async () => {
    const plain = Buffer.from(randomness.bytes(pieceLength + 5));
    const sealed = await seal(plain);
    assert.equal(sealed.subarray(0, 8).toString('hex'), `${Buffer.from('CSO1').toString('hex')}00000007`);
    const own = hkdfSync('sha256', key, sealed.subarray(8, 40), `cartulary object\n${name}`, 32);
    const opened = [
      { from: 40, to: 40 + sealedPiece, nonce: '000000000000000000000000' },
      { from: 40 + sealedPiece, to: sealed.length, nonce: '000000000000000000000101' },
    ].map(({ from, to, nonce }) => {
      const decipher = createDecipheriv('aes-256-gcm', new Uint8Array(own), Buffer.from(nonce, 'hex'));
      decipher.setAuthTag(sealed.subarray(to - 16, to));
      return Buffer.concat([decipher.update(sealed.subarray(from, to - 16)), decipher.final()]);
    });
    assert.deepEqual(Buffer.concat(opened), plain);
    assert.notDeepEqual(await seal(plain), sealed, 'two seals of the same bytes share nothing');
  });

  it('does not open under another name, with another key, or without one', async () => {
    for (const length of [0, 10, pieceLength, pieceLength * 2]) {
      const sealed = await seal(Buffer.from(randomness.bytes(length)));
      await assertUnreadable(open(sealed, { as: `${name}x` }), 'damaged');
      await assertUnreadable(open(sealed, { keyOf: () => randomness.bytes(32) }), 'damaged');
      await assertUnreadable(open(sealed, { keyOf: () => undefined }), 'noKey');
      const asked: number[] = [];
      await open(sealed, {
        keyOf: (generation) => {
          asked.push(generation);
          return key;
        },
      });
      assert.deepEqual(asked, [7]);
    }
  });

  it('does not open once a byte of it is another', async () => {
    for (const length of [0, 3, pieceLength, pieceLength * 2 + 3]) {
      const sealed = await seal(Buffer.from(randomness.bytes(length)));
      const borders = [0, 3, 4, 7, 8, 39, 40, 55, 56, 40 + sealedPiece, sealed.length - 17, sealed.length - 16];
      const places = [...borders, sealed.length - 1].filter((place) => place >= 0 && place < sealed.length);
      for (let index = 0; index < 40; index += 1) places.push(randomNumber(sealed.length));
      for (const place of places) {
        const changed = Buffer.from(sealed);
        changed[place] = (changed[place] ?? 0) ^ (1 << (place % 8));
        await assertUnreadable(open(changed), 'damaged', 'noKey');
      }
    }
  });

  it('does not open cut off anywhere, nor with a byte more', async () => {
    for (const length of [0, 3, pieceLength, pieceLength * 2, pieceLength * 2 + 3]) {
      const sealed = await seal(Buffer.from(randomness.bytes(length)));
      const ends = [0, 1, 3, 4, 39, 40, 41, 55, 40 + sealedPiece, 40 + sealedPiece * 2, sealed.length - 16];
      for (let index = 0; index < 40; index += 1) ends.push(randomNumber(sealed.length));
      for (const end of [...ends, sealed.length - 1].filter((each) => each < sealed.length))
        await assertUnreadable(open(sealed.subarray(0, end)), 'cutOff', 'damaged');
      await assertUnreadable(open(Buffer.concat([sealed, Buffer.alloc(1)])), 'damaged', 'cutOff');
      await assertUnreadable(open(Buffer.concat([sealed, sealed.subarray(40)])), 'damaged', 'cutOff');
    }
    const whole = await seal(Buffer.from(randomness.bytes(pieceLength * 3)));
    await assertUnreadable(open(whole.subarray(0, 40 + sealedPiece * 2)), 'cutOff');
  });

  it('does not open with its pieces in another order, left out, repeated, or from another object', async () => {
    const [one, other] = [await seal(plainOf(4)), await seal(plainOf(4))];
    const [head, ...pieces] = cut(one);
    const [, ...foreign] = cut(other);
    assert.ok(head !== undefined);
    for (let index = 0; index < 4; index += 1) {
      const without = pieces.filter((_, each) => each !== index);
      const twice = pieces.flatMap((piece, each) => (each === index ? [piece, piece] : [piece]));
      const replaced = pieces.map((piece, each) => (each === index ? (foreign[index] ?? piece) : piece));
      for (const joined of [without, twice, replaced])
        await assertUnreadable(open(Buffer.concat([head, ...joined])), 'damaged', 'cutOff');
      for (let second = 0; second < index; second += 1) {
        const swapped = [...pieces];
        [swapped[index], swapped[second]] = [pieces[second] ?? head, pieces[index] ?? head];
        await assertUnreadable(open(Buffer.concat([head, ...swapped])), 'damaged');
      }
    }
  });

  it('gives out only what is authentic, before it meets what is not', async () => {
    const plain = plainOf(3);
    const sealed = await seal(plain);
    sealed[40 + sealedPiece * 2 + 5] = (sealed[40 + sealedPiece * 2 + 5] ?? 0) ^ 1;
    const got: Buffer[] = [];
    const reading = async (): Promise<void> => {
      for await (const piece of openObject(inSteps(sealed, 1000), { name, keyOf: () => key })) got.push(piece);
    };
    await assertUnreadable(reading(), 'damaged');
    assert.deepEqual(Buffer.concat(got), plain.subarray(0, pieceLength * 2));
  });

  it('ends its source when its reader stops', async () => {
    let isEnded = false;
    const sealed = await seal(plainOf(4));
    const source = async function* (): AsyncGenerator<Buffer> {
      try {
        yield* inSteps(sealed, 1000);
      } finally {
        isEnded = true;
      }
    };
    for await (const _ of openObject(source(), { name, keyOf: () => key })) break;
    assert.ok(isEnded);
  });

  function plainOf(pieces: number): Buffer {
    return Buffer.from(randomness.bytes(pieceLength * pieces));
  }
});

function seal(plain: Buffer, step = 10_000): Promise<Buffer> {
  return readAll(sealObject(inSteps(plain, step), { name, generation: 7, key, randomness }));
}

function open(
  sealed: Buffer,
  {
    step = 50_000,
    as = name,
    keyOf = (generation: number) => (generation === 7 ? key : undefined),
  }: { step?: number; as?: string; keyOf?: (generation: number) => Uint8Array | undefined } = {},
): Promise<Buffer> {
  return readAll(openObject(inSteps(sealed, step), { name: as, keyOf }));
}

async function* inSteps(bytes: Buffer, step: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += step)
    yield await Promise.resolve(bytes.subarray(start, start + step));
}

function cut(sealed: Buffer): Buffer[] {
  const pieces = [sealed.subarray(0, headLength)];
  for (let start = headLength; start < sealed.length; start += sealedPiece)
    pieces.push(sealed.subarray(start, start + sealedPiece));
  return pieces;
}

function randomNumber(below: number): number {
  return Buffer.from(randomness.bytes(6)).readUIntBE(0, 6) % below;
}

async function assertUnreadable(work: Promise<unknown>, ...reasons: readonly UnreadableReason[]): Promise<void> {
  await assert.rejects(work, (error) => {
    if (!(error instanceof ObjectUnreadable)) throw error;
    assert.ok(reasons.includes(error.reason), error.reason);
    return true;
  });
}
