import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ExportedLine } from '../../lib/audit/exported-line.js';
import { verifyChain, type ChainVerdict } from '../../lib/audit/verify-chain.js';
import { packagePath } from '../../lib/config.js';
import { rootLocation } from '../../lib/domain/location.js';
import { exportAudit } from '../../lib/operations/audit/audit-log.js';
import { backUpWorkspace } from '../../lib/operations/workspaces/back-up-workspace.js';
import { perform } from '../../lib/operations/perform.js';
import { searchDocuments } from '../../lib/operations/documents/search-documents.js';
import { runProgram } from '../support/processes/run-program.js';
import { verifyWorkspace } from '../../lib/integrity/verify-workspace.js';
import { gather } from '../support/gather.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';
import { verifyAudit } from '../support/store/verify-audit.js';
import { Sqlite, type Connection } from '../support/store/sqlite.js';

const script = join('test', 'audit', 'independent-verifier.mjs');
const verifier = existsSync(packagePath(script)) ? packagePath(script) : resolve(script);
const passphrase = 'correct horse battery staple';

/** Searches of old, as they were sent: halves of surrogate pairs, beside U+FFFD itself and whole pairs. */
const searched = [
  '\ud800',
  'a\udc00\ud800b',
  '\ufffd\ud83d\ufffd \u{1f600}',
  '\ufffd\ufffd\ufffd\ud800',
  'nothing the matter \ufffd\ufffd\ufffd',
];
const alteredCount = 4;

