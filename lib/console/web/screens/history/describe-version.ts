import {
  ArchiveRestore,
  FilePenLine,
  FilePlus2,
  FolderInput,
  FolderPen,
  GitCommitHorizontal,
  History,
  Import,
  RefreshCw,
  TextCursorInput,
  Trash2,
  Undo2,
  type LucideIcon,
} from 'lucide-react';
import { formatExact } from '../../design/time.tsx';
import type { HistoryEntry, HistoryVersion, Version } from './history-queries.ts';

interface Description {
  readonly icon: LucideIcon;
  /** What was done, in a few words. */
  readonly title: string;
}

const versions: Readonly<Record<HistoryVersion['operation'], Description>> = {
  create: { icon: FilePlus2, title: 'Created' },
  update: { icon: FilePenLine, title: 'Edited' },
  undelete: { icon: ArchiveRestore, title: 'Brought back' },
  restore: { icon: History, title: 'Restored an older version' },
  revert: { icon: Undo2, title: 'Undid changes' },
  import: { icon: Import, title: 'Imported' },
  mirror: { icon: RefreshCw, title: 'Mirrored' },
  push: { icon: GitCommitHorizontal, title: 'Pushed' },
};

/** What an entry of the timeline says. */
export function describeEntry(entry: HistoryEntry): Description {
  switch (entry.type) {
    case 'version':
      return versions[entry.operation];
    case 'relocation': {
      const isFolder = entry.of === 'folder';
      if (entry.operation === 'rename') {
        return { icon: isFolder ? FolderPen : TextCursorInput, title: isFolder ? 'Folder renamed' : 'Renamed' };
      }
      return { icon: FolderInput, title: isFolder ? 'Moved with its folder' : 'Moved' };
    }
    case 'deletion':
      return { icon: Trash2, title: entry.of === 'folder' ? 'Deleted with its folder' : 'Deleted' };
  }
}

export function describeOperation(operation: HistoryVersion['operation']): string {
  return versions[operation].title;
}

/** A version in a line of text: when, by whom, why. */
export function describeVersion({ created_at: at, author, message }: Version): string {
  const note = message === null ? '' : ` · ${message.length > 60 ? `${message.slice(0, 60)}…` : message}`;
  return `${formatExact(at)} · ${author.display_name}${note}`;
}
