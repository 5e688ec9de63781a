import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { folderKind } from '../../lib/connectors/folder/folder-kind.js';
import type { Remote } from './remote.js';
import { describeKind } from './suite.js';

/** A folder of this machine. */
export function makeFolder(folder: string): Promise<Remote> {
  const at = (path: string): string => join(folder, path);
  const prepare = (path: string): Promise<unknown> => mkdir(dirname(at(path)), { recursive: true });
  return Promise.resolve({
    settings: { path: folder },
    secret: null,
    allowance: { folders: [dirname(folder)] },
    async put(path, content) {
      await prepare(path);
      await writeFile(at(path), content);
    },
    remove: (path) => rm(at(path)),
    async move(from, to) {
      await prepare(to);
      await rename(at(from), at(to));
    },
    publish: () => Promise.resolve(),
    vanish: () => rm(folder, { recursive: true }),
    close: () => Promise.resolve(),
  });
}

describeKind('folder', makeFolder, {
  kind: folderKind,
  probes: false,
  keepsIds: true,
  keepsVersions: false,
  goneAs: ['not_found'],
});
