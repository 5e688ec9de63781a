import assert from 'node:assert/strict';
import { chmodSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyWorkspace } from '../../lib/integrity/verify-workspace.js';
import { addClient } from '../support/store/client.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('Verification of a repository with a damaged index', () => {
  let service: TestService;

  beforeEach(async () => {
    service = await openTestService({ store: 'disk' });
    const ada = await addClient({ service, workspace: service.workspace }, 'Ada', 'approver');
    for (let number = 0; number < 5; number += 1) {
      await ada.create(`f/${number}.md`, `text ${number}`);
      await service.workspace.checkpointer.run();
    }
  });
  afterEach(() => service.close());

  it('names the file, and leads to no restore', async () => {
    const dataFolder = service.dataFolder ?? '';
    const packs = join(dataFolder, 'acme', 'content.git', 'objects', 'pack');
    const file = join(packs, readdirSync(packs).find((name) => name.endsWith('.idx')) ?? '');
    chmodSync(file, 0o600);
    const bytes = readFileSync(file);
    bytes[1060] = (bytes[1060] ?? 0) ^ 0x55;
    writeFileSync(file, bytes);
    const { problems } = await verifyWorkspace({ dataFolder, name: 'acme', git: 'auto' }, () => undefined);
    assert.deepEqual(
      problems.filter(({ part }) => part === 'index').map(({ message }) => message),
      [`${file} is damaged.`],
    );
    for (const { part, remedy } of problems) {
      assert.match(remedy, /start/iu, part);
      assert.doesNotMatch(remedy, /cartulary restore/, part);
    }
  });
});
