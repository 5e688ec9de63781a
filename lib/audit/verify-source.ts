import type { KeyObject } from 'node:crypto';
import { exportChain, type ChainSource } from './export.js';
import { ArchiveUnreadable } from './read-archive.js';
import { ChainVerifier, type ChainVerdict, type KnownHead } from './verify.js';

/**
 * Checks a workspace's whole chain where it lies, with its texts, archives and signatures. Others go on meanwhile.
 * @param publicKey left out where it is not known: signatures are then only compared, not checked
 */
export async function verifySource(
  source: ChainSource,
  known: readonly KnownHead[] = [],
  publicKey?: KeyObject,
): Promise<ChainVerdict> {
  const chain = new ChainVerifier(known, { publicKey });
  try {
    for await (const line of exportChain(source, true)) {
      const broken = chain.take(line);
      if (broken !== undefined) return broken;
    }
  } catch (error) {
    if (!(error instanceof ArchiveUnreadable)) throw error;
    return { sound: false, records: chain.head.seq, seq: error.seq, problem: error.message };
  }
  return chain.finish();
}
