/**
 * Skips the running test, or from a `before` hook its whole suite, and leaves the reason where the reporter finds it.
 * It is for lacks of the machine, never for failures of the program.
 */
export function skipBecause(context: Mocha.Context, reason: string): never {
  const running: (Mocha.Runnable & { type?: string }) | undefined = context.test;
  const isOnceForAll = running?.type === 'hook' && running.title.startsWith('"before all"');
  const skipped = running?.type !== 'hook' ? running : isOnceForAll ? running.parent : context.currentTest;
  if (skipped !== undefined) Object.assign(skipped, { skipReason: reason });
  return context.skip();
}
