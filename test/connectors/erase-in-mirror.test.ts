import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseLocation } from '../../lib/domain/location.js';
import { eraseDocument } from '../../lib/operations/documents/erase-document.js';
import { SyncingService } from '../support/connectors/syncing-service.js';
import { mountDisk, unmountAll } from '../support/processes/obstacles.js';
import { eraseAt } from '../support/store/erase-at.js';
import { Client } from '../support/store/client.js';

describe('An erase in a mirror', function () {
  this.timeout(30_000);

  it('is final: the next syncs do not bring the file back, not even where it has changed', async () => {
    const service = await SyncingService.open();
    try {
      const path = join(service.outside, 'shared');
      await mkdir(path);
      await writeFile(join(path, 'a.md'), 'stays\n');
      await writeFile(join(path, 'b.md'), 'erased\n');
      const id = await service.connect({ kind: 'folder', settings: { path } });
      const ada = new Client(service.workspace, (await service.test.person('approver')).id);
      const { id: documentId } = await ada.record('docs/b.md');
      const location = parseLocation('docs/b.md');
      await ada.perform(eraseDocument, { location, documentId, confirmation: 'b.md' });
      assert.equal((await service.sync(id)).counts.created, 0);
      await writeFile(join(path, 'b.md'), 'erased, and changed since\n');
      await service.sync(id);
      assert.deepEqual(await service.texts(), { 'docs/a.md': 'stays\n' });
      await service.restart();
      await service.sync(id);
      assert.deepEqual(await service.texts(), { 'docs/a.md': 'stays\n' });
    } finally {
      await service.close();
    }
  });

  it('leaves known where drives were mounted, so that one that is away then keeps its documents', async function () {
    const service = await SyncingService.open();
    try {
      const path = join(service.outside, 'shared');
      await mkdir(path);
      mountDisk(this, join(path, 'drive'), 1);
      await writeFile(join(path, 'drive', 'a.md'), 'on the drive\n');
      await writeFile(join(path, 'b.md'), 'erased\n');
      await writeFile(join(path, 'c.md'), 'stays\n');
      const id = await service.connect({ kind: 'folder', settings: { path } });
      const erasure = await eraseAt(service.workspace, 'docs/b.md');
      await service.workspace.eraser.finished(erasure.id);
      unmountAll();
      await service.sync(id);
      assert.deepEqual(await service.texts(), { 'docs/c.md': 'stays\n', 'docs/drive/a.md': 'on the drive\n' });
    } finally {
      unmountAll();
      await service.close();
    }
  });
});
