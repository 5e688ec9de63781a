import type { Crumb } from '../../design/page.tsx';
import { addressOf } from '../../shell/addresses.ts';
import { crumbsOf } from '../reader/crumbs.ts';

/** The way to the editor of a document: through the document. */
export function crumbsOfEditor(workspace: string, location: string): Crumb[] {
  const way = crumbsOf(workspace, location);
  const [document] = way.slice(-1);
  return [
    ...way.slice(0, -1),
    ...(document === undefined ? [] : [{ ...document, href: addressOf.document(workspace, location) }]),
    { name: 'Edit' },
  ];
}
