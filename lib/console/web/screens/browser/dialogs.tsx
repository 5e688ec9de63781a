import { lazy, Suspense, type ReactNode } from 'react';
import type { Relocated } from '../move/undo.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import type { Outcome } from './discard.ts';
import { LabelsDialog } from './labels-dialog.tsx';
import { NewFolderDialog } from './new-folder-dialog.tsx';
import { locationOf, type DocumentEntry, type Entry } from './browser-queries.ts';

const MoveDialog = lazy(async () => ({ default: (await import('../move/move-dialog.tsx')).MoveDialog }));
const RenameDialog = lazy(async () => ({ default: (await import('../move/rename-dialog.tsx')).RenameDialog }));
const ShareDialog = lazy(async () => ({ default: (await import('../share/share-dialog.tsx')).ShareDialog }));

/** What a dialog is open about. */
export type Asked =
  | { readonly about: 'new-folder' }
  | { readonly about: 'share'; readonly location: string }
  | { readonly about: 'labels'; readonly entries: readonly DocumentEntry[] }
  | { readonly about: 'rename'; readonly entry: Entry }
  | { readonly about: 'move'; readonly entries: readonly Entry[] }
  | { readonly about: 'delete'; readonly entries: readonly Entry[]; readonly isPartial: boolean };

interface DialogsProps {
  readonly asked: Asked | undefined;
  readonly workspace: string;
  readonly location: string;
  readonly onClose: () => void;
  readonly onNewFolder: (location: string) => void;
  readonly onLabels: (document: string, labels: readonly string[]) => void;
  readonly onRelocated: (relocated: readonly Relocated[]) => void;
  readonly onDeleted: (outcome: Outcome) => void;
}

const asMovable = (entry: Entry): { location: string; type: 'folder' | 'document' } => ({
  location: locationOf(entry),
  type: entry.type,
});

/** The dialog that is open over the list, if any. */
export function Dialogs(props: DialogsProps): ReactNode {
  return <Suspense fallback={null}>{choose(props)}</Suspense>;
}

function choose(props: DialogsProps): ReactNode {
  const { asked, workspace, location, onClose } = props;
  switch (asked?.about) {
    case undefined:
      return null;
    case 'new-folder':
      return <NewFolderDialog workspace={workspace} parent={location} onClose={onClose} onDone={props.onNewFolder} />;
    case 'share':
      return <ShareDialog workspace={workspace} location={asked.location} onClose={onClose} />;
    case 'labels':
      return <LabelsDialog workspace={workspace} entries={asked.entries} onClose={onClose} onLabels={props.onLabels} />;
    case 'rename':
      return (
        <RenameDialog
          workspace={workspace}
          item={asMovable(asked.entry)}
          onClose={onClose}
          onRenamed={props.onRelocated}
        />
      );
    case 'move':
      return (
        <MoveDialog
          workspace={workspace}
          items={asked.entries.map(asMovable)}
          onClose={onClose}
          onMoved={props.onRelocated}
        />
      );
    case 'delete':
      return (
        <DeleteDialog
          workspace={workspace}
          entries={asked.entries}
          isPartial={asked.isPartial}
          onClose={onClose}
          onDone={props.onDeleted}
        />
      );
  }
}
