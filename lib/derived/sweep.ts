import type { DerivedFolder, DerivedFolders } from './derived-folders.js';

/** Milliseconds for which an unused repository stays on disk. */
const keptFor = 30 * 24 * 60 * 60 * 1000;
/** Milliseconds for which one stays over the budget after its use, so that a client can go on with what it began. */
const usedLately = 60 * 60 * 1000;

export interface SweepOptions {
  readonly folders: DerivedFolders;
  /** Bytes that all repositories may take. */
  readonly budget: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether the principal reads anything by a derived repository. */
  readonly mayRead: (principalId: string) => boolean;
  /** Whether the repository is being read. */
  readonly isHeld: (principalId: string) => boolean;
  readonly destroy: (principalId: string) => Promise<void>;
}

/**
 * Destroys the repositories that nobody may read any more, those not used for long, and then the least recently used
 * ones until the others fit into the budget. What is being read stays, unless its principal lost everything.
 */
export async function sweepDerived(options: SweepOptions): Promise<void> {
  const { folders, budget, now, mayRead, isHeld, destroy } = options;
  const kept: DerivedFolder[] = [];
  for (const principalId of await folders.list()) {
    if (!mayRead(principalId)) {
      await destroy(principalId);
      continue;
    }
    const folder = await folders.measure(principalId);
    if (folder === undefined || isHeld(principalId)) continue;
    if (folder.usedAt + keptFor <= now) await destroy(principalId);
    else kept.push(folder);
  }
  let bytes = kept.reduce((sum, each) => sum + each.bytes, 0);
  for (const { principalId, bytes: own, usedAt } of kept.toSorted((a, b) => a.usedAt - b.usedAt)) {
    if (bytes <= budget || usedAt + usedLately > now) break;
    await destroy(principalId);
    bytes -= own;
  }
}
