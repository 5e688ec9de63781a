import { join } from 'node:path';

/** Folders of a workspace whose files are stored as objects. */
export interface FileFolders {
  readonly repository: string;
  readonly archives: string;
}

/** Where the file of an object lies. @param name below the life, such as `packs/pack-1f….pack` */
export function locateFile({ repository, archives }: FileFolders, name: string): string {
  const [kind, file = ''] = name.split('/');
  if (kind === 'packs') return join(repository, 'objects', 'pack', file);
  if (kind === 'blobs') return join(repository, 'objects', file.slice(0, 2), file.slice(2));
  return join(archives, file);
}
