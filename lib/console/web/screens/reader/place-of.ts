import { apiAddress } from '../../api/client.ts';
import type { MarkdownPlace } from '../../markdown/render.ts';
import { addressOf, consoleBase, encodeLocation } from '../../navigation/addresses.ts';

/** Where a document's links and images lead. */
export function placeOf(workspace: string, location: string): MarkdownPlace {
  return {
    location,
    addressOf: (kind, to) => consoleBase + (kind === 'folder' ? addressOf.folder : addressOf.document)(workspace, to),
    imageOf: (to) =>
      apiAddress(workspace, `/images/${encodeLocation(to)}?${new URLSearchParams({ within: location }).toString()}`),
  };
}
