import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Forgotten } from '../screens/erase/forget.ts';
import { addressOf, consoleBase, folderOf, parsePlace } from './addresses.ts';

/** One for the tab: a channel hears the other tabs, and not itself. */
const channel = new BroadcastChannel('cartulary-forgotten');

/** Has the other tabs of this browser forget a document. */
export function tellTabs(forgotten: Forgotten): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin alone
  channel.postMessage(forgotten);
}

/** Forgets in this tab what another tab of the browser has erased: its page goes, with all that was read before. */
export function useForgetting(): void {
  const client = useQueryClient();
  useEffect(() => {
    const forget = async (forgotten: Forgotten): Promise<void> => {
      const { forgetInTab } = await import('../screens/erase/forget.ts');
      forgetInTab(forgotten);
      const place = parsePlace(window.location.pathname);
      const isThere = place?.workspace === forgotten.workspace && place.rest === forgotten.location;
      const folder = addressOf.folder(forgotten.workspace, folderOf(forgotten.location));
      if (isThere) window.location.replace(consoleBase + folder);
      else await client.resetQueries();
    };
    const hear = ({ data }: MessageEvent<Forgotten>): void => void forget(data);
    channel.addEventListener('message', hear);
    return () => channel.removeEventListener('message', hear);
  }, [client]);
}
