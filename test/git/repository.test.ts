import { join } from 'node:path';
import { createRepository, inMemory } from '../../lib/git/repositories/open-repository.js';
import { TemporaryFolders } from '../support/git/fixture.js';
import { describeRepository } from './repository-suite.js';

describe('the storage suite', () => {
  const folders = new TemporaryFolders();
  after(() => folders.remove());

  async function createOnDisk(git: 'auto' | 'never'): ReturnType<typeof createRepository> {
    return createRepository({ path: join(await folders.make(), 'content.git'), git });
  }

  describeRepository('disk, read with the git program', () => createOnDisk('auto'));
  describeRepository('disk, read without the git program', () => createOnDisk('never'));
  describeRepository('memory', () => createRepository({ path: inMemory, git: 'never' }));
});
