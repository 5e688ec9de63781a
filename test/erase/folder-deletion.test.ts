import assert from 'node:assert/strict';
import { verifyWorkspace } from '../../lib/integrity/verify-workspace.js';
import { rebuild } from '../../lib/operations/workspaces/rebuild.js';
import { outcomeOf } from '../support/store/actor.js';
import { addClient, type Client } from '../support/store/client.js';
import { eraseAt } from '../support/store/erase-at.js';
import { dumpContent } from '../support/store/history.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';

describe('The erase of a document that went with a folder', () => {
  let service: TestService;
  let ada: Client;

  beforeEach(async () => {
    service = await openTestService({ store: 'disk-without-git' });
    ada = await addClient({ service, workspace: service.workspace }, 'Ada', 'approver');
  });
  afterEach(() => service.close());

  it('leaves rows that follow from the history where an undelete had left it alone', async () => {
    for (const place of ['f/x.md', 'f/y.md']) await ada.create(place, place);
    const { id: documentId } = await ada.record('f/x.md');
    await ada.deleteFolder('f');
    await ada.create('f/x.md', 'in its place');
    assert.equal((await ada.undeleteFolder('f')).leftAlone.length, 1);
    await erase('f/x.md', { isDeleted: true, documentId });
    await requireSound();
    assert.equal(await outcomeOf(ada.undeleteFolder('f')), 'NOT_FOUND');
  });

  it('leaves rows that follow from the history where an undelete had brought it back', async () => {
    for (const place of ['f/b.md', 'f/c.md']) await ada.create(place, place);
    await ada.deleteFolder('f');
    await ada.undelete('f/c.md');
    assert.equal((await ada.undeleteFolder('f')).documents, 1);
    await erase('f/b.md');
    await requireSound();
  });

  it('leaves what else went with it, to come back as one', async () => {
    for (const place of ['f/b.md', 'f/c.md']) await ada.create(place, place);
    await ada.createFolder('f/kept');
    await ada.deleteFolder('f');
    await erase('f/b.md', { isDeleted: true });
    await requireSound();
    assert.equal((await ada.undeleteFolder('f')).documents, 1);
    assert.deepEqual(await ada.list('f'), ['kept/', 'c.md']);
    await requireSound();
  });

  it('leaves folders that were made to stay, to come back alone', async () => {
    await ada.create('f/b.md', 'b');
    await ada.createFolder('f/kept');
    await ada.deleteFolder('f');
    await erase('f/b.md', { isDeleted: true });
    await requireSound();
    assert.equal((await ada.undeleteFolder('f')).documents, 0);
    assert.deepEqual(await ada.list('f'), ['kept/']);
    await requireSound();
  });

  async function erase(location: string, options: Parameters<typeof eraseAt>[2] = {}): Promise<void> {
    await service.workspace.eraser.finished((await eraseAt(service.workspace, location, options)).id);
  }

  async function requireSound(): Promise<void> {
    const dataFolder = service.dataFolder ?? '';
    const { problems } = await verifyWorkspace({ dataFolder, name: 'acme', git: 'never' }, () => undefined);
    assert.deepEqual(problems, []);
    const live = dumpContent(dataFolder);
    await rebuild(service.workspace, operator);
    assert.deepEqual(dumpContent(dataFolder), live);
  }
});
