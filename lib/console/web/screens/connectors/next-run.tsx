import type { ReactNode } from 'react';
import { NextTime } from '../../design/next-time.tsx';
import { useNow } from '../../design/now.ts';

/** Milliseconds after which a run that is due is one that waits: clocks differ, and a run needs a moment to begin. */
const patience = 60_000;

/** When a sync runs next. Few run at once, so one that is due may have to wait for others. */
export function NextRun({ at }: { at: string }): ReactNode {
  const now = useNow();
  return Date.parse(at) < now - patience ? 'when a slot is free: other syncs run' : <NextTime at={at} />;
}
