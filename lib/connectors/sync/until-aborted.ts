/**
 * Waits for work, but no longer than until the signal aborts: a source may not listen to it.
 * @throws the signal's reason, or the work's error
 */
export function untilAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** The items of a stream until the signal aborts. A silent stream is left behind. @throws the signal's reason */
export async function* itemsUntilAborted<Item>(
  signal: AbortSignal,
  stream: AsyncIterable<Item>,
): AsyncGenerator<Item, undefined> {
  const items = stream[Symbol.asyncIterator]();
  let isOver = false;
  try {
    for (;;) {
      const next = await untilAborted(signal, items.next());
      if (next.done === true) {
        isOver = true;
        return;
      }
      yield next.value;
    }
  } finally {
    // Without await: the stream may not answer any more.
    if (!isOver) items.return?.().catch(() => undefined);
  }
}
