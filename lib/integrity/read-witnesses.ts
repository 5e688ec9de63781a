import { emptyChain } from '../audit/chain.js';
import type { KnownHead } from '../audit/verify-chain.js';
import { describeError } from '../domain/describe-error.js';
import { invalidRequest } from '../domain/refusal.js';
import { openClone } from '../git/sources/clone.js';
import { decodeHistory } from '../history/read-history.js';
import { findAuditHead, findRestart, findVersion } from '../history/trailers.js';

/**
 * The heads of the audit chain in the commits of a clone. The clone is older than later changes of the chain. So it is
 * evidence that a person with access to this machine cannot have changed.
 * @param folder the clone's
 * @returns one head for each commit, in the order of the history; number 0 for a commit that names none
 * @throws Refusal INVALID_REQUEST `bad_clone` when it cannot be read, or no commit of it names a place of the chain
 */
export async function readCloneWitnesses(folder: string): Promise<KnownHead[]> {
  const witnesses = await readWitnesses(folder).catch((error: unknown) => {
    throw invalidRequest('bad_clone', `The clone cannot be read: ${describeError(error)}`, { field: 'clone' });
  });
  if (witnesses.some(({ seq }) => seq > 0)) return witnesses;
  throw invalidRequest('bad_clone', 'The clone proves nothing: none of its commits names a record of the audit log.', {
    field: 'clone',
  });
}

async function readWitnesses(folder: string): Promise<KnownHead[]> {
  const { repository, head, close } = await openClone(folder);
  const witnesses: KnownHead[] = [];
  try {
    for await (const commits of decodeHistory(repository, head)) {
      for (const { oid, commit } of commits) {
        const { message } = commit;
        const restartedFrom = findRestart(message);
        witnesses.push({
          ...(findAuditHead(message) ?? emptyChain),
          commit: findVersion(message) ?? oid,
          witness: `commit ${oid}`,
          ...(restartedFrom === undefined ? {} : { restartedFrom }),
        });
      }
    }
  } finally {
    await close();
  }
  return witnesses;
}
