const waiting: (() => void)[] = [];
let isScheduled = false;

/**
 * Lets the event loop handle waiting events, then goes on. Long work calls this between its slices.
 *
 * One caller goes on in each turn of the loop. Node runs all callbacks of `setImmediate` in one turn. Twenty pieces of
 * long work that each used it would add up to one long hold. Here each of them waits for its own turn.
 */
export function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    schedule();
  });
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    waiting.shift()?.();
    if (waiting.length > 0) schedule();
  });
}
