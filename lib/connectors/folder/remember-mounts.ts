import type { SourceMemory } from '../source.js';

/** Where disks were mounted when a folder was last walked. */
export interface Mounts {
  /** The walked folder. */
  readonly root: string;
  /** Folders below the root by their paths; '' is the root itself. */
  readonly at: readonly string[];
}

/**
 * What the last walk of a folder remembered. It is no cursor: a sync forgets its cursor when something could not be
 * read, and a disk that is not mounted is just that.
 */
export function recallMounts(memory: SourceMemory, root: string): ReadonlySet<string> {
  const text = memory.read();
  if (text === null) return new Set();
  const known = JSON.parse(text) as Mounts;
  return new Set(known.root === root ? known.at : []);
}

/** Remembers them for the next walk. */
export async function rememberMounts(memory: SourceMemory, { root, at }: Mounts): Promise<void> {
  const text = JSON.stringify({ root, at: at.toSorted() });
  if (text !== memory.read()) await memory.write(text);
}
