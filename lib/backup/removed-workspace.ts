import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncPath } from '../disk/sync-path.js';
import { pathsOf } from '../journal/workspace-paths.js';

/** What is left of a removed workspace: what it was, and by what its exports and clones can still be checked. */
export interface RemovalReceipt {
  readonly workspace: string;
  /** RFC 3339 UTC, like the other times. */
  readonly created_at: string;
  readonly removed_at: string;
  /** Null, like the members after it, where the workspace could not be opened. */
  readonly documents: number | null;
  /** Its newest commit. */
  readonly commit: string | null;
  /** The last record of its audit log. */
  readonly audit: { readonly seq: number; readonly hash: string } | null;
  /** The key for checks of the signatures in its exports, in PEM. */
  readonly audit_key: string | null;
  readonly last_backup_at: string | null;
}

const receiptName = 'removed.json';
const asidePattern = /^\.([a-z0-9][a-z0-9-]{0,38})\.removing$/;
const asideOf = (dataFolder: string, workspace: string): string => join(dataFolder, `.${workspace}.removing`);

/**
 * Sets a workspace's files aside, with the receipt among them. From here on the removal is decided: whatever ends the
 * process now, `endRemovals` goes on. Before, nothing has happened.
 */
export async function setAside(dataFolder: string, receipt: RemovalReceipt): Promise<void> {
  const { folder } = pathsOf(dataFolder, receipt.workspace);
  const aside = asideOf(dataFolder, receipt.workspace);
  // Of an earlier one of the name, whose files could not be deleted.
  await rm(aside, { recursive: true, force: true });
  const isThere = existsSync(folder);
  // An operator has deleted the files by hand: the receipt stands for them.
  const place = isThere ? folder : `${aside}.tmp`;
  if (!isThere) {
    await rm(place, { recursive: true, force: true });
    await mkdir(place, { mode: 0o700 });
  }
  const file = await open(join(place, receiptName), 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(receipt, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await syncPath(place);
  await rename(place, aside);
  await syncPath(dataFolder);
}

/**
 * Ends the removals that were decided: rows first, then the receipt gets its place, then the files go. It can be called
 * again after every interruption.
 * @param forget deletes the rows of this workspace, and of no later one of its name
 * @returns the paths of the receipts
 */
export async function endRemovals(
  dataFolder: string,
  forget: (workspace: string, createdAt: number) => void,
): Promise<string[]> {
  const receipts: string[] = [];
  for (const name of await readdir(dataFolder)) {
    const [, workspace] = asidePattern.exec(name) ?? [];
    if (workspace === undefined) continue;
    const aside = join(dataFolder, name);
    const receipt = await readReceipt(aside);
    if (receipt !== undefined) {
      forget(workspace, Date.parse(receipt.created_at));
      const stamp = receipt.removed_at.replaceAll(':', '-');
      // No workspace has a dot in its name.
      const place = join(dataFolder, `${workspace}.removed-${stamp}.json`);
      await rename(join(aside, receiptName), place);
      await syncPath(dataFolder);
      receipts.push(place);
    }
    await rm(aside, { recursive: true, force: true });
  }
  return receipts;
}

/** Undefined where it has its place already. */
async function readReceipt(aside: string): Promise<RemovalReceipt | undefined> {
  try {
    return JSON.parse(await readFile(join(aside, receiptName), 'utf8')) as RemovalReceipt;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
