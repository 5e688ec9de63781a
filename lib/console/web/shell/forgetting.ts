import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { channel, type Forgotten } from '../screens/erase/forgotten.ts';
import { addressOf, consoleBase, folderOf, parsePlace } from '../navigation/addresses.ts';

/** Whether the tab's address names the document: as its place, or as what the page is about. */
function namesInAddress({ workspace, location }: Forgotten): boolean {
  const { pathname, search } = window.location;
  const place = parsePlace(pathname);
  if (place?.workspace !== workspace) return false;
  return place.rest === location || Array.from(new URLSearchParams(search).values()).includes(location);
}

/** Forgets in this tab what another tab of the browser has erased: its page goes, with all that was read before. */
export function useForgetting(): void {
  const client = useQueryClient();
  useEffect(() => {
    const forget = async (forgotten: Forgotten): Promise<void> => {
      const { forgetForGood, forgetInTab } = await import('../screens/erase/forget.ts');
      forgetInTab(forgotten);
      if (!namesInAddress(forgotten)) {
        await client.resetQueries();
        return;
      }
      await forgetForGood(forgotten);
      // There is nothing left to ask about before the page goes.
      window.addEventListener('beforeunload', (event) => event.stopImmediatePropagation(), { capture: true });
      window.location.replace(consoleBase + addressOf.folder(forgotten.workspace, folderOf(forgotten.location)));
    };
    const hear = ({ data }: MessageEvent<Forgotten>): void => void forget(data);
    channel.addEventListener('message', hear);
    return () => channel.removeEventListener('message', hear);
  }, [client]);
}
