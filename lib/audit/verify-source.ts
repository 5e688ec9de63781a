import { exportChain, type ChainSource } from './export.js';
import { ArchiveUnreadable } from './read-archive.js';
import { ChainVerifier, type ChainVerdict, type KnownHead, type VerifyOptions } from './verify-chain.js';

/** Records after which the progress is reported. */
const noted = 500;

/**
 * Checks a workspace's whole chain in place, with its texts, archives and signatures. Others go on meanwhile.
 * @param options without a public key signatures are only compared, not checked
 * @param onProgress gets the number of records checked so far; what it throws ends the check
 */
export async function verifySource(
  source: ChainSource,
  known: readonly KnownHead[] = [],
  options: Pick<VerifyOptions, 'publicKey' | 'restartedFrom'> = {},
  onProgress?: (checked: number) => void,
): Promise<ChainVerdict> {
  const chain = new ChainVerifier(known, options);
  try {
    for await (const line of exportChain(source, true, undefined, (seq) => chain.noteAltered(seq))) {
      const broken = chain.take(line);
      if (broken !== undefined) return broken;
      if ('record' in line && line.record.seq % noted === 0) onProgress?.(line.record.seq);
    }
  } catch (error) {
    if (!(error instanceof ArchiveUnreadable)) throw error;
    return { sound: false, records: chain.head.seq, seq: error.seq, problem: error.message };
  }
  return chain.finish();
}
