import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashRecord } from '../../lib/audit/canonical-record.js';
import type { AuditRecord } from '../../lib/domain/audit-record.js';
import { exportAudit, showAuditKey } from '../../lib/operations/audit/audit-log.js';
import { perform } from '../../lib/operations/perform.js';
import { gather } from '../support/gather.js';
import { skipBecause } from '../support/skip.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';

const verifier = 'lib/docs/examples/verify_audit.py';

describe('The verifier in the manual', function () {
  this.timeout(60_000);

  let service: TestService;
  let folder: string;
  let keyFile: string;
  let lines: string[];

  before(async function () {
    const python = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 8))']);
    if (python.status !== 0) skipBecause(this, 'python3 3.8 or later is not on this machine');
    const openssl = spawnSync('openssl', ['version'], { encoding: 'utf8' });
    if (!/^OpenSSL [3-9]\./.test(openssl.stdout ?? '')) skipBecause(this, 'openssl 3 is not on this machine');
    folder = await mkdtemp(join(tmpdir(), 'cartulary-manual-verifier-'));
    service = await openTestService();
    for (let index = 0; index < 30; index += 1) {
      const id = await service.principal(`Ünïcödé \u{1f4c1} "quoted" \\ \u2028 \u0001 ${index}`);
      await service.grant('reader', { type: 'principal', id }, `handbook/naïve ${index}`);
    }
    const { result } = await perform(service.workspace, operator, exportAudit, { withTexts: true });
    lines = (await gather(result)).map((line) => JSON.stringify(line));
    keyFile = join(folder, 'key.pem');
    await writeFile(keyFile, (await perform(service.workspace, operator, showAuditKey, {})).result.publicKey);
  });
  after(async () => {
    await service?.close();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  let files = 0;

  const placeOf = (seq: number): number => lines.findIndex((line) => line.startsWith(`{"record":{"seq":${seq},`));
  const at = (seq: number): string => lines[placeOf(seq)] ?? '';

  it('uses the standard library alone, and is short enough to read', async () => {
    const text = await readFile(verifier, 'utf8');
    assert.ok(text.trimEnd().split('\n').length <= 80);
    assert.deepEqual(text.match(/^(?:import|from) .*$/gm), [
      'import base64, hashlib, hmac, json, subprocess, sys, tempfile',
    ]);
  });

  it('finds a real export sound, with its texts and without', async () => {
    const records = lines.filter((line) => line.startsWith('{"record"')).length;
    const { hash } = (JSON.parse(at(records)) as { record: AuditRecord }).record;
    assert.ok(records > 50);
    const bare = lines.map((line) => {
      const { text: _, ...rest } = JSON.parse(line) as { text?: object };
      return JSON.stringify(rest);
    });
    for (const exported of [lines, bare]) {
      assert.equal(await verify(exported), `0 sound: ${records} records, the last is ${hash}`);
    }
    assert.match(await verify(lines, `${records} ${hash}`), /^0 sound/);
  });

  const notWritten = (seq: number): string => `the line after record ${seq} is not as an export writes it`;
  const tampered: Readonly<Record<string, readonly [() => string[], string]>> = {
    'a changed record': [() => changed(7, '"command"', '"rest"'), 'record 7 was changed'],
    'a changed text': [() => changed(8, 'quoted', 'altered'), 'the target of record 8 was changed'],
    'a removed record': [() => lines.toSpliced(placeOf(9), 1), 'record 9 is missing, or stands elsewhere'],
    'two exchanged records': [
      () => lines.with(placeOf(9), at(10)).with(placeOf(10), at(9)),
      'record 9 is missing, or stands elsewhere',
    ],
    'a tail that was cut off': [() => lines.slice(0, placeOf(30) + 1), 'the export breaks off after record 30'],
    'a line after the end': [() => [...lines, at(3)], 'something follows the closing signature'],
    'a member that stands twice': [() => changed(7, '"outcome"', '"outcome":"refused","outcome"'), notWritten(6)],
    'a member beside a record': [() => changed(7, '{"record"', '{"note":"by Ada","record"'), notWritten(6)],
    'a member that stands twice in a text': [() => changed(7, '"text":{', '"text":{"target":"x",'), notWritten(6)],
    'a member more in a text': [() => changed(7, '"text":{', '"text":{"note":1,'), 'the text of record 7 has more'],
    'a salt with more behind it': [
      () => lines.with(placeOf(7), at(7).replace(/("salt":"[0-9a-f]+)"/, '$1 "')),
      'the text of record 7 has more',
    ],
    'a chain that was hashed again': [() => hashAgain(), 'the signature over record'],
  };

  /** Changes record 7, and makes every later hash right. */
  function hashAgain(): string[] {
    let before: string | undefined;
    return changed(7, '"command"', '"rest"').map((line) => {
      const entry = JSON.parse(line) as { record?: AuditRecord; text?: object };
      if (entry.record === undefined || entry.record.seq < 7) return line;
      const { hash: _, ...members } = { ...entry.record, ...(before === undefined ? {} : { prev_hash: before }) };
      before = hashRecord(members).toString('hex');
      return JSON.stringify({ ...entry, record: { ...members, hash: before } });
    });
  }

  for (const [name, [tamper, verdict]] of Object.entries(tampered)) {
    it(`finds ${name}`, async () => {
      const said = await verify(tamper());
      assert.ok(said.startsWith(`1 BROKEN: ${verdict}`), said);
    });
  }

  it('finds that a noted head is not there any more', async () => {
    const other = `20 ${'0'.repeat(64)}`;
    assert.equal(await verify(lines, other), '1 BROKEN: record 20 is not the one that was noted');
    assert.match(await verify(lines, `9999 ${'0'.repeat(64)}`), /^1 BROKEN: record 9999 was noted/);
  });

  it('hashes a record by the line of JavaScript that the page shows', async () => {
    const page = await readFile('lib/docs/audit-log.md', 'utf8');
    const line = /```js\n(.*?);\n```/s.exec(page)?.[1] ?? assert.fail('the page has no line of JavaScript');
    const { hash, ...members } = (JSON.parse(at(5)) as { record: AuditRecord }).record;
    const script = `import { createHash } from 'node:crypto';\nconst members = ${JSON.stringify(members)};\nconsole.log(${line});`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
    assert.equal(stdout.trim(), hash);
  });

  async function verify(exported: readonly string[], ...more: string[]): Promise<string> {
    const file = join(folder, `${(files += 1)}.jsonl`);
    await writeFile(file, `${exported.join('\n')}\n`);
    const child = spawn('python3', [verifier, file, keyFile, ...more], { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (piece: string) => (said += piece));
    }
    const [code] = (await once(child, 'close')) as [number];
    return `${code} ${said.trim()}`;
  }

  function changed(seq: number, from: string, to: string): string[] {
    assert.ok(at(seq).includes(from), at(seq));
    return lines.with(placeOf(seq), at(seq).replace(from, to));
  }
});
