import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ask, makeFolder, runProgram, tidyUp, timeout } from '../support/processes/run-program.js';
import { changeRows, makeData, oneValue } from './spoil-data.js';

describe('cartulary audit', function () {
  this.timeout(timeout);

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

  it('verifies the log where it lies, and an export alone; with the public key also its signatures', async () => {
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

  it('names the first changed, removed, moved or cut record of an export', async () => {
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

  it('shows by a clone that the log was cut, also where everything else was put back with it', async () => {
    const folder = await makeFolder();
    const [own, before, clone, source] = ['data', 'before', 'clone', 'source'].map((name) => join(folder, name));
    assert.ok(own !== undefined && before !== undefined && clone !== undefined && source !== undefined);
    await cp(data, own, { recursive: true });
    await cp(own, before, { recursive: true });
    await mkdir(source);
    await writeFile(join(source, 'later.md'), 'written later');
    await ask('import', source, '--into', 'later', '--data', own);
    execFileSync('git', ['clone', '-q', join(own, 'acme', 'content.git'), clone]);
    const audit = async (...more: string[]): Promise<[number | null, string]> => {
      const { code, stdout } = await runProgram(['audit', 'verify', '--data', own, '--json', ...more]);
      return [code, (JSON.parse(stdout) as Verdict).chains[0]?.problem ?? 'sound'];
    };
    assert.deepEqual(await audit('--clone', clone), [0, 'sound']);
    // The log is cut off: its remaining rows are whole, and only commits show that more existed.
    const sidecar = join(own, 'acme', 'sidecar.sqlite');
    const whole = await readFile(sidecar);
    const last = oneValue(before, 'SELECT max(seq) FROM audit_record');
    changeRows(own, `DELETE FROM audit_record WHERE seq > ${last}; DELETE FROM audit_checkpoint WHERE seq > ${last}`);
    const [cut, problem] = await audit('--clone', clone);
    assert.equal(cut, 1);
    assert.match(problem, new RegExp(`^the chain ends at ${last}, but record \\d+ is one that commit [0-9a-f]{40} `));
    await writeFile(sidecar, whole);
    assert.deepEqual(await audit('--clone', clone), [0, 'sound']);
    // The whole folder as it was: it agrees with itself, and the clone does not.
    await rm(own, { recursive: true });
    await cp(before, own, { recursive: true });
    assert.deepEqual(await audit(), [0, 'sound']);
    const [put, why] = await audit('--clone', clone);
    assert.equal(put, 1);
    assert.match(why, new RegExp(`^the chain ends at \\d+, but record \\d+ is one that commit [0-9a-f]{40} `));
  });

  it('leaves the texts out for an auditor who must not see them, and still verifies', async () => {
    const { stdout } = await runProgram(['audit', 'export', '--no-texts', '--data', data]);
    assert.ok(exported.includes('"text"'));
    assert.ok(!stdout.includes('"text"'));
    assert.equal((await verifyExport(stdout, '--key', key)).sound, true);
  });

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
});
