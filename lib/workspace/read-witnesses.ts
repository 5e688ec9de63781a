import type { KnownHead } from '../audit/verify.js';
import { describeError } from '../domain/describe-error.js';
import { invalidRequest } from '../domain/refusal.js';
import { openClone } from '../git/clone.js';
import { decodeHistory } from './decode-history.js';
import { findAuditHead, findVersion } from './trailers.js';

/**
 * What the commits of a clone say of the audit chain. A clone was made before whatever happened to the chain since, so
 * it is evidence that nobody on this side can have changed.
 * @param folder the clone's
 * @throws Refusal INVALID_REQUEST `bad_clone` when it cannot be read
 */
export async function readCloneWitnesses(folder: string): Promise<KnownHead[]> {
  try {
    return await readWitnesses(folder);
  } catch (error) {
    throw invalidRequest('bad_clone', `The clone cannot be read: ${describeError(error)}`, { field: 'clone' });
  }
}

async function readWitnesses(folder: string): Promise<KnownHead[]> {
  const { repository, head } = await openClone(folder);
  const witnesses: KnownHead[] = [];
  try {
    for await (const commits of decodeHistory(repository, head)) {
      for (const { oid, commit } of commits) {
        const found = findAuditHead(commit.message);
        if (found === undefined) continue;
        witnesses.push({ ...found, commit: findVersion(commit.message) ?? oid, witness: `commit ${oid}` });
      }
    }
  } finally {
    await repository.close();
  }
  return witnesses;
}
