import { Readable } from 'node:stream';
import { decodeCommit, type Oid } from '../git/objects/objects.js';
import { readPending } from '../journal/pending-object.js';
import { readAnyObject, type ReadOnlyWorkspace } from './open-data-folder.js';
import type { HistorySource } from './replay-history.js';

/** The history of a read-only workspace. The sidecar's pending commits come after the repository's. */
export function readWithPending(workspace: Pick<ReadOnlyWorkspace, 'sidecar' | 'repository'>): HistorySource {
  const { repository } = workspace;
  const { objects } = workspace.sidecar.reader;
  return {
    read: (oid) => readAnyObject(workspace, oid),
    size: async (oid) => readPending(objects, oid)?.bytes.length ?? repository.size(oid),
    async readStream(oid) {
      if (objects.find(oid) === undefined) return repository.readStream(oid);
      const { bytes } = await readAnyObject(workspace, oid);
      return { size: bytes.length, stream: Readable.from([bytes], { objectMode: false }) };
    },
    async *history(head) {
      const pending: Oid[] = [];
      let at: Oid | undefined = head;
      while (at !== undefined && objects.find(at) !== undefined) {
        pending.push(at);
        at = decodeCommit((await readAnyObject(workspace, at)).bytes).parents[0];
      }
      if (at !== undefined) yield* repository.history(at);
      yield* pending.toReversed();
    },
  };
}