describe('a log with texts that earlier builds altered in storage', function () {
  this.timeout(60_000);
  let test: TestService;
  let work: string;
  /** Numbers of the records of the searches. */
  let records: number[];

  beforeEach(async () => {
    work = await mkdtemp(join(tmpdir(), 'cartulary-altered-'));
    test = await openTestService({ store: 'disk' });
    records = [];
    for (const query of searched) {
      const input = { query, location: rootLocation, labels: [], limit: 9, position: null };
      await perform(test.workspace, operator, searchDocuments, input);
      records.push(test.workspace.journal.state.chain.seq);
    }
    storeAsEarlierBuilds();
  });

  afterEach(async () => {
    await test.close();
    await rm(work, { recursive: true, force: true });
  });

  it('is sound, since each text is read as it was committed to; the verdict counts and names them', async () => {
    const verdict = await verify();
    assert.ok(verdict.sound, JSON.stringify(verdict));
    assert.deepEqual(verdict.altered, altered());
  });

  it('is exported with the committed texts, and any verifier finds it sound', async () => {
    const lines = await exported();
    assert.deepEqual(
      targetsOf(lines),
      searched.map((text) => text.toWellFormed()),
    );
    const verdict = verifyChain(lines);
    assert.ok(verdict.sound && verdict.altered === undefined);
    assert.match(await runIndependently(lines), /^sound: /);
  });

  it('is sound in an export of earlier builds, too, by the second reading; the verdict says so', async () => {
    const lines = await exportedByEarlierBuilds();
    assert.deepEqual(targetsOf(lines).slice(0, 2), ['\ufffd'.repeat(3), `a${'\ufffd'.repeat(6)}b`]);
    const verdict = verifyChain(lines);
    // Beside three U+FFFD of the sender, such an export does not show the number of altered ones: export again.
    assert.ok(!verdict.sound && verdict.seq === records[3]);
    const others = lines.map((line) =>
      'record' in line && line.record.seq === records[3] ? { record: line.record } : line,
    );
    const second = verifyChain(others);
    assert.ok(second.sound);
    assert.deepEqual(second.altered, { count: 3, records: records.slice(0, 3) });
    assert.match(await runIndependently(others), /^sound: /);
  });

  it('excuses no text except the altered ones', async () => {
    for (const [seq, text] of [
      [records[0], '\ufffd'.repeat(2)],
      [records[0], '\ufffd'.repeat(6)],
      [records[1], 'a\udc00b'],
      [records[1], 'c\udc00\ud800b'],
      [records[1], ''],
      [records[4], 'something the matter \ufffd\ufffd\ufffd'],
    ] as const) {
      withRows((connection) => connection.prepare('UPDATE audit_text SET target = ? WHERE seq = ?').run(text, seq));
      const verdict = await verify();
      assert.ok(!verdict.sound && verdict.seq === seq, text);
      assert.match(verdict.problem, /the text kept for its target is not the one it commits to/);
      const inExport = verifyChain(await exported());
      assert.ok(!inExport.sound && inExport.seq === seq, text);
      assert.match(await runIndependently(await exported()), new RegExp(`^BROKEN: the target of record ${seq} `));
      storeAsEarlierBuilds();
    }
    assert.ok((await verify()).sound);
  });

  it('is verified by the commands with exit code 0 and a remark', async () => {
    const { seq } = test.workspace.journal.state.chain;
    const remark = `The text of 4 records was altered by a known fault of earlier builds, and is read as it was committed to: ${records.slice(0, 4).join(', ')}.`;
    const data = ['--data', test.dataFolder ?? ''];
    const [whole, chain] = [await runProgram(['verify', ...data]), await runProgram(['audit', 'verify', ...data])];
    assert.deepEqual([whole.code, chain.code], [0, 0], whole.stdout + chain.stdout);
    assert.ok(whole.stdout.includes(`  audit: ${remark}`), whole.stdout);
    assert.ok(chain.stdout.startsWith(`acme: sound; ${seq} records`) && chain.stdout.includes(remark), chain.stdout);
    const json = JSON.parse((await runProgram(['audit', 'verify', '--json', ...data])).stdout);
    assert.deepEqual(json.chains[0].altered, altered());
  });

  it('is backed up and restored, and has the same verdict afterwards', async () => {
    const folder = join(work, 'backup');
    await perform(test.workspace, operator, backUpWorkspace, { folder, passphrase, cost: 2 ** 10 });
    const passphraseFile = join(work, 'passphrase');
    await writeFile(passphraseFile, passphrase);
    const dataFolder = join(work, 'restored');
    const parameters = ['restore', folder, '--data', dataFolder, '--passphrase-file', passphraseFile];
    const restored = await runProgram(parameters);
    assert.equal(restored.code, 0, restored.stderr);
    const { problems, remarks } = await verifyWorkspace({ dataFolder, name: 'acme', git: 'auto' }, () => undefined);
    assert.deepEqual([problems, remarks.length], [[], 1]);
  });

  const verify = async (): Promise<ChainVerdict> => (await perform(test.workspace, operator, verifyAudit, {})).result;

  const targetsOf = (lines: readonly ExportedLine[]): (string | null | undefined)[] =>
    lines.flatMap((line) => ('record' in line && records.includes(line.record.seq) ? [line.text?.target] : []));

  const altered = (): { count: number; records: number[] } => ({
    count: alteredCount,
    records: records.slice(0, alteredCount),
  });

  function withRows<Result>(work: (connection: Connection) => Result): Result {
    const connection = new Sqlite(join(test.dataFolder ?? '', 'acme', 'sidecar.sqlite'));
    try {
      return work(connection);
    } finally {
      connection.close();
    }
  }

  /**
   * Earlier builds hashed the text as received, and passed that text to SQLite's driver: this does the same. The
   * commitments are theirs, too.
   */
  function storeAsEarlierBuilds(): void {
    withRows((connection) => {
      for (const [index, query] of searched.entries()) {
        const seq = records[index] ?? 0;
        connection.prepare('UPDATE audit_text SET target = ? WHERE seq = ?').run(query, seq);
        const { salt } = connection.prepare('SELECT salt FROM audit_text WHERE seq = ?').get(seq) as { salt: Buffer };
        const { target } = connection.prepare('SELECT target FROM audit_record WHERE seq = ?').get(seq) as {
          target: Buffer;
        };
        assert.deepEqual(createHmac('sha256', salt).update(query).digest(), target);
      }
    });
  }

  async function exported(): Promise<ExportedLine[]> {
    return gather((await perform(test.workspace, operator, exportAudit, { withTexts: true })).result);
  }

  /** The lines as earlier builds wrote them: with the text that SQLite's driver returns. */
  async function exportedByEarlierBuilds(): Promise<ExportedLine[]> {
    const lines = await exported();
    return withRows((connection) =>
      lines.map((line): ExportedLine => {
        if (!('record' in line) || line.text === undefined) return line;
        const row = connection.prepare('SELECT target FROM audit_text WHERE seq = ?').get(line.record.seq);
        return { ...line, text: { ...line.text, ...(row as { target: string | null }) } };
      }),
    );
  }

  async function runIndependently(lines: readonly ExportedLine[]): Promise<string> {
    const file = join(work, 'export.jsonl');
    await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return spawnSync(process.execPath, [verifier, file], { encoding: 'utf8' }).stdout.trim();
  }
});
