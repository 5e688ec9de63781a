/** A worker thread's program: sweeps packs, so that listing and comparing a whole history blocks no other work. */
import { parentPort, workerData } from 'node:worker_threads';
import { RepositoryUnreadable } from '../errors.js';
import { nodeFileSystem } from '../file-system.js';
import { findGit } from '../program/git-program.js';
import { openRepositoryReadOnly } from '../repositories/open-read-only.js';
import { sealPack } from '../packs/pack-layout.js';
import { RepositoryFolder } from '../repositories/repository-folder.js';
import type { SweepAnswer, SweepOrder, SweepWord } from './sweep-in-worker.js';
import { sweepPacks, type SweepReport } from './sweep-packs.js';

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
        onCopied: (objects) => {
          const going = objects.toBytes();
          parentPort?.postMessage({ going } satisfies SweepAnswer, [going.buffer]);
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
  const isUnreadable = error instanceof RepositoryUnreadable;
  parentPort?.postMessage({ error: error as Error, isUnreadable } satisfies SweepAnswer, []);
}
parentPort?.close();
