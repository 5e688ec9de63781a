import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { hashRecord } from '../../lib/audit/canonical-record.js';
import { packagePath } from '../../lib/config.js';
import type { AuditRecord } from '../../lib/domain/audit-record.js';
import { exportAudit, showAuditKey } from '../../lib/operations/audit/audit-log.js';
import { perform } from '../../lib/operations/perform.js';
import { gather } from '../support/gather.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';

const script = join('test', 'audit', 'independent-verifier.mjs');
const verifier = existsSync(packagePath(script)) ? packagePath(script) : resolve(script);

describe('a verifier without any of the program’s code', () => {
  let service: TestService;
  let folder: string;
  let keyFile: string;
  let lines: string[];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cartulary-verifier-'));
    service = await openTestService();
    const group = await service.group('Ünïcödé \u{1f4c1} "quoted" \\ \u2028');
    for (let index = 0; index < 20; index += 1) {
      const id = await service.principal(`Person ${index}`);
      await service.join(group, { type: 'principal', id });
      await service.grant('reader', { type: 'principal', id }, `handbook/naïve ${index}`);
    }
    const { result } = await perform(service.workspace, operator, exportAudit, { withTexts: true });
    lines = (await gather(result)).map((line) => JSON.stringify(line));
    keyFile = join(folder, 'key.pem');
    await writeFile(keyFile, (await perform(service.workspace, operator, showAuditKey, {})).result.publicKey);
  });

  after(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  let files = 0;

  it('is short enough to read, and imports only Node', async () => {
    const text = await readFile(verifier, 'utf8');
    assert.ok(text.trimEnd().split('\n').length <= 60);
    for (const [, target] of text.matchAll(/ from '([^']+)'/g)) assert.match(target ?? '', /^node:/);
  });

  it('finds a real export sound, with and without the key', async () => {
    const records = lines.filter((line) => line.startsWith('{"record"')).length;
    assert.ok(records > 60);
    for (const more of [[], [keyFile]]) {
      const { code, said } = await verify(lines, ...more);
      assert.deepEqual([code, said.split(',')[0]], [0, `sound: ${records} records`]);
    }
  });

  it('finds a changed record, and a changed text', async () => {
    const [record, text] = await Promise.all([
      verify(changed(placeOf(7), '"command"', '"rest"')),
      verify(changed(placeOf(8), 'naïve 1"', 'naïve 2"')),
    ]);
    assert.deepEqual([record.code, record.said], [1, 'BROKEN: record 7 was changed']);
    assert.deepEqual([text.code, text.said], [1, 'BROKEN: the target of record 8 was changed']);
  });

  it('finds a member that no hash covers', async () => {
    const forged = ['{"note":1,"record":', '{"record":{"outcome":"refused",', '{"record": '];
    for (const by of forged) {
      const { code, said } = await verify(changed(placeOf(7), /^\{"record":\{?/, by + (by.endsWith(',') ? '' : '{')));
      assert.deepEqual([code, said], [1, 'BROKEN: the line after record 6 is not as an export writes it']);
    }
  });

  it('finds a missing record, and two exchanged ones', async () => {
    const [ninth, tenth] = [placeOf(9), placeOf(10)];
    const [missing, swapped] = await Promise.all([
      verify(lines.toSpliced(ninth, 1)),
      verify(lines.with(ninth, lines[tenth] ?? '').with(tenth, lines[ninth] ?? '')),
    ]);
    for (const { code, said } of [missing, swapped]) {
      assert.deepEqual([code, said], [1, 'BROKEN: record 9 is missing, or stands elsewhere']);
    }
  });

  it('finds a cut tail, by the key or by a known head', async () => {
    const cut = lines.slice(0, placeOf(30) + 1);
    const last = JSON.parse(lines[placeOf(40)] ?? '') as { record: { seq: number; hash: string } };
    const [byKey, byHead, unseen] = await Promise.all([
      verify(cut, keyFile),
      verify(cut, '', `${last.record.seq} ${last.record.hash}`),
      verify(cut),
    ]);
    assert.deepEqual(byKey, { code: 1, said: 'BROKEN: the export breaks off after record 30' });
    assert.deepEqual(byHead, { code: 1, said: 'BROKEN: record 40 is known, and the export ends at 30' });
    assert.equal(unseen.code, 0, 'with neither there is nothing to see it by');
  });

  it('reports the restart of a log, and finds it sound only where the restart is expected', async () => {
    let before = '0'.repeat(64);
    const restart = { action: 'workspace.recover', version: 'e'.repeat(40), target: null, detail: null };
    const restarted = lines.flatMap((line) => {
      const { record } = JSON.parse(line) as { record?: AuditRecord };
      if (record === undefined) return [];
      const { hash: _, ...members } = { ...record, ...(record.seq === 1 ? restart : {}), prev_hash: before };
      before = hashRecord(members).toString('hex');
      return [JSON.stringify({ record: { ...members, hash: before } })];
    });
    const [unexpected, expected] = await Promise.all([verify(restarted), verify(restarted, '', '', 'e'.repeat(40))]);
    const said = `the log was restarted at 2026-01-05T09:00:00.000Z from commit ${'e'.repeat(40)}`;
    assert.deepEqual(unexpected, { code: 1, said: `BROKEN: ${said}; records before it are not checked` });
    assert.equal(expected.code, 0);
    assert.ok(expected.said.startsWith(`${said}\nsound: `));
  });

  it('finds a signature by another key', async () => {
    const other = await openTestService({ seed: 'another' });
    const otherKey = join(folder, 'other.pem');
    await writeFile(otherKey, (await perform(other.workspace, operator, showAuditKey, {})).result.publicKey);
    await other.close();
    const { code, said } = await verify(lines, otherKey);
    assert.equal(code, 1);
    assert.match(said, /^BROKEN: the signature over record \d+ is false$/);
  });

  const placeOf = (seq: number): number => lines.findIndex((line) => line.startsWith(`{"record":{"seq":${seq},`));

  const changed = (at: number, from: string | RegExp, to: string): string[] => {
    const line = lines[at] ?? '';
    assert.notEqual(line.replace(from, to), line);
    return lines.with(at, line.replace(from, to));
  };

  async function verify(text: readonly string[], ...more: string[]): Promise<{ code: number; said: string }> {
    const file = join(folder, `${(files += 1)}.jsonl`);
    await writeFile(file, `${text.join('\n')}\n`);
    const child = spawn(process.execPath, [verifier, file, ...more], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => (said += piece));
    const [code] = (await once(child, 'close')) as [number];
    return { code, said: said.trim() };
  }
});
