import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where disks were mounted when a folder was last walked. */
export interface Mounts {
  /** The walked folder. */
  readonly root: string;
  /** Folders below the root by their paths; '' is the root itself. */
  readonly at: readonly string[];
}

const fileName = 'mounts.json';

/**
 * What the last walk of a folder remembered. It is no cursor: a sync forgets its cursor when something could not be
 * read, and a disk that is not mounted is just that.
 * @param folder the connector's own
 */
export async function recallMounts(folder: string, root: string): Promise<ReadonlySet<string>> {
  try {
    const known = JSON.parse(await readFile(join(folder, fileName), 'utf8')) as Mounts;
    return new Set(known.root === root ? known.at : []);
  } catch {
    // It can be made again, by the next walk.
    return new Set();
  }
}

/** Remembers them for the next walk. */
export async function rememberMounts(folder: string, mounts: Mounts): Promise<void> {
  const path = join(folder, fileName);
  await writeFile(`${path}.new`, JSON.stringify(mounts), { mode: 0o600 });
  await rename(`${path}.new`, path);
}
