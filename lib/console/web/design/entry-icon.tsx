import { File, FileText, Folder, FolderSync, Image, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** What a line stands for. */
export interface EntryKind {
  readonly type: 'folder' | 'document';
  /** Of a document, where it is known. */
  readonly kind?: 'text' | 'binary';
  readonly mediaType?: string;
  readonly isMirror?: boolean;
}

function kindOf({ type, kind, mediaType, isMirror }: EntryKind): { readonly icon: LucideIcon; readonly name: string } {
  if (type === 'folder') {
    return isMirror === true ? { icon: FolderSync, name: 'Mirrored folder' } : { icon: Folder, name: 'Folder' };
  }
  if (mediaType?.startsWith('image/') === true) return { icon: Image, name: 'Image' };
  if (kind === 'binary') return { icon: File, name: 'Binary file' };
  return { icon: FileText, name: kind === 'text' ? 'Text' : 'Document' };
}

/** An entry's kind as a sign, and as a word for those who do not see it. */
export function EntryIcon(props: EntryKind): ReactNode {
  const { icon: Icon, name } = kindOf(props);
  return (
    <>
      <Icon aria-hidden className={props.type === 'folder' ? 'entry-icon folder' : 'entry-icon'} />
      <span className="visually-hidden">{name}</span>
    </>
  );
}
