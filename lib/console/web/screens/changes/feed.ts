import { useEffect, useEffectEvent } from 'react';
import { apiAddress } from '../../api/client.ts';

/** Milliseconds in which several changes count as one. */
const gathered = 400;

/**
 * Hears that something changed in reach, as long as the page is looked at. It says no more than that: the page reads
 * what it shows by itself.
 */
export function useFeed(workspace: string, folder: string, onChange: () => void): void {
  const changed = useEffectEvent(onChange);
  useEffect(() => {
    const query = new URLSearchParams({ start: 'now', ...(folder !== '' && { location: folder }) }).toString();
    let source: EventSource | undefined;
    let timer: number | undefined;
    const hear = (): void => {
      timer ??= window.setTimeout(() => {
        timer = undefined;
        changed();
      }, gathered);
    };
    const follow = (): void => {
      source?.close();
      source = undefined;
      if (document.visibilityState !== 'visible') return;
      source = new EventSource(`${apiAddress(workspace, '/changes')}?${query}`);
      source.addEventListener('message', hear);
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      window.clearTimeout(timer);
      source?.close();
    };
  }, [workspace, folder]);
}
