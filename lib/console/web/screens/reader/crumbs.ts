import type { Crumb } from '../../design/page.tsx';
import { addressOf } from '../../shell/addresses.ts';

/** The way to a document: the workspace, its folders, its name. */
export function crumbsOf(workspace: string, location: string): Crumb[] {
  const segments = location.split('/');
  const folders = segments.slice(0, -1).map((name, index) => ({
    name,
    href: addressOf.folder(workspace, segments.slice(0, index + 1).join('/')),
  }));
  const root = { name: 'Documents', href: addressOf.folder(workspace, '') };
  return [root, ...folders, { name: segments.at(-1) ?? '' }];
}
