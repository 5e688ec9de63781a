import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { hashRecord } from '../../lib/audit/canonical-record.js';
import { readPublicKey } from '../../lib/audit/signed-checkpoint.js';
import type { ExportedLine } from '../../lib/audit/exported-line.js';
import { verifyChain, type ChainVerdict } from '../../lib/audit/verify-chain.js';
import type { AuditRecord } from '../../lib/domain/audit-record.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { archiveAudit } from '../../lib/operations/audit/archive-audit.js';
import { exportAudit, showAuditKey } from '../../lib/operations/audit/audit-log.js';
import { listPrincipals } from '../../lib/operations/principals/list-principals.js';
import { perform } from '../../lib/operations/perform.js';
import { clearArchived } from '../../lib/journal/clear-archived.js';
import { readCloneWitnesses } from '../../lib/integrity/read-witnesses.js';
import { verifyWorkspace } from '../../lib/integrity/verify-workspace.js';
import { Actor } from '../support/store/actor.js';
import { gather } from '../support/gather.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';
import { verifyAudit } from '../support/store/verify-audit.js';
import type { VerifyAuditInput } from '../support/store/verify-audit.js';
import { Sqlite } from '../support/store/sqlite.js';

describe('the sealed audit chain', () => {
  let test: TestService;
  let work: string;

  beforeEach(async () => {
    work = await mkdtemp(join(tmpdir(), 'cartulary-audit-'));
    test = await openTestService({ store: 'disk' });
  });

  afterEach(async () => {
    await test.close();
    await rm(work, { recursive: true, force: true });
  });

  it('is signed every thousand records, at shutdown, and at the end of an export', async () => {
    await record(2300);
    const signed = test.workspace.journal.reader.auditCheckpoints.between(0, 1e9);
    assert.equal(signed.length, 2);
    assert.ok(signed.every(({ seq }, index) => seq >= 1000 * (index + 1) && seq < 1000 * (index + 1) + 256));
    const lines = await exported();
    const last = lines.at(-1);
    assert.ok(last !== undefined && 'checkpoint' in last && last.checkpoint.closing);
    const verdict = verifyChain(lines, [], { publicKey: await publicKey(), isExport: true });
    assert.ok(verdict.sound && verdict.signed?.seq === verdict.records && verdict.records > 2300);
    const { seq } = test.workspace.journal.state.chain;
    await test.service.close();
    const connection = new Sqlite(join(test.dataFolder ?? '', 'acme', 'sidecar.sqlite'), { readonly: true });
    assert.deepEqual(connection.prepare('SELECT max(seq) AS seq FROM audit_checkpoint').get(), { seq });
    connection.close();
    test = await openTestService({ store: 'disk' });
  });

  it('shows by the public key alone every cut, changed, missing, reordered or rehashed record', async () => {
    await record(1500);
    const lines = await exported();
    const key = await publicKey();
    const check = (changed: readonly ExportedLine[]): string =>
      problemOf(verifyChain(changed, [], { publicKey: key, isExport: true }));
    const at = (seq: number): number => lines.findIndex((line) => 'record' in line && line.record.seq === seq);
    const without = (index: number): ExportedLine[] => lines.filter((_, each) => each !== index);
    const swapped = [...lines];
    [swapped[at(70)], swapped[at(71)]] = [lines[at(71)] as ExportedLine, lines[at(70)] as ExportedLine];
    const changed = [...lines];
    changed[at(70)] = { record: { ...recordOf(lines[at(70)]), principal: 'prn_forged' } };
    const end = lines.findIndex((line) => 'checkpoint' in line);
    const anew = hashAnew(lines, 500, (member) => ({ ...member, principal: 'prn_forged' }));
    assert.equal(check(lines), 'none');
    assert.equal(check(without(at(70))), 'record 70 is missing; record 71 follows');
    assert.equal(check(swapped), 'record 70 is missing; record 71 follows');
    assert.equal(check(changed), 'record 70 was changed: its hash does not match its content');
    assert.match(
      check(lines.slice(0, -1)),
      /^the export breaks off after record \d+, without the signature at its end$/,
    );
    assert.match(check(lines.slice(0, end + 1)), /^the export breaks off after record \d+/);
    assert.match(check(anew), /^records 1 to 1\d\d\d were rewritten: 1\d\d\d is not the one that was signed$/);
    assert.match(
      check(anew.filter((line) => 'record' in line || line.checkpoint.closing)),
      /^records 1 to \d+ were rewritten/,
    );
    const cutTail = [...lines.slice(0, at(900)), ...lines.filter((line) => 'checkpoint' in line)];
    assert.match(check(cutTail), /^the chain ends at 899, but record 1\d\d\d was signed$/);
    const other = generateKeyPairSync('ed25519').publicKey;
    assert.match(
      problemOf(verifyChain(lines, [], { publicKey: other, isExport: true })),
      /^the signature over record 1\d\d\d was not made by this key$/,
    );
  });

  it('is not sound with a long unsigned span', async () => {
    await record(2300);
    const lines = (await exported()).filter((line) => 'record' in line);
    const verdict = verifyChain(lines, [], { publicKey: await publicKey() });
    assert.equal(problemOf(verdict), 'no signature covers the records from 1 to 2001');
  });

  it('shows the cut of its tail where it lies, by the signatures and by git', async () => {
    await record(1100);
    assert.ok((await verify()).sound);
    changeRows('DELETE FROM audit_record WHERE seq > 900');
    const options = { dataFolder: test.dataFolder ?? '', name: 'acme', git: 'auto' as const };
    const { problems } = await verifyWorkspace(options, () => undefined);
    assert.match(problems[0]?.message ?? '', /^the chain ends at 900, but record 1\d\d\d was signed\.$/);
  });

  it('shows by a clone every record cut or rehashed since the clone was made', async () => {
    const actor = new Actor(test.workspace, (await test.person('editor')).id);
    for (const name of ['a', 'b', 'c']) await actor.create(`${name}.md`, name);
    await test.workspace.checkpointer.run();
    const clone = join(work, 'clone');
    execFileSync('git', ['clone', '-q', join(test.dataFolder ?? '', 'acme', 'content.git'), clone]);
    const lines = await exported();
    assert.ok((await verify({ clone })).sound);
    assert.ok((await verify({ clone: join(clone, '.git') })).sound);
    changeRows(`UPDATE audit_record SET principal = 'prn_forged' WHERE seq = 2`);
    const rewritten = hashAnew(lines, 2, (member) => ({ ...member, principal: 'prn_forged' }));
    const update = new Sqlite(join(test.dataFolder ?? '', 'acme', 'sidecar.sqlite'));
    for (const line of rewritten) {
      if (!('record' in line)) continue;
      const { hash, seq } = line.record;
      update.prepare('UPDATE audit_record SET hash = ? WHERE seq = ?').run(Buffer.from(hash, 'hex'), seq);
    }
    update.exec('DELETE FROM audit_text WHERE seq = 2');
    update.close();
    assert.match(
      problemOf(await verify({ clone })),
      /^record \d+ is not the one that commit [0-9a-f]{40} bears witness of$/,
    );
    const known = await readCloneWitnesses(clone);
    assert.equal(known.length, 3);
    const records = lines.filter((line) => 'record' in line);
    const cut = verifyChain(records.slice(0, (known[2]?.seq ?? 0) - 1), known);
    assert.match(
      problemOf(cut),
      /^the chain ends at \d+, but record \d+ is one that commit [0-9a-f]{40} bears witness of$/,
    );
  });

  it('refuses a folder that is no clone, in words', async () => {
    await writeFile(join(work, 'file'), '');
    await assert.rejects(
      verify({ clone: work }),
      (error: unknown) => error instanceof Refusal && error.details?.reason === 'bad_clone',
    );
  });

  describe('archives', () => {
    it('hold older records, which exports and checks read as before', async () => {
      await record(1200);
      const before = await exported();
      const { archived, more } = await archive(801);
      assert.deepEqual([archived?.firstSeq, archived?.lastSeq, more], [1, 800, false]);
      assert.deepEqual(await readdir(folder()), [archived?.file]);
      assert.match(archived?.file ?? '', /^1-800-[0-9a-f]{64}\.jsonl\.gz$/);
      await clearArchived(test.workspace.journal, () => false);
      assert.equal(test.workspace.journal.reader.audit.after(0, 1)[0]?.seq, 801);
      await archive(1101);
      const lines = await exported();
      assert.deepEqual(lines.slice(0, before.length - 1), before.slice(0, -1));
      assert.ok(verifyChain(lines, [], { publicKey: await publicKey(), isExport: true }).sound);
      assert.ok((await verify()).sound);
      assert.equal((await archive(1101)).archived, null);
    });

    it('go up to a time, and never take the last record', async () => {
      test.clock.advance(60_000);
      const { seq } = test.workspace.journal.state.chain;
      await record(5);
      const time = test.clock.now();
      const first = (await perform(test.workspace, operator, archiveAudit, { before: { time } })).result;
      assert.equal(first.archived?.lastSeq, seq);
      await archive(1e9);
      assert.ok(test.workspace.journal.reader.audit.head() !== undefined);
      assert.ok((await verify()).sound);
      await record(1);
      assert.ok((await verify()).sound);
    });

    it('show when they are missing or changed', async () => {
      await record(50);
      const { archived } = await archive(41);
      const file = join(folder(), archived?.file ?? '');
      await writeFile(file, 'x');
      assert.match(problemOf(await verify()), /^the archive 1-40-.* was changed: its SHA-256 is another one$/);
      await rm(file);
      assert.match(problemOf(await verify()), /^the archive 1-40-.* is missing$/);
      const options = { dataFolder: test.dataFolder ?? '', name: 'acme', git: 'auto' as const };
      assert.match((await verifyWorkspace(options, () => undefined)).problems[0]?.message ?? '', /is missing/);
    });

    it('are not made of an unsound span', async () => {
      await record(50);
      changeRows(`UPDATE audit_record SET principal = 'prn_forged' WHERE seq = 20`);
      await assert.rejects(archive(41), (error: unknown) => {
        assert.ok(error instanceof Refusal);
        assert.equal(error.details?.reason, 'chain_unsound');
        assert.match(error.message, /record 20 was changed/);
        return true;
      });
      assert.equal(test.workspace.journal.reader.audit.after(0, 1)[0]?.seq, 1);
    });

    it('leave the texts where an erase can clear them', async () => {
      const actor = new Actor(test.workspace, (await test.person('editor')).id);
      await actor.create('secret name.md', 'x');
      await record(5);
      const { archived } = await archive(test.workspace.journal.state.chain.seq);
      const text = gunzipSync(await readFile(join(folder(), archived?.file ?? ''))).toString();
      assert.doesNotMatch(text, /secret name/);
      assert.ok((await exported()).some((line) => 'text' in line && line.text?.target === 'secret name.md'));
    });

    const folder = (): string => join(test.dataFolder ?? '', 'acme', 'audit');

    async function archive(seq: number) {
      return (await perform(test.workspace, operator, archiveAudit, { before: { seq } })).result;
    }
  });

  const recordOf = (line: ExportedLine | undefined): AuditRecord =>
    line !== undefined && 'record' in line ? line.record : assert.fail('no record');

  async function record(count: number): Promise<void> {
    await Promise.all(
      Array.from({ length: count }, () => perform(test.workspace, operator, listPrincipals, { after: '', limit: 200 })),
    );
  }

  async function exported(): Promise<ExportedLine[]> {
    return gather((await perform(test.workspace, operator, exportAudit, { withTexts: true })).result);
  }

  async function publicKey() {
    return readPublicKey((await perform(test.workspace, operator, showAuditKey, {})).result.publicKey);
  }

  async function verify(input: VerifyAuditInput = {}): Promise<ChainVerdict> {
    return (await perform(test.workspace, operator, verifyAudit, input)).result;
  }

  function changeRows(sql: string): void {
    const connection = new Sqlite(join(test.dataFolder ?? '', 'acme', 'sidecar.sqlite'));
    connection.exec(sql);
    connection.close();
  }
});

const problemOf = (verdict: ChainVerdict): string => (verdict.sound ? 'none' : verdict.problem);

/** Hashes and links everything after `from` again. Any process that can write the data could do this. */
function hashAnew(lines: readonly ExportedLine[], from: number, change: (record: AuditRecord) => AuditRecord) {
  let before: string | undefined;
  return lines.map((line): ExportedLine => {
    if (!('record' in line) || line.record.seq < from) return line;
    const { hash: _, ...members } = line.record.seq === from ? change(line.record) : line.record;
    const linked = before === undefined ? members : { ...members, prev_hash: before };
    before = hashRecord(linked).toString('hex');
    return { record: { ...linked, hash: before } };
  });
}
