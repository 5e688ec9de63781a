import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** To other accounts. */
const closed = { mode: 0o600 };

/** What git reads beside the objects is ours: neither graphs nor indexes that a stranger wrote are believed. */
const configuration = `[core]
\trepositoryformatversion = 0
\tbare = true
\tcommitGraph = false
\tmultiPackIndex = false
[pack]
\tuseBitmaps = false
`;

/** Lays out a repository without objects and branches in a folder that is there. */
export async function layOutRepository(folder: string): Promise<void> {
  await mkdir(join(folder, 'objects', 'info'), { recursive: true, mode: 0o700 });
  await mkdir(join(folder, 'refs'), { mode: 0o700 });
  await writeFile(join(folder, 'config'), configuration, closed);
  await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/main\n', closed);
}
