import type { ReactNode } from 'react';
import { useNow } from './now.ts';
import { Time } from './time.tsx';

/** When something is due. A clock here may be ahead of the service's, so what seems over is about to begin. */
export function NextTime({ at }: { at: string }): ReactNode {
  const now = useNow();
  return Date.parse(at) < now + 60_000 ? 'in a moment' : <Time at={at} />;
}
