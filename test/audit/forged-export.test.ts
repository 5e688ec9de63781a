import assert from 'node:assert/strict';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExportUnreadable, readExport } from '../../lib/audit/read-export.js';
import { verifyChain } from '../../lib/audit/verify-chain.js';
import { exportAudit } from '../../lib/operations/audit/audit-log.js';
import { perform } from '../../lib/operations/perform.js';
import { gather } from '../support/gather.js';
import { openTestService, operator } from '../support/store/service.js';

describe('An export with more in it than the hashes cover', () => {
  let folder: string;
  let file: string;
  let lines: string[];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cartulary-forged-'));
    file = join(folder, 'export.jsonl');
    const service = await openTestService();
    for (let index = 0; index < 4; index += 1) await service.principal(`Pérson "${index}"`);
    const { result } = await perform(service.workspace, operator, exportAudit, { withTexts: true });
    lines = (await gather(result)).map((line) => JSON.stringify(line));
    await service.close();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('an export is sound as it was written', async () => {
    assert.equal(await check(whole(lines)), 'sound');
    assert.equal(await check(lines.join('\n')), 'sound');
  });

  it('is not sound with any member more, first or last, at any depth of any line', async () => {
    const names = ['note', 'outcome', 'record', 'text', 'checkpoint', 'seq', 'salt', '__proto__', '0', ''];
    let count = 0;
    for (const at of [0, Math.floor(lines.length / 2), lines.length - 1]) {
      const line = lines[at]!;
      for (const { index } of line.matchAll(/[{}]/g)) {
        for (const name of names) {
          for (const value of ['null', '1', '"refused"', '{"seq":1}']) {
            const member = `${JSON.stringify(name)}:${value}`;
            const isOpen = line[index] === '{';
            const inserted = isOpen
              ? `${line.slice(0, index + 1)}${member},${line.slice(index + 1)}`
              : `${line.slice(0, index)},${member}${line.slice(index)}`;
            count += 1;
            assert.notEqual(await check(withLine(at, inserted)), 'sound', inserted);
          }
        }
      }
    }
    assert.ok(count > 500);
  });

  it('is not sound with a value in another spelling, or with a space', async () => {
    const at = lines.findIndex((line) => line.includes('"text":{') && line.includes('Pérson'));
    const line = lines[at]!;
    const last = lines.length - 1;
    const spelled = [
      line.replace('"seq":', '"seq": '),
      line.replace(/"seq":(\d+)/, '"seq":$1.0'),
      line.replace(/"seq":(\d+)/, '"seq":$1e0'),
      line.replace(/("text":\{"seq":)\d+/, '$17'),
      line.replace(/("text":\{"seq":)(\d+)/, '$1"$2"'),
      line.replace('"action"', '"\\u0061ction"'),
      line.replace('Pérson', 'P\\u00e9rson'),
      line.replace(/"salt":"([0-9a-f]+)"/, '"salt":"$1 approved by Ada"'),
      line.replace(/"salt":"([0-9a-f]+)"/, (_, salt: string) => `"salt":"${salt.toUpperCase()}"`),
      line.replace(/"text":\{.*\}\}$/, '"text":{}}'),
      line.replace(/"text":\{.*\}\}$/, '"text":null}'),
      ` ${line}`,
      `${line}\t`,
      `${line}\r`,
    ];
    for (const each of spelled) {
      assert.notEqual(each, line);
      assert.notEqual(await check(withLine(at, each)), 'sound', each);
    }
    const closing = lines[last]!;
    for (const each of [
      closing.replace(/=="/, '"'),
      closing.replace(/=="/, '==approved"'),
      closing.replace('"closing":true', '"closing":"by Ada"'),
      closing.replace(/"at":"[^"]+"/, '"at":{"by":"Ada"}'),
    ]) {
      assert.notEqual(each, closing);
      assert.notEqual(await check(withLine(last, each)), 'sound', each);
    }
    const bytes = Buffer.from(whole(lines));
    const letter = bytes.indexOf('é');
    assert.notEqual(await check(Buffer.concat([bytes.subarray(0, letter), bytes.subarray(letter + 1)])), 'sound');
  });

  it('is refused at its first long line, after reading no more than that', async () => {
    await writeFile(file, whole(lines));
    // Four hundred megabytes of nothing, in a file that takes no room.
    await truncate(file, 400 * 1024 * 1024);
    assert.throws(
      () => [...readExport(file)],
      (error) => {
        assert.ok(error instanceof ExportUnreadable);
        assert.equal(error.message, `line ${lines.length + 1} is longer than any record`);
        return true;
      },
    );
  });

  const whole = (changed: readonly string[]): string => `${changed.join('\n')}\n`;

  const withLine = (at: number, line: string): string => whole(lines.with(at, line));

  /** What a check says: `sound`, or the problem. */
  async function check(content: string | Buffer): Promise<string> {
    await writeFile(file, content);
    try {
      const verdict = verifyChain(readExport(file));
      return verdict.sound ? 'sound' : verdict.problem;
    } catch (error) {
      assert.ok(error instanceof ExportUnreadable, String(error));
      return error.message;
    }
  }
});
