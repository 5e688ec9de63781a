import assert from 'node:assert/strict';
import { runAtOnce } from '../../lib/scheduling/in-steps.js';
import {
  checkAnswer as checkInSteps,
  MessageReader,
  packMessage,
  type FileHead,
} from '../../lib/extraction/child-messages.js';

const head = { size: 5, memory: 1, seconds: 1 };
const bytes = Buffer.from('words');

const checkAnswer = (...said: Parameters<typeof checkInSteps>) => runAtOnce(checkInSteps(...said));

describe('What the service and its child say', () => {
  it('comes in pieces of any size', () => {
    const sent = { mediaType: 'text/html', name: 'a.html', size: 5 };
    const all = Buffer.concat([...packMessage(sent, bytes), ...packMessage({ ...sent, name: 'b' }, bytes)]);
    for (const size of [1, 3, 7, all.length]) {
      const reader = new MessageReader<FileHead>(5);
      const names: string[] = [];
      for (let at = 0; at < all.length; at += size) {
        for (let found = reader.take(all.subarray(at, at + size)); found; found = reader.take(Buffer.alloc(0))) {
          assert.equal(found.bytes.toString(), 'words');
          names.push(found.head.name);
        }
      }
      assert.deepEqual(names, ['a.html', 'b'], String(size));
    }
  });

  it('is refused where it is too long, or no message', () => {
    const take = (...pieces: readonly Uint8Array[]) => new MessageReader(4).take(Buffer.concat(pieces));
    assert.throws(() => take(...packMessage(head, bytes)), /too long/);
    assert.throws(() => take(Buffer.from([0xff, 0, 0, 0])), /too long/);
    assert.throws(() => take(...packMessage({ ...head, size: -1 }, bytes)), /too long/);
    assert.throws(() => take(Buffer.from([0, 0, 0, 1]), Buffer.from('{')), SyntaxError);
  });

  it('is believed only where it can be true', () => {
    const part = { title: 'Page 1', level: 1, offset: 0 };
    const good = checkAnswer({ ...head, parts: [part], headings: [{ level: 1, offset: 0 }], isCut: true }, bytes);
    assert.deepEqual(good, { text: 'words', parts: [part], headings: [{ level: 1, offset: 0 }], isCut: true });
    assert.deepEqual(checkAnswer({ ...head, reason: 'damaged' }, bytes), { reason: 'damaged' });
    const lies: readonly object[] = [
      { reason: 'bored' },
      { parts: [{ ...part, offset: 6 }] },
      { parts: [{ ...part, offset: -1 }] },
      { parts: [{ ...part, offset: 2 }, part] },
      { parts: [{ ...part, title: 'x'.repeat(201) }] },
      { parts: [{ ...part, level: 0 }] },
      { parts: [{ ...part, title: 7 }] },
      { parts: { length: 0 } },
      { headings: Array.from({ length: 20_001 }, () => ({ level: 1, offset: 0 })) },
      { headings: [{ level: 1.5, offset: 0 }] },
    ];
    for (const lie of lies)
      assert.throws(() => checkAnswer({ ...head, ...lie }, bytes), Error, JSON.stringify(lie).slice(0, 80));
    const more = { ...head, parts: [{ ...part, secret: 1 }] };
    assert.deepEqual(checkAnswer(more, bytes), { text: 'words', parts: [part], headings: [], isCut: false });
  });
});
