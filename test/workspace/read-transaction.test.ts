import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { schemaPath } from '../../lib/app/upgrade.js';
import { openSidecar, type Sidecar } from '../../lib/sidecar/sidecar.js';
import { Sqlite, type Connection } from '../support/store/sqlite.js';

describe('Reading the sidecar', () => {
  let folder: string;
  let sidecar: Sidecar;
  let other: Connection;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cartulary-reads-'));
    const file = join(folder, 'sidecar.sqlite');
    sidecar = openSidecar(file, schemaPath('sidecar'));
    other = new Sqlite(file, { timeout: 0 });
  });
  afterEach(() => {
    sidecar.close();
    other.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('shows a commit at once, after any reads in the same turn of the event loop', () => {
    assert.equal(read(), undefined);
    commit('first');
    assert.equal(read(), 'first');
    commit('second');
    assert.equal(read(), 'second');
  });

  it('shows nothing uncommitted, and all of it as soon as it is committed, also in the middle of a turn', () => {
    sidecar.sqlTransaction.begin();
    sidecar.writer.meta.set('word', 'first');
    assert.equal(read(), undefined);
    sidecar.sqlTransaction.commit();
    assert.equal(read(), 'first');
  });

  it('shows one state throughout a turn of the event loop, and the newest one in the next', async () => {
    commit('first');
    assert.equal(read(), 'first');
    commitElsewhere('second');
    assert.equal(read(), 'first');
    await nextTurn();
    assert.equal(read(), 'second');
  });

  it('holds up no checkpoint of the log when the service is idle', async () => {
    commit('first');
    assert.equal(read(), 'first');
    commitElsewhere('second');
    const isHeldUp = (): boolean => (other.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[])[0]?.busy === 1;
    assert.equal(isHeldUp(), true);
    await nextTurn();
    assert.equal(isHeldUp(), false);
  });

  it('does not block the overwriting of an erase’s remains', () => {
    commit('first');
    assert.equal(read(), 'first');
    assert.equal(sidecar.overwriteStale([]), true);
    assert.equal(read(), 'first');
  });

  it('may be in the middle of a read when the file is closed', async () => {
    assert.equal(read(), undefined);
    sidecar.close();
    await nextTurn();
    sidecar = openSidecar(join(folder, 'sidecar.sqlite'), schemaPath('sidecar'));
    assert.equal(read(), undefined);
  });

  it('carries a long write-ahead log into the file beside it, and leaves a short one to those who empty it', async () => {
    const file = join(folder, 'sidecar.sqlite');
    commit('short');
    await sidecar.checkpointWal();
    assert.ok(!readFileSync(file).includes('short'));
    commit('long'.repeat(500_000));
    await sidecar.checkpointWal();
    assert.ok(readFileSync(file).includes('long'.repeat(100)));
  });

  const read = (): string | undefined => sidecar.reader.meta.get('word');

  const commit = (word: string): void => {
    sidecar.sqlTransaction.begin();
    sidecar.writer.meta.set('word', word);
    sidecar.sqlTransaction.commit();
  };

  const commitElsewhere = (word: string): void => {
    other.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)').run('word', word);
  };
});
