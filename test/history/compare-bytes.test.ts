import assert from 'node:assert/strict';
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { compareBytes } from '../../lib/text/compare-bytes.js';
import { cutUnified, formatUnified, type Hunk } from '../../lib/text/text-diff.js';

describe('The changes between two texts of any length', () => {
  it('make the newer text out of the older', async () => {
    const line = fc.constantFrom('a', 'b', 'c', '', 'a b', 'ä😀', 'é\r');
    const text = fc.array(line, { maxLength: 60 }).map((lines) => lines.join('\n'));
    await fc.assert(
      fc.asyncProperty(text, text, text, text, async (start, from, to, end) => {
        const [older, newer] = [`${start}${from}${end}`, `${start}${to}${end}`];
        const hunks = (await compare(older, newer)) ?? assert.fail();
        const patch = `--- a\n+++ b\n${formatUnified({ hunks })}`;
        assert.equal(applyPatch(older, patch, { autoConvertLineEndings: false }), newer);
      }),
    );
  });

  it('are found in 300,000 lines with their numbers, in many pieces of work', async () => {
    const line = (n: number): string => `line ${n} ${'x'.repeat(24)}`;
    const lines = Array.from({ length: 300_000 }, (_, index) => line(index + 1));
    const from = Buffer.from(lines.join('\n'));
    lines[249_999] = 'changed';
    const to = Buffer.from(lines.join('\n'));
    let rests = 0;
    const hunks = await compareBytes(from, to, () => {
      rests += 1;
      return Promise.resolve();
    });
    const around = [249_997, 249_998, 249_999].map((n) => ` ${line(n)}\n`).join('');
    const after = [250_001, 250_002, 250_003].map((n) => ` ${line(n)}\n`).join('');
    assert.equal(
      formatUnified({ hunks: hunks ?? [] }),
      `@@ -249997,7 +249997,7 @@\n${around}-${line(250_000)}\n+changed\n${after}`,
    );
    // The 8 MB before the change are counted in parts of 2 MiB; the lines around it are compared in several.
    assert.ok(rests >= 4 + 3, String(rests));
  });

  it('are too many where more than 1 MiB or 50,000 lines lie between the first and the last', async () => {
    const long = `${'x'.repeat(100)}\n`.repeat(12_000);
    assert.equal(await compare(`first\n${long}last`, `other\n${long}others`), null);
    assert.equal(await compare('a\n'.repeat(50_001), 'b\n'), null);
    assert.equal(await compare('x'.repeat(1024 * 1024 + 1), 'y'), null);
    assert.equal((await compare(`first\n${long}`, `other\n${long}`))?.length, 1);
  });

  it('are shown hunk by hunk, as many as fit', async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    const newer = lines.map((line, index) => (index % 20 === 10 ? `${line} changed` : line));
    const hunks = (await compare(lines.join('\n'), newer.join('\n'))) ?? [];
    assert.equal(hunks.length, 5);
    const whole = formatUnified({ hunks });
    assert.deepEqual(cutUnified(hunks, 0, whole.length), { text: whole, isCut: false, nextLine: null });
    let text = '';
    let parts = 0;
    for (let next: number | null = 0; next !== null; parts += 1) {
      const part = cutUnified(hunks, next, 250);
      assert.ok(part.text.length <= 250 && !part.isCut);
      text += part.text;
      next = part.nextLine;
    }
    assert.deepEqual([text, parts], [whole, 3]);
  });

  it('are cut at a line end where one hunk is too long, and never within a character', async () => {
    const hunks = (await compare('', 'line\n'.repeat(100))) ?? [];
    const part = cutUnified(hunks, 0, 100);
    assert.deepEqual([part.isCut, part.nextLine, part.text.endsWith('\n+line\n')], [true, null, true]);
    assert.ok(part.text.length <= 100);
    const wide = (await compare('', '😀'.repeat(100))) ?? [];
    for (const most of [30, 31]) {
      const { text } = cutUnified(wide, 0, most);
      assert.ok(text.length <= most && !/\p{Surrogate}/u.test(text) && text.includes('😀'));
    }
  });
});

const noRest = (): Promise<void> => Promise.resolve();

const compare = (from: string, to: string): Promise<readonly Hunk[] | null> =>
  compareBytes(Buffer.from(from), Buffer.from(to), noRest);
