import type { Readable } from 'node:stream';
import type { LetGoOptions } from '../repositories/repository.js';

/** Waits until the streams open now have closed, and ends all streams still open after the time limit. */
export async function endStreams(open: Iterable<Readable>, { within, reason }: LetGoOptions): Promise<void> {
  const streams = [...open];
  const timer = setTimeout(() => {
    for (const stream of streams) stream.destroy(reason);
  }, within);
  try {
    await Promise.all(
      streams.filter(({ closed }) => !closed).map((stream) => new Promise((resolve) => stream.once('close', resolve))),
    );
  } finally {
    clearTimeout(timer);
  }
}
