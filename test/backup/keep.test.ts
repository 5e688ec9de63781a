import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { chooseKept, type Retention } from '../../lib/backup/choose-kept.js';
import { finishRemovals, removeBackup, type FoundBackup } from '../../lib/backup/find-backups.js';
import { ask, makeFolder, runProgram, tidyUp, timeout, type Outcome } from '../support/processes/run-program.js';

const hour = 60 * 60 * 1000;
const none: Retention = { last: 0, daily: 0, weekly: 0, monthly: 0 };

describe('The backups that a schedule keeps', () => {
  it('are the newest of each day, week and month, in UTC', () => {
    const moments = [
      '2026-12-31T23:59',
      '2027-01-01T00:00',
      '2027-01-03T22:00',
      '2027-01-04T02:00',
      '2027-01-04T03:00',
    ];
    const chosen = (retention: Partial<Retention>): string[] => {
      const kept = chooseKept(moments.map(at), { ...none, ...retention });
      return moments.filter((moment) => kept.has(at(moment)));
    };
    assert.deepEqual(chosen({ last: 2 }), ['2027-01-04T02:00', '2027-01-04T03:00']);
    assert.deepEqual(chosen({ daily: 2 }), ['2027-01-03T22:00', '2027-01-04T03:00']);
    // The third of January 2027 is a Sunday.
    assert.deepEqual(chosen({ weekly: 5 }), ['2027-01-03T22:00', '2027-01-04T03:00']);
    assert.deepEqual(chosen({ monthly: 2 }), ['2026-12-31T23:59', '2027-01-04T03:00']);
    assert.deepEqual(chosen({ last: 1, monthly: 2 }), ['2026-12-31T23:59', '2027-01-04T03:00']);
  });

  it('are at most as many as the rules say, with the newest among them, whatever the times', () => {
    const count = fc.nat({ max: 4 });
    const retention = fc.record({ last: count, daily: count, weekly: count, monthly: count });
    const moments = fc.array(fc.integer({ min: 0, max: 2000 * 24 }), { minLength: 1 });
    fc.assert(
      fc.property(moments, retention, (hours, rules) => {
        const taken = hours.map((each) => each * hour);
        const kept = chooseKept(taken, rules);
        const most = rules.last + rules.daily + rules.weekly + rules.monthly;
        assert.ok(kept.size <= most);
        assert.equal(kept.has(Math.max(...taken)), most > 0);
        for (const each of kept) assert.ok(taken.includes(each));
      }),
    );
  });

  const at = (text: string): number => Date.parse(`${text}:00Z`);
});

describe('The removal of a backup', () => {
  after(tidyUp);

  it('removing a backup removes its files and its folder', async () => {
    const { place, backup } = await makeBackup();
    await removeBackup(backup);
    assert.deepEqual(readdirSync(place), []);
  });

  it('follows no link in the place of the backup, or of its archives', async () => {
    for (const replaced of ['', 'audit']) {
      const { place, backup } = await makeBackup();
      const elsewhere = join(place, 'elsewhere');
      renameSync(join(backup.folder, replaced), elsewhere);
      const present = readdirSync(elsewhere);
      symlinkSync(elsewhere, join(backup.folder, replaced));
      // Systems say of a link that it is one, or that it is no folder.
      await assert.rejects(removeBackup(backup), /symbolic link|ENOTDIR/);
      assert.deepEqual(readdirSync(elsewhere), present, replaced);
    }
  });

  it('leaves a file that is none of a backup, also after an interruption', async () => {
    const { place, backup } = await makeBackup();
    writeFileSync(join(backup.folder, 'note.txt'), 'Keep this one.');
    await assert.rejects(removeBackup(backup), { code: 'ENOTEMPTY' });
    const gone = `${backup.folder}.removing`;
    assert.deepEqual(readdirSync(gone), ['note.txt']);
    await assert.rejects(finishRemovals(place), { code: 'ENOTEMPTY' });
    rmSync(join(gone, 'note.txt'));
    await finishRemovals(place);
    assert.deepEqual(readdirSync(place), []);
  });

  /** A folder with files of a backup, which another account may change. */
  async function makeBackup(): Promise<{ readonly place: string; readonly backup: FoundBackup }> {
    const place = await makeFolder();
    const folder = join(place, '2027-01-31T02-00-00Z');
    mkdirSync(join(folder, 'audit'), { recursive: true });
    for (const name of ['sidecar.sqlite', 'manifest.json', 'audit/main-1.jsonl.gz'])
      writeFileSync(join(folder, name), '');
    return { place, backup: { folder, state: 'complete', manifest: null } };
  }
});

