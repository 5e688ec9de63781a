import assert from 'node:assert/strict';
import { rebuild } from '../../lib/operations/workspaces/rebuild.js';
import { requireSound } from '../support/store/evidence.js';
import { createAsBefore } from '../support/store/as-before.js';
import { addClient } from '../support/store/client.js';
import { openTestService, operator } from '../support/store/service.js';
import { dumpContent } from '../support/store/history.js';

describe('A workspace with names that are now forbidden', () => {
  it('is sound, and its rows are made again from its history', async () => {
    const test = await openTestService({ store: 'disk' });
    try {
      const { workspace } = test;
      const dataFolder = test.dataFolder ?? '';
      const ada = await addClient({ service: test, workspace }, 'Ada', 'approver');
      for (const name of ['own\u200b.md', 'own.md ', 'a\u202eb/c.md', 'a\u{e0041}.md', ' blank']) {
        await createAsBefore(workspace, `old/${name}`, { labels: ['draft\u200b'] });
        await ada.update(`old/${name}`, 'more');
      }
      await ada.delete('old/own.md ');
      await ada.rename('old/a\u202eb', 'plain');
      await ada.move('old/ blank', 'elsewhere');
      await ada.undelete('old/own.md ');
      await requireSound(workspace, dataFolder);
      const before = dumpContent(dataFolder);
      const report = await rebuild(workspace, operator);
      assert.deepEqual(report?.problems, []);
      assert.deepEqual(dumpContent(dataFolder), before);
      assert.equal(await ada.read('elsewhere/ blank'), 'more');
    } finally {
      await test.close();
    }
  });
});
