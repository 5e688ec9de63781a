/** A worker thread's program: sweeps packs, so that listing and comparing a whole history keeps nobody waiting. */
import { parentPort, workerData } from 'node:worker_threads';
import { nodeFileSystem } from '../file-system.js';
import { findGit } from '../program/git-program.js';
import { openRepositoryReadOnly } from '../repositories/open-read-only.js';
import { sealPack } from '../packs/pack-layout.js';
import type { RepositoryPlace } from '../repositories/repository.js';
import { RepositoryFolder } from '../repositories/repository-folder.js';
import { sweepPacks, type SweepReport, type SweepRequest } from './sweep-packs.js';

/** What the worker is started with. */
export interface SweepOrder {
  readonly place: RepositoryPlace;
  readonly request: SweepRequest;
}

/** What it says; after `copied` it waits for a word before it removes anything. */
export type SweepAnswer = { readonly copied: true } | { readonly report: SweepReport } | { readonly error: Error };

/** What it is told: go on and remove, or stop. */
export type SweepWord = 'go on' | 'stop';

async function sweep({ place, request }: SweepOrder): Promise<SweepReport> {
  const stopping = new AbortController();
  let goOn: () => void = () => undefined;
  const told = new Promise<void>((resolve) => (goOn = resolve));
  parentPort?.on('message', (word: SweepWord) => {
    if (word === 'stop') stopping.abort();
    goOn();
  });
  const repository = await openRepositoryReadOnly(place);
  try {
    return await sweepPacks(
      {
        folder: new RepositoryFolder(nodeFileSystem, place.path),
        seal: sealPack,
        program: place.git === 'auto' ? await findGit() : null,
        read: (oid) => repository.read(oid),
        signal: stopping.signal,
        onCopied: () => {
          parentPort?.postMessage({ copied: true } satisfies SweepAnswer, []);
          return told;
        },
      },
      request,
    );
  } finally {
    await repository.close();
  }
}

try {
  const report = await sweep(workerData as SweepOrder);
  parentPort?.postMessage({ report } satisfies SweepAnswer, []);
} catch (error) {
  parentPort?.postMessage({ error: error as Error } satisfies SweepAnswer, []);
}
parentPort?.close();