describe('`cartulary backup --into`', function () {
  this.timeout(timeout);

  const environment = { CARTULARY_PASSPHRASE: 'a phrase of words' };
  let folder: string;
  let into: string;
  let data: string;

  before(async () => {
    folder = await makeFolder();
    [into, data] = [join(folder, 'backups'), join(folder, 'data')];
    for (const name of ['acme', 'zeta']) await ask('init', '--workspace', name, '--admin', 'Ada', '--data', data);
  });
  after(tidyUp);

  it('makes a backup of each workspace, keeps what the rules say, and removes nothing else', async () => {
    const first = await backUp();
    assert.equal(first.code, 0, first.stderr);
    assert.match(
      first.stdout,
      /^acme: made \S+\/acme\/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ \([^)]+\)\nzeta: made \S+\/zeta\//,
    );
    const [today = ''] = listed('acme');
    const source = join(into, 'acme', today);
    const { taken_at, audit } = JSON.parse(readFileSync(join(source, 'manifest.json'), 'utf8')) as {
      readonly taken_at: string;
      readonly audit: { readonly seq: number; readonly hash: string };
    };
    const before = (days: number): { readonly taken_at: string } => ({
      taken_at: new Date(Date.parse(taken_at) - days * 24 * hour).toISOString(),
    });
    const [yesterday, older, old] = [1, 2, 3].map((days) => copy(source, `before-${days}`, before(days)));
    const strange = [
      copy(source, 'of-another-chain', { ...before(9), audit: { ...audit, hash: '0'.repeat(64) } }),
      copy(source, 'of-a-longer-chain', { ...before(9), audit: { ...audit, seq: audit.seq + 1000 } }),
      copy(source, 'of-another-name', { ...before(9), workspace: 'zeta' }),
      copy(source, 'with-a-note', before(9)),
      copy(source, 'without-a-time', { taken_at: 'soon' }),
      'unfinished',
      'of-somebody',
    ];
    writeFileSync(join(into, 'acme', 'with-a-note', 'note.txt'), 'Keep this one.');
    mkdirSync(join(into, 'acme', 'of-somebody'));
    mkdirSync(join(into, 'acme', 'unfinished'));
    writeFileSync(join(into, 'acme', 'unfinished', 'manifest.json.unchecked'), '{}');
    symlinkSync(source, join(into, 'acme', 'link'));
    // An interrupted removal.
    mkdirSync(join(into, 'acme', '2020-01-01T00-00-00Z.removing'));
    writeFileSync(join(into, 'acme', '2020-01-01T00-00-00Z.removing', 'sidecar.sqlite'), '');

    const present = listed('acme');
    const dry = await backUp('--keep-daily', '3', '--dry-run', '--workspace', 'acme');
    assert.equal(dry.code, 0, dry.stderr);
    const gone = [today, old].map((name) => `acme: would remove ${join(into, 'acme', name ?? '')}`);
    assert.deepEqual(
      dry.stdout
        .split('\n')
        .filter((line) => line.includes('would remove'))
        .toSorted(),
      gone.toSorted(),
    );
    assert.deepEqual(listed('acme'), present);

    const second = await backUp('--keep-daily', '3', '--workspace', 'acme');
    assert.equal(second.code, 0, second.stderr);
    const made = /made \S+\/acme\/(\S+)/.exec(second.stdout)?.[1] ?? '';
    assert.deepEqual(listed('acme'), [made, yesterday ?? '', older ?? '', 'link', ...strange].toSorted());
    for (const said of [
      'of-another-chain stays: it is of another workspace of this name: their audit logs differ.',
      'of-a-longer-chain stays: its audit log goes beyond the one of this workspace.',
      'of-another-name stays: it is of the workspace zeta.',
      'with-a-note stays: it also holds note.txt.',
      'without-a-time stays: its manifest cannot be read.',
      'unfinished stays: it is unfinished; remove it by hand when no backup runs.',
    ]) {
      assert.ok(second.stdout.includes(said), `${said}\n${second.stdout}`);
    }
    const { items } = await ask<{ items: { state: string; workspace: string | null }[] }>('backup', 'list', into);
    const states = items.map(({ state, workspace }) => `${workspace} ${state}`).toSorted();
    assert.deepEqual([...new Set(states)], ['acme complete', 'null unfinished', 'zeta complete']);
    for (const name of strange) rmSync(join(into, 'acme', name), { recursive: true });
  });

  it('goes on with the others where one workspace cannot be backed up, and fails', async () => {
    const place = join(data, 'zeta', 'sidecar.sqlite');
    const kept = readFileSync(place);
    writeFileSync(place, 'no database');
    const count = listed('acme').length;
    const { code, stdout, stderr } = await backUp();
    assert.equal(code, 1);
    assert.match(stdout, /^acme: made /);
    assert.match(stderr, /^cartulary: zeta: file is not a database/m);
    assert.equal(listed('acme').length, count + 1);
    writeFileSync(place, kept);
  });

  it('is checked by `backup check`, as a restore does, and nothing of the check remains', async () => {
    const temporary = await makeFolder();
    const check = (passphrase = environment.CARTULARY_PASSPHRASE): Promise<Outcome> =>
      runProgram(['backup', 'check', into], { environment: { CARTULARY_PASSPHRASE: passphrase, TMPDIR: temporary } });
    const sound = await check();
    assert.equal(sound.code, 0, sound.stderr);
    assert.match(sound.stdout, /^acme: sound; \S+, taken at \S+ by \S+\nzeta: sound; /);
    const wrong = await check('another phrase of words');
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /service\.sealed does not open/);
    const newest = join(into, 'zeta', listed('zeta').at(-1) ?? '', 'sidecar.sqlite');
    const bytes = readFileSync(newest);
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
    writeFileSync(newest, bytes);
    const damaged = await check();
    assert.equal(damaged.code, 1);
    assert.match(damaged.stdout, /^acme: sound; .*\nBROKEN: \S+\/zeta\//);
    assert.match(damaged.stderr, /sidecar\.sqlite was changed/);
    assert.deepEqual(readdirSync(temporary), []);
    const none = await runProgram(['backup', 'check', temporary], { environment });
    assert.deepEqual([none.code, existsSync(temporary)], [2, true]);
  });

  it('refuses rules without it, and numbers that are none', async () => {
    const calls = [
      ['backup', join(folder, 'one'), '--keep-last', '3', '--data', data],
      ['backup', join(folder, 'one'), '--into', into, '--data', data],
      ['backup', '--data', data],
      ['backup', '--into', into, '--keep-last', 'all', '--data', data],
      ['backup', '--into', join(data, 'inside'), '--data', data],
    ];
    for (const call of calls) assert.equal((await runProgram(call, { environment })).code, 2, call.join(' '));
    assert.equal(existsSync(join(folder, 'one')), false);
  });

  const backUp = (...options: string[]): Promise<Outcome> =>
    runProgram(['backup', '--into', into, '--data', data, ...options], { environment });

  const listed = (name: string): string[] => readdirSync(join(into, name)).toSorted();

  /** Copies the backup, with other facts in its manifest. @returns the copy's name */
  function copy(of: string, name: string, facts: object): string {
    const place = join(into, 'acme', name);
    cpSync(of, place, { recursive: true });
    const manifest = JSON.parse(readFileSync(join(place, 'manifest.json'), 'utf8')) as object;
    writeFileSync(join(place, 'manifest.json'), JSON.stringify({ ...manifest, ...facts }));
    return name;
  }
});
