import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ask, makeFolder, runProgram, tidyUp, patience } from './run-program.js';
import { makeData } from './spoil-data.js';

describe('cartulary audit', function () {
  this.timeout(patience);

  let data: string;
  let exported: string;
  let key: string;

  before(async () => {
    data = await makeData();
    const { code, stdout } = await runProgram(['audit', 'export', '--data', data]);
    assert.equal(code, 0);
    exported = stdout;
    key = (await ask<{ public_key: string }>('audit', 'key', '--data', data)).public_key;
  });
  after(tidyUp);

  interface Verdict {
    readonly sound: boolean;
    readonly chains: readonly {
      readonly records: number;
      readonly problem?: string;
      readonly signed?: { readonly seq: number } | null;
    }[];
  }

  async function verifyExport(text: string, ...more: string[]): Promise<Verdict & { readonly code: number | null }> {
    const file = join(await makeFolder(), 'audit.jsonl');
    await writeFile(file, text);
    const { code, stdout } = await runProgram(['audit', 'verify', '--export', file, '--json', ...more]);
    return { code, ...(JSON.parse(stdout) as Verdict) };
  }

  it('verifies the log where it lies, and an export alone, with the public key its signatures too', async () => {
    const here = await ask<Verdict>('audit', 'verify', '--data', data);
    assert.equal(here.sound, true);
    const alone = await verifyExport(exported);
    assert.deepEqual([alone.code, alone.sound, alone.chains[0]?.signed], [0, true, null]);
    const records = exported
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('{"record"')).length;
    assert.equal(alone.chains[0]?.records, records);
    const signed = await verifyExport(exported, '--key', key);
    assert.equal(signed.chains[0]?.signed?.seq, records);
  });

  it('names the first record of an export that was changed, removed, moved or cut off', async () => {
    const lines = exported.trim().split('\n');
    const placeOf = (seq: number): number => lines.findIndex((line) => line.startsWith(`{"record":{"seq":${seq},`));
    const [third, fourth] = [placeOf(3), placeOf(4)];
    const swapped = lines.with(third, lines[fourth] ?? '').with(fourth, lines[third] ?? '');
    const [changed, missing, moved, cut, nonsense] = await Promise.all([
      verifyExport(lines.with(third, lines[third]?.replace('"done"', '"refused"') ?? '').join('\n')),
      verifyExport(lines.toSpliced(third, 1).join('\n')),
      verifyExport(swapped.join('\n')),
      verifyExport(lines.slice(0, placeOf(5) + 1).join('\n'), '--key', key),
      verifyExport(lines.with(third, '{"record":{"seq":3}}').join('\n')),
    ]);
    assert.deepEqual(
      [changed, missing, moved, cut, nonsense].map(({ code }) => code),
      [1, 1, 1, 1, 1],
    );
    assert.match(changed.chains[0]?.problem ?? '', /^record 3 was changed/);
    assert.match(missing.chains[0]?.problem ?? '', /^record 3 is missing/);
    assert.match(moved.chains[0]?.problem ?? '', /^record 3 is missing; record 4 follows/);
    assert.match(cut.chains[0]?.problem ?? '', /^the export breaks off after record 5/);
    assert.match(nonsense.chains[0]?.problem ?? '', /^line \d+ is no audit record/);
  });

  it('leaves the texts out for an auditor who must not see them, and still verifies', async () => {
    const { stdout } = await runProgram(['audit', 'export', '--no-texts', '--data', data]);
    assert.ok(exported.includes('"text"'));
    assert.ok(!stdout.includes('"text"'));
    assert.equal((await verifyExport(stdout, '--key', key)).sound, true);
  });
});
