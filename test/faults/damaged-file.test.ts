import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFaults, ReadinessProbe } from '../../lib/app/check-readiness.js';
import { addClient } from '../support/store/client.js';
import { openTestService } from '../support/store/service.js';

describe('A damaged file that maintenance meets', () => {
  it('is reported once by its name, and shown to those who run the service, which stays ready', async () => {
    const faults: string[] = [];
    const service = await openTestService({ store: 'disk', onFault: (what) => void faults.push(what) });
    try {
      const { workspace, clock } = service;
      const ada = await addClient({ service, workspace }, 'Ada', 'approver');
      const { current } = await ada.create('large.bin', `\0${'x'.repeat(2 * 1024 * 1024)}`);
      await workspace.checkpointer.run();
      const path = `objects/${current.blobOid.slice(0, 2)}/${current.blobOid.slice(2)}`;
      const file = join(service.dataFolder ?? '', 'acme', 'content.git', path);
      chmodSync(file, 0o600);
      const bytes = readFileSync(file);
      const middle = Math.floor(bytes.length / 2);
      bytes[middle] = (bytes[middle] ?? 0) ^ 0x55;
      writeFileSync(file, bytes);
      for (let round = 0; round < 2; round += 1) await workspace.maintainer.run();
      assert.deepEqual(
        faults.filter((what) => what.includes(path)),
        [`${path} in content.git of acme is damaged; \`cartulary verify\` says what it held`],
      );
      assert.deepEqual(findFaults([workspace]), [{ workspace: 'acme', obstacle: `${path} is damaged` }]);
      const parts = { dataFolder: null, disk: null, clock, opened: () => [workspace], countFaulty: () => 0 };
      const { isReady, repository } = await new ReadinessProbe(parts).read();
      assert.deepEqual([isReady, repository], [true, 'faulty']);
    } finally {
      await service.close();
    }
  });
});
