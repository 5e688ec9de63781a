/** A worker thread's program: seals the packs it is sent, one at a time. */
import { parentPort } from 'node:worker_threads';
import { sealPack } from './pack-layout.js';
import type { PackFiles, PackLayout } from './pack-layout.js';

/** The input of the worker. */
export interface SealRequest {
  id: number;
  layout: PackLayout;
}

/** The answer of the worker. */
export type SealAnswer = { id: number; files: PackFiles } | { id: number; error: Error };

parentPort?.on('message', ({ id, layout }: SealRequest) => {
  try {
    const files = sealPack(layout);
    const answer: SealAnswer = { id, files };
    parentPort?.postMessage(answer, [files.pack.buffer, files.index.buffer]);
  } catch (error) {
    const answer: SealAnswer = { id, error: error as Error };
    parentPort?.postMessage(answer, []);
  }
});
