import { addressOf } from './addresses.ts';

/** A step of the way to a page. */
export interface Crumb {
  readonly name: string;
  /** Left out: the place itself. */
  readonly href?: string;
}

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
