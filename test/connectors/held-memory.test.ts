import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readPage } from '../../lib/egress/s3/read-page.js';
import { readMultistatus } from '../../lib/connectors/webdav/read-multistatus.js';
import { assertFault } from '../support/connectors/assert-fault.js';
import { multistatus, response207 } from './webdav/scripted-nextcloud.js';

const count = 100;
const tags = { short: '"0123456789abcdef"', long: `"${'x'.repeat(30_000)}"` };
const padding = `<pad>${'p'.repeat(10_000)}</pad>${' '.repeat(20_000)}`;

describe('what is kept of a listing', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;

  for (const [name, tag] of Object.entries(tags)) {
    it(`of WebDAV is no more than its facts, with a ${name} tag among much else`, async () => {
      const answers = Array.from({ length: count }, (_, index) =>
        response207(`/a-name-of-a-file-${index}.md`, `<d:getetag>${tag}</d:getetag>${padding}`),
      );
      const kept = await keptBy(async () => {
        const found: unknown[] = [];
        for await (const each of readMultistatus(inPieces(multistatus(answers)))) found.push(each);
        return found;
      });
      assert.ok(kept < 250_000, `${kept} bytes`);
    });

    it(`of an object store is no more than its facts, with a ${name} tag among much else`, async () => {
      const contents = Array.from(
        { length: count },
        (_, index) => `<Contents><Key>a-name-of-a-file-${index}.md</Key><ETag>${tag}</ETag>${padding}</Contents>`,
      );
      const page = `<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`;
      const kept = await keptBy(async () => (await readPage(inPieces(page))).objects);
      assert.ok(kept < 250_000, `${kept} bytes`);
    });
  }

  it('holds no element with hundreds of others in it', async () => {
    const page = `<ListBucketResult><Contents><Key>a</Key>${'<a/>'.repeat(150)}</Contents></ListBucketResult>`;
    await assertFault(readPage(inPieces(page)), 'corrupt', /incomplete or malformed/);
  });

  /** Bytes of the heap, garbage not counted. */
  function heap(): number {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  }

  async function* inPieces(text: string): AsyncGenerator<Buffer> {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 16_384)
      yield await Promise.resolve(Buffer.from(bytes.subarray(at, at + 16_384)));
  }

  /** Bytes of the heap that the result holds on to. */
  async function keptBy(work: () => Promise<readonly unknown[]>): Promise<number> {
    await work();
    // Until then, the engine still holds on to what was awaited last, and it would be taken from what is kept.
    await setImmediate();
    const before = heap();
    const found = await work();
    const kept = heap() - before;
    assert.equal(found.length, count);
    return kept;
  }
});
