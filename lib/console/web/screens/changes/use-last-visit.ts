import { useEffect, useState } from 'react';

/**
 * The newest change that the person had seen here before this visit, as this browser remembers. It keeps a time alone.
 * @param newest of what is shown now; undefined while nothing is
 * @returns RFC 3339; undefined at the first visit
 */
export function useLastVisit(workspace: string, principal: string, newest: string | undefined): string | undefined {
  const key = `cartulary-changes ${workspace} ${principal}`;
  const [before] = useState(() => localStorage.getItem(key) ?? undefined);
  useEffect(() => {
    if (newest !== undefined && newest > (localStorage.getItem(key) ?? '')) localStorage.setItem(key, newest);
  }, [key, newest]);
  return before;
}
