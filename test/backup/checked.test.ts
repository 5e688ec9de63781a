import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refusalOf } from '../support/store/actor.js';
import { backUpWorkspace } from '../../lib/operations/workspaces/back-up-workspace.js';
import { perform } from '../../lib/operations/perform.js';
import { runProgram } from '../support/processes/run-program.js';
import { KeptData, operator, type TestService } from '../support/store/service.js';
import { makeHistory } from '../support/store/history.js';
import { Sqlite } from '../support/store/sqlite.js';

const passphrase = 'correct horse battery staple';

describe('a backup that is checked before it counts as one', function () {
  this.timeout(60_000);
  let history: KeptData;
  let test: TestService;
  let work: string;
  let folder: string;

  before(async () => {
    history = await KeptData.make(makeHistory);
  });
  after(() => history.remove());
  beforeEach(async () => {
    work = await mkdtemp(join(tmpdir(), 'cartulary-checked-'));
    folder = join(work, 'backup');
    test = await history.open();
  });
  afterEach(async () => {
    await test.close();
    await rm(work, { recursive: true, force: true });
  });

  for (const [what, sql, problem] of [
    [
      'a record of the log was changed',
      "UPDATE audit_record SET principal = 'prn_forged' WHERE seq = 5",
      'audit: record 5 was changed: its hash does not match its content.',
    ],
    [
      'a text of the log was changed',
      "UPDATE audit_text SET target = 'nothing.md' WHERE seq = (SELECT max(seq) FROM audit_text)",
      /^audit: record \d+: the text kept for its target is not the one it commits to\.$/,
    ],
    [
      'the end of the log was cut off',
      `DELETE FROM audit_record WHERE seq > 20; DELETE FROM audit_text WHERE seq > 20;
       DELETE FROM audit_checkpoint WHERE seq > 20`,
      /^audit: the chain ends at 20, but record \d+ is one that commit [0-9a-f]{40} bears witness of\.$/,
    ],
    [
      'a row is not what its document is',
      "UPDATE version SET sha256 = 'other' WHERE location = 'said.html'",
      /^documents: said\.html has the SHA-256 [0-9a-f]{64}, and its row says other\.$/,
    ],
    [
      'rows name others that are not there',
      'PRAGMA foreign_keys = OFF; DELETE FROM document WHERE number = 1',
      /^references: \d+ of the rows of "version" name a row of "document" that is not there\.$/,
    ],
  ] as const) {
    it(`is none, and nothing of it stays, where ${what}`, async () => {
      changeRows(sql);
      const { code, details, message } = await refusalOf(backUp());
      assert.ok(code === 'CONFLICT' && details?.reason === 'backup_unsound');
      const { problems } = details;
      const isNamed = (each: string): boolean => (typeof problem === 'string' ? each === problem : problem.test(each));
      assert.ok(problems.some(isNamed), problems.join('\n'));
      assert.match(message, /^No backup was made: what was written to \S+ could not be restored, and was taken away/);
      assert.match(message, /What `cartulary verify` names too is wrong in the workspace itself/);
      assert.equal(existsSync(folder), false);
    });
  }

  it('leaves a folder that was there before, and nothing in it, where a fault was found', async () => {
    changeRows("UPDATE audit_record SET principal = 'prn_forged' WHERE seq = 5");
    await mkdir(folder);
    assert.equal((await refusalOf(backUp())).details?.reason, 'backup_unsound');
    assert.deepEqual(await readdir(folder), []);
  });

  it('has no manifest before the check has passed, and no remains of the check afterwards', async () => {
    const seen = new Set<string>();
    const watched = { isOver: false };
    const done = backUp().finally(() => (watched.isOver = true));
    while (!watched.isOver) {
      const names = existsSync(folder) ? await readdir(folder).catch(() => []) : [];
      seen.add(names.toSorted().join(' '));
      if (names.includes('.checking')) assert.ok(!names.includes('manifest.json'), names.join(' '));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await done;
    const written = 'content.bundle manifest.json.unchecked service.sealed sidecar.sqlite';
    assert.ok(seen.has(`.checking ${written}`), [...seen].join('\n'));
    assert.deepEqual((await readdir(folder)).toSorted(), [
      'content.bundle',
      'manifest.json',
      'service.sealed',
      'sidecar.sqlite',
    ]);
  });

  it('makes the command report the fault loudly, with exit code 1', async () => {
    await test.service.close();
    changeRows("UPDATE audit_record SET action = 'other' WHERE seq = 7");
    const words = join(work, 'words');
    await writeFile(words, passphrase);
    const parameters = ['backup', folder, '--data', test.dataFolder ?? '', '--passphrase-file', words];
    const { code, stdout, stderr } = await runProgram(parameters);
    assert.deepEqual([code, stdout, existsSync(folder)], [1, '', false]);
    assert.match(
      stderr,
      /No backup was made: .*\naudit: record 7 was changed: its hash does not match its content\.\n/,
    );
  });

  const backUp = () => perform(test.workspace, operator, backUpWorkspace, { folder, passphrase, cost: 2 ** 10 });

  function changeRows(sql: string): void {
    const connection = new Sqlite(join(test.dataFolder ?? '', 'acme', 'sidecar.sqlite'));
    connection.exec(sql);
    connection.close();
  }
});
