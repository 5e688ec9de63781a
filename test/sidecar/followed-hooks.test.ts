import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { schemaPath } from '../../lib/app/upgrade.js';
import type { FollowedFile } from '../../lib/sidecar/followed-file.js';
import { openServiceFile } from '../../lib/sidecar/service-file.js';
import { openSidecar } from '../../lib/sidecar/sidecar.js';
import { makeFolder, tidyUp, timeout } from '../support/processes/run-program.js';
import { noteState, pinWhole, readSets, requireSame, send } from './followed.js';

const now = 1_700_000_000_000;

describe('A followed sidecar or service file', function () {
  this.timeout(timeout);

  after(tidyUp);

  it('has nothing of it where it was not opened so, or lies in memory', async () => {
    const folder = await makeFolder();
    const sidecar = openSidecar(join(folder, 'a.sqlite'), schemaPath('sidecar'));
    assert.equal(sidecar.followed, undefined);
    sidecar.close();
    const inMemory = openSidecar(':memory:', schemaPath('sidecar'), false, undefined, true);
    assert.equal(inMemory.followed, undefined);
    inMemory.close();
    const service = openServiceFile(':memory:', schemaPath('service'), true);
    assert.equal(service.followed, undefined);
    service.close();
  });

  it('tells each commit of the journal, and a new beginning after it was opened again', async () => {
    const folder = await makeFolder();
    const file = join(folder, 'a.sqlite');
    const open = () => openSidecar(file, schemaPath('sidecar'), false, undefined, true);
    const sidecar = open();
    const followed = sidecar.followed as FollowedFile;
    const write = (key: string): void => {
      sidecar.sqlTransaction.begin();
      sidecar.writer.meta.set(key, key.repeat(1000));
      sidecar.sqlTransaction.commit();
    };
    const sets = [await send(pinWhole({ followed }))];
    let told = 0;
    followed.onCommit(() => (told += 1));
    write('a');
    write('b');
    assert.equal(told, 2);
    assert.equal(followed.groups, 2);
    const noted = noteState({ file }, folder, 'noted');
    const cut = followed.cut(now);
    assert.ok(cut !== undefined);
    // While pages are read nothing is overwritten below them, and nobody waits for it.
    assert.equal(sidecar.overwriteStale([]), false);
    sets.push(await send(cut));
    await requireSame(await readSets(sets), noted, 'both commits');

    const stale = await sidecar.findStalePages();
    assert.equal(sidecar.overwriteStale([...stale, 1, 2]), true);
    assert.equal(followed.isLost, false);
    assert.equal(followed.groups, 3);
    const overwritten = noteState({ file }, folder, 'overwritten');
    const second = followed.cut(now);
    assert.ok(second !== undefined && [1, 2].every((page) => second.numbers.includes(page)));
    // Nothing but the pin prevents it: the file has everything.
    assert.equal(sidecar.overwriteStale([]), false);
    sets.push(await send(second));
    await requireSame(await readSets(sets), overwritten, 'what was overwritten');
    sidecar.close();
    assert.equal(followed.isClosed, true);
    assert.equal(followed.cut(now), undefined);

    const again = open();
    assert.equal(again.followed?.isLost, true);
    again.close();
  });

  it('of the service loses no commit between two looks, and its log is begun again', async () => {
    const folder = await makeFolder();
    const file = join(folder, 'service.sqlite');
    const service = openServiceFile(file, schemaPath('service'), true);
    const followed = service.followed as FollowedFile;
    const sets = [await send(pinWhole({ followed }))];
    const logged: number[] = [];
    for (let look = 0; look < 6; look++) {
      // More pages than SQLite would leave in a log by itself.
      for (let count = 0; count < 60; count++) service.addKey(`key:${look}:${count}`, Buffer.alloc(60_000, look), 1);
      service.tend?.();
      logged.push(followed.logged);
      const noted = noteState({ file }, folder, `noted-${look}`);
      const cut = followed.cut(now);
      assert.ok(cut !== undefined);
      sets.push(await send(cut));
      await requireSame(await readSets(sets), noted, `look ${look}`);
    }
    assert.equal(followed.isLost, false);
    assert.equal(followed.groups, 360);
    assert.ok(
      statSync(`${file}-wal`).size < 2 * Math.max(...logged) * 4120 && Math.max(...logged) < 3 * Math.min(...logged),
    );
    service.close();
  });
});
