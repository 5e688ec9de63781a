import { readTitle } from '../access/read-policy.js';
import { readHead, type ChainHead } from '../audit/chain.js';
import { measureDerived } from '../derived/derived-folders.js';
import type { RepositoryStats } from '../git/repositories/repository.js';
import type { BesideSizes, Totals } from '../sidecar/totals.js';
import { obstacleOf } from '../disk/obstacle.js';
import { describeStoppedWebhooks } from '../view/find-stopped-webhooks.js';
import { describeTroubled, findTroubledConnectors } from '../view/find-troubled-connectors.js';
import { describeOlderFile } from '../journal/find-recorded.js';
import { pathsOf } from '../journal/workspace-files.js';
import type { ReadOnlyOptions } from '../integrity/open-data-folder.js';
import { requireSidecar } from '../journal/recover.js';
import { openRepositoryReadOnly } from '../git/repositories/open-read-only.js';
import { openSidecarReadOnly } from '../sidecar/sidecar.js';

export type { BesideSizes } from '../sidecar/totals.js';

/** Sizes and state of a workspace. */
export interface WorkspaceStatus {
  readonly name: string;
  /** What people see; the name where there is no other. */
  readonly title: string;
  readonly totals: Totals;
  /** Bytes of all kept versions. */
  readonly storedBytes: number;
  /** Bytes of data beside the documents, which do not count towards the quota. */
  readonly beside: BesideSizes;
  /** Objects not yet in the repository. */
  readonly pending: { readonly objects: number; readonly bytes: number };
  /** null where this account may not read it all. */
  readonly repository: RepositoryStats | null;
  /** Git repositories made for principals; null where this account may not read them. */
  readonly derived: { readonly repositories: number; readonly bytes: number } | null;
  readonly audit: ChainHead;
  /** Connectors that are not disconnected. */
  readonly connectors: number;
  /** A line for each thing that waits for people. */
  readonly troubles: readonly string[];
}

/** @throws any other error */
function nullIfClosed(error: unknown): null {
  if (obstacleOf(error) === 'permission') return null;
  throw error;
}

/** Reads a workspace without changing anything. A server may be running. @throws Error when it cannot be read */
export async function readStatus(options: ReadOnlyOptions): Promise<WorkspaceStatus> {
  const paths = pathsOf(options.dataFolder, options.name);
  requireSidecar(options.name, paths.sidecar);
  // The rows know nearly everything: a repository of another account hides only its own sizes.
  const repository = await measureRepository(paths.repository, options.git).catch(nullIfClosed);
  const sidecar = openSidecarReadOnly(paths.sidecar);
  try {
    const { reader } = sidecar;
    return {
      name: options.name,
      title: readTitle(reader, options.name),
      totals: sidecar.totals(),
      beside: sidecar.measureBeside(),
      storedBytes: Number(reader.meta.get('stored_bytes') ?? '0'),
      pending: reader.objects.pendingTotals(),
      repository,
      derived: await measureDerived(paths.derived).catch(nullIfClosed),
      audit: readHead(reader.audit),
      connectors: reader.connectors.count(),
      troubles: [
        ...describeOlderFile(reader),
        ...findTroubledConnectors(reader).map(describeTroubled),
        ...describeStoppedWebhooks(reader),
      ],
    };
  } finally {
    sidecar.close();
  }
}

/** @throws RepositoryUnreadable */
async function measureRepository(path: string, git: 'auto' | 'never'): Promise<RepositoryStats> {
  const repository = await openRepositoryReadOnly({ path, git });
  try {
    return await repository.stats();
  } finally {
    await repository.close();
  }
}
