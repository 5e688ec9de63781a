import type { FoundContent } from '../../history/project.js';
import type { StagedBlobs } from '../../journal/staging.js';
import type { Workspace } from '../../workspace/workspace.js';

/** Contents stored for a write that comes later. */
export interface ContentStage {
  /** Stores a content. It is durable after the next `flush`. @throws the source's errors */
  add(content: AsyncIterable<Uint8Array>): Promise<FoundContent>;
  /** Resolves when everything added is durable. */
  flush(): Promise<void>;
  /** Drops what no version refers to. Never throws. */
  release(): Promise<void>;
}

export function openContentStage({ staging }: Workspace): ContentStage {
  const held: StagedBlobs = [];
  return {
    async add(content) {
      const { oid, sha256, size, isText } = await staging.stage(content, held);
      return { blobOid: oid, sha256, size, kind: isText ? 'text' : 'binary' };
    },
    flush: () => Promise.resolve(),
    release: () => staging.release(held),
  };
}
