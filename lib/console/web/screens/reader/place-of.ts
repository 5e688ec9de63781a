import { apiAddress } from '../../api/client.ts';
import type { MarkdownPlace } from '../../markdown/render.ts';
import { addressOf, consoleBase } from '../../shell/addresses.ts';
import { fileAddress } from './file-address.ts';

/** Where a document's links and images lead. */
export function placeOf(workspace: string, location: string): MarkdownPlace {
  return {
    location,
    addressOf: (kind, to) => consoleBase + (kind === 'folder' ? addressOf.folder : addressOf.document)(workspace, to),
    fileOf: (to) => apiAddress(workspace, fileAddress(to)),
  };
}
