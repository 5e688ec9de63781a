import assert from 'node:assert/strict';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../lib/app/service.js';
import { hashRecord } from '../../lib/audit/canonical-record.js';
import type { ExportedLine } from '../../lib/audit/exported-line.js';
import type { AuditRecord } from '../../lib/domain/audit-record.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { exportAudit } from '../../lib/operations/audit/audit-log.js';
import { backUpWorkspace } from '../../lib/operations/workspaces/back-up-workspace.js';
import { perform } from '../../lib/operations/perform.js';
import { rebuild } from '../../lib/operations/workspaces/rebuild.js';
import {
  verifyData,
  verifyChains,
  verifyExport,
  type KnownElsewhere,
  type VerifiedChain,
} from '../../lib/commands/operator/inspect.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { runProgram } from '../support/processes/run-program.js';
import { eraseAt } from '../support/store/erase-at.js';
import { Actor } from '../support/store/actor.js';
import { gather } from '../support/gather.js';
import { runGit } from '../support/processes/run-git.js';
import { KeptData, makeTestRandomness, operator, TestClock, type TestService } from '../support/store/service.js';
import { uncarryRestart } from './earlier-build.js';
import { Sqlite } from '../support/store/sqlite.js';

const zeros = '0'.repeat(64);

describe('a restarted log', function () {
  this.timeout(120_000);
  let kept: KeptData;
  /** What all tests read and none changes. */
  let shared: string;
  /** A clone of what was kept. */
  let clone: string;
  /** The log that was kept. */
  let log: readonly AuditRecord[];
  let test: TestService;
  let work: string;

  before(async () => {
    shared = await mkdtemp(join(tmpdir(), 'cartulary-restart-'));
    clone = join(shared, 'copy');
    kept = await KeptData.make(async ({ workspace, dataFolder }) => {
      const actor = new Actor(workspace, operator.principalId);
      for (const name of ['a.md', 'b.md', 'c.md']) await actor.create(name);
      await actor.read('b.md');
      await workspace.eraser.finished((await eraseAt(workspace, 'b.md')).id);
      await actor.update('c.md', 'again');
      await workspace.checkpointer.run();
      runGit(shared, ['clone', '-q', repositoryOf(dataFolder ?? ''), clone]);
      log = await recordsOf(workspace);
    });
  });
  after(async () => {
    await kept.remove();
    await rm(shared, { recursive: true, force: true });
  });
  beforeEach(async () => {
    work = await mkdtemp(join(tmpdir(), 'cartulary-restart-'));
  });
  afterEach(() => rm(work, { recursive: true, force: true }));

  const elsewhere: KnownElsewhere = { head: undefined, clone: undefined, recoveredAt: undefined };

  describe('by the owner of the machine and its key, to leave records out', () => {
    let key: string;

    beforeEach(async () => {
      test = await kept.open();
      key = test.workspace.signer.publicKey;
    });
    afterEach(() => test.close());

    it('is not confirmed by a clone without the commit that it names', async () => {
      const file = await forge('f'.repeat(40));
      const verdict = await verifyExport({ ...elsewhere, file, key, clone });
      assert.ok(!verdict.sound && verdict.reason === 'unknown_restart');
      assert.match(
        verdict.problem,
        /^record 1 says that the log was restarted at 2026-\S+ from commit f{40}, and the clone has no such commit/,
      );
      // A verifier that gets the commit from the forger detects the forgery, too.
      const named = await verifyExport({ ...elsewhere, file, key, clone, recoveredAt: 'f'.repeat(40) });
      assert.ok(!named.sound && named.reason === 'unknown_restart');
      const keyFile = join(work, 'key.pem');
      await writeFile(keyFile, key);
      const { code, stdout } = await runProgram([
        'audit',
        'verify',
        '--export',
        file,
        '--key',
        keyFile,
        '--clone',
        clone,
      ]);
      assert.equal(code, 1);
      assert.match(stdout, /^BROKEN: record 1 says that the log was restarted /);
    });

    it('is reported, with exit code 1, where the clone has the commit that it names', async () => {
      const commit = headOf(clone);
      const file = await forge(commit);
      const verdict = await verifyExport({ ...elsewhere, file, key, clone });
      assert.ok(!verdict.sound && verdict.reason === 'unexpected_restart');
      assert.deepEqual(verdict.restart, { at: '2026-01-05T09:00:00.000Z', commit });
      const parameters = ['audit', 'verify', '--export', file, '--clone', clone];
      const { code, stdout } = await runProgram(parameters);
      assert.equal(code, 1);
      assert.match(
        stdout,
        new RegExp(
          `^RESTARTED: the log was restarted at 2026-01-05T09:00:00.000Z from commit ${commit}, and records before it are not checked`,
        ),
      );
      const json = JSON.parse((await runProgram([...parameters, '--json'])).stdout);
      assert.deepEqual([json.sound, json.chains[0].sound, json.chains[0].restart.commit], [false, false, commit]);
    });

    it('records that the machine’s owner left out are reported without a clone, too', async () => {
      const verdict = await verifyExport({ ...elsewhere, file: await forge('f'.repeat(40)), key });
      assert.ok(!verdict.sound && verdict.reason === 'unexpected_restart');
    });

    it('does not invalidate a head noted before', async () => {
      const noted = (await recordsOf(test.workspace))[4] ?? assert.fail();
      const recoveredAt = headOf(clone);
      const file = await forge(recoveredAt);
      const head = `${noted.seq} ${noted.hash}`;
      const known = { clone, recoveredAt, key, file };
      const verdict = await verifyExport({ ...known, head });
      assert.ok(!verdict.sound);
      assert.equal(verdict.problem, `record ${noted.seq} is not the one that was witnessed elsewhere`);
      assert.ok((await verifyExport({ ...known, head: undefined })).sound);
    });

    it('is found where it lies: no commit of the repository mentions the restart of the log', async () => {
      const commit = headOf(clone);
      const dataFolder = test.dataFolder ?? '';
      const forged = hashAnew([
        {
          ...((await recordsOf(test.workspace))[0] ?? assert.fail()),
          action: 'workspace.recover',
          target: null,
          detail: null,
          version: commit,
        },
      ])[0];
      await test.service.close();
      const connection = new Sqlite(join(dataFolder, 'acme', 'sidecar.sqlite'));
      connection.exec('DELETE FROM audit_text; DELETE FROM audit_checkpoint; DELETE FROM audit_record WHERE seq > 1');
      connection
        .prepare('UPDATE audit_record SET action = ?, target = NULL, detail = NULL, version = ?, hash = ?')
        .run('workspace.recover', commit, Buffer.from(forged?.hash ?? '', 'hex'));
      connection.close();
      const options = { dataFolder, workspace: null, git: 'auto' as const };
      const [chain] = await verifyChains(options, elsewhere);
      assert.ok(chain !== undefined && !chain.sound && chain.reason === 'unexpected_restart');
      const { code, stdout } = await runProgram(['verify', '--data', dataFolder]);
      assert.equal(code, 1);
      assert.match(
        stdout,
        /audit: the log was restarted at \S+ from commit [0-9a-f]{40}, and records before it are not checked\. No commit of the repository says so\./,
      );
    });

    /** Without the records of reads and erases, with a forged first record, and signed. */
    async function forge(commit: string): Promise<string> {
      const records = await recordsOf(test.workspace);
      const kept = records.filter(({ action }) => !/^document\.(?:read|erase|erased)$/.test(action));
      assert.ok(kept.length < records.length);
      const [first] = kept;
      assert.ok(first !== undefined);
      const restart = { ...first, action: 'workspace.recover', target: null, detail: null, version: commit };
      const forged = hashAnew([restart, ...kept]);
      const end = forged.at(-1) ?? assert.fail();
      const closing = test.workspace.signer.sign(end, test.clock.now(), true);
      const lines: ExportedLine[] = [...forged.map((record) => ({ record })), { checkpoint: closing }];
      const file = join(work, 'forged.jsonl');
      await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      return file;
    }
  });

  describe('because the workspace was made from a clone', () => {
    /** Its data folder, from which each test has a copy. */
    let made: string;
    let data: string;
    let service: Service;
    let workspace: Workspace;
    /** The newest commit of the clone that it was made from. */
    let from: string;

    before(async () => {
      made = join(shared, 'data');
      data = made;
      from = headOf(clone);
      service = await open('recovered');
      await service.restore({ clone, name: 'acme' }, operator);
      await service.close();
    });
    beforeEach(async () => {
      data = join(work, 'data');
      await cp(made, data, { recursive: true });
      service = await open('a copy');
      workspace = service.find('acme') ?? assert.fail();
    });
    afterEach(() => service.close());

    it('is carried by an empty commit, which later clones have', async () => {
      const later = cloneOf(data, 'later');
      const message = runGit(later, ['log', '-1', '--format=%B']);
      const { at, hash } = (await recordsOf(workspace))[0] ?? assert.fail();
      assert.match(message, new RegExp(`\\nOperation: recover\\nRecovered-From: ${from}\\n`));
      assert.match(runGit(later, ['diff', '--stat', 'HEAD^', 'HEAD']), /^$/);
      assert.equal(runGit(later, ['rev-parse', 'HEAD^']).trim(), from);
      // It mentions the new log already: the log's second record, which holds the hash of the first.
      const [, seq, head] = /\nAudit-Head: (\d+) ([0-9a-f]{64})\n/.exec(message) ?? [];
      const records = await recordsOf(workspace);
      assert.equal(head, records[Number(seq) - 1]?.hash);
      assert.deepEqual([at.length, hash.length], [24, 64]);
    });

    it('is expected by `verify`, since the repository carries it: exit code 0, and a plain remark', async () => {
      const { workspaces } = await verifyData({ ...inspected(), isQuick: false }, () => undefined);
      const [verified] = workspaces;
      assert.deepEqual([verified?.sound, verified?.problems], [true, []]);
      const { code, stdout } = await runProgram(['verify', '--data', data]);
      assert.equal(code, 0, stdout);
      assert.match(
        stdout,
        new RegExp(
          `\\n  audit: The log was restarted at \\S+ from commit ${from}\\. Records before it are not checked\\.\\n`,
        ),
      );
    });

    it('exits 1 in `audit verify` unless it is named, with any clone', async () => {
      const later = cloneOf(data, 'later');
      for (const known of [{}, { clone }, { clone: later }]) {
        const unnamed = await verifyAudit(known);
        assert.ok(!unnamed.sound && unnamed.reason === 'unexpected_restart', JSON.stringify(unnamed));
        assert.equal(unnamed.restart?.commit, from);
        const other = await verifyAudit({ ...known, recoveredAt: 'e'.repeat(40) });
        assert.ok(!other.sound && /; expected was a restart from commit e{40}$/.test(other.problem));
        const named = await verifyAudit({ ...known, recoveredAt: from });
        assert.ok(named.sound, JSON.stringify(named));
        assert.match(
          named.remarks.join(' '),
          new RegExp(`^The log was restarted at \\S+ from commit ${from}\\. Records before it`),
        );
      }
      const parameters = ['audit', 'verify', '--data', data, '--clone', clone];
      const [unnamed, named] = [
        await runProgram(parameters),
        await runProgram([...parameters, '--recovered-at', from]),
      ];
      assert.deepEqual([unnamed.code, named.code], [1, 0], unnamed.stdout + named.stdout);
      assert.match(
        unnamed.stdout,
        new RegExp(`^acme: RESTARTED: .*\\n  If you made this workspace from a clone then: --recovered-at ${from}\\.`),
      );
      assert.match(named.stdout, /^acme: sound; \d+ records, .*\n {2}The log was restarted at /);
      const wrong = await runProgram([...parameters, '--recovered-at', 'HEAD']);
      assert.match(wrong.stderr, /recovered-at must be the whole id of a commit/);
    });

    it('makes a head noted before contradict the new log', async () => {
      const noted = log[1] ?? assert.fail();
      const verdict = await verifyAudit({ head: `${noted.seq} ${noted.hash}`, recoveredAt: from });
      assert.ok(!verdict.sound);
      assert.equal(verdict.problem, 'record 2 is not the one that was witnessed elsewhere');
    });

    it('is not confirmed by a clone made before the commit that it names', async () => {
      const older = join(work, 'older');
      runGit(work, ['clone', '-q', clone, older]);
      runGit(older, ['reset', '-q', '--hard', 'HEAD^']);
      const verdict = await verifyAudit({ clone: older, recoveredAt: from });
      assert.ok(!verdict.sound && verdict.reason === 'unknown_restart');
    });

    it('shows later changes of the new log by a later clone', async () => {
      await new Actor(workspace, operator.principalId).update('c.md', 'after the restart');
      await workspace.checkpointer.run();
      const later = cloneOf(data, 'later');
      const records = await recordsOf(workspace);
      const forged = hashAnew(records.filter(({ action }) => action !== 'document.update'));
      const file = join(work, 'forged.jsonl');
      await writeFile(file, forged.map((record) => `${JSON.stringify({ record })}\n`).join(''));
      const known = { ...elsewhere, file, key: undefined, recoveredAt: from };
      assert.ok((await verifyExport(known)).sound);
      // The commits up to the restart cannot show any of it; all later ones can.
      assert.ok((await verifyExport({ ...known, clone })).sound);
      const cut = records.slice(0, 1).map((record) => `${JSON.stringify({ record })}\n`);
      await writeFile(file, cut.join(''));
      const verdict = await verifyExport({ ...known, clone: later });
      assert.ok(!verdict.sound);
      assert.match(
        verdict.problem,
        /^the chain ends at 1, but record \d is one that commit [0-9a-f]{40} bears witness of$/,
      );
    });

    it('is known by the commit that carries it where an erase removed the commit that it names', async () => {
      await workspace.eraser.finished((await eraseAt(workspace, 'c.md')).id);
      await workspace.checkpointer.run();
      const later = cloneOf(data, 'later');
      const ids = runGit(later, ['log', '--format=%H %B']);
      assert.ok(!ids.includes(`Version: ${from}`) && ids.includes(`Recovered-From: ${from}`));
      const verdict = await verifyAudit({ clone: later, recoveredAt: from });
      assert.ok(verdict.sound, JSON.stringify(verdict));
      const { workspaces } = await verifyData({ ...inspected(), isQuick: false }, () => undefined);
      assert.deepEqual(workspaces[0]?.problems, []);
    });

    it('is understood by a rebuild, and by another restart', async () => {
      await new Actor(workspace, operator.principalId).update('c.md', 'after the restart');
      const report = await rebuild(workspace, operator);
      assert.deepEqual(report?.problems, []);
      const before = (await verifyData({ ...inspected(), isQuick: false }, () => undefined)).workspaces[0];
      assert.deepEqual(before?.problems, []);
      await workspace.checkpointer.run();
      const second = cloneOf(data, 'second');
      const again = await service.restore({ clone: second, name: 'again' }, operator);
      assert.equal(await new Actor(again, operator.principalId).read('c.md'), 'after the restart');
      const { workspaces } = await verifyData({ ...inspected(), workspace: 'again', isQuick: false }, () => undefined);
      assert.deepEqual(workspaces[0]?.problems, []);
      const chains = await verifyChains(
        { ...inspected(), workspace: 'again' },
        { ...elsewhere, recoveredAt: headOf(second) },
      );
      assert.ok(chains[0]?.sound);
    });

    it('is backed up and restored as it is: it is no damage', async () => {
      const folder = join(work, 'backup');
      const passphrase = 'correct horse battery staple';
      await perform(workspace, operator, backUpWorkspace, { folder, passphrase, cost: 2 ** 10 });
      await service.close();
      uncarryRestart(data);
      service = await open('another start');
      workspace = service.find('acme') ?? assert.fail();
      const second = join(work, 'backup of one that an earlier build restored');
      await perform(workspace, operator, backUpWorkspace, { folder: second, passphrase, cost: 2 ** 10 });
      await service.close();
      for (const [index, source] of [folder, second].entries()) {
        data = join(work, `restored ${index}`);
        service = await open('another start');
        await service.restore({ backup: source, passphrase }, operator);
        if (index === 0) await service.close();
      }
    });

    it('has to be named to `verify` where an earlier build restored it and no commit carries it', async () => {
      await service.close();
      uncarryRestart(data);
      const check = async (recoveredAt?: string) =>
        (await verifyData({ ...inspected(), isQuick: false, recoveredAt }, () => undefined)).workspaces[0];
      const unnamed = await check();
      assert.equal(unnamed?.sound, false);
      assert.match(unnamed?.problems[0]?.message ?? '', new RegExp(`name that commit: --recovered-at ${from}\\.`));
      const named = await check(from);
      assert.deepEqual([named?.sound, named?.remarks.length], [true, 1]);
      service = await open('another start');
    });

    it('is reported of a clone that is no witness at all', async () => {
      const foreign = join(work, 'foreign');
      runGit(work, ['init', '-q', '-b', 'main', foreign]);
      runGit(foreign, ['commit', '-q', '--allow-empty', '-m', 'Not of this service']);
      await assert.rejects(
        verifyAudit({ clone: foreign }),
        (error: unknown) =>
          error instanceof Refusal && error.details?.reason === 'bad_clone' && /proves nothing/.test(error.message),
      );
    });

    const inspected = () => ({ dataFolder: data, workspace: null, git: 'auto' as const });

    async function open(seed: string): Promise<Service> {
      return Service.open({
        dataFolder: data,
        git: 'auto',
        clock: new TestClock(),
        randomness: makeTestRandomness(seed),
        onFault: () => undefined,
      });
    }

    async function verifyAudit(known: Partial<KnownElsewhere>): Promise<VerifiedChain> {
      return (await verifyChains(inspected(), { ...elsewhere, ...known }))[0] ?? assert.fail();
    }
  });

  const repositoryOf = (dataFolder: string): string => join(dataFolder, 'acme', 'content.git');

  const headOf = (repository: string): string => runGit(repository, ['rev-parse', 'HEAD']).trim();

  function cloneOf(dataFolder: string, name: string): string {
    const clone = join(work, name);
    runGit(work, ['clone', '-q', repositoryOf(dataFolder), clone]);
    return clone;
  }

  async function recordsOf(workspace: Workspace): Promise<AuditRecord[]> {
    const { result } = await perform(workspace, operator, exportAudit, { withTexts: false });
    return (await gather(result)).flatMap((line) => ('record' in line ? [line.record] : []));
  }
});

/** The kept records, numbered and hashed again. Any process with the data can do this. */
function hashAnew(records: readonly AuditRecord[]): AuditRecord[] {
  let before = zeros;
  return records.map(({ hash: _, ...members }, index) => {
    const linked = { ...members, seq: index + 1, prev_hash: before };
    before = hashRecord(linked).toString('hex');
    return { ...linked, hash: before };
  });
}
