import { FolderInput, Tags, Trash2, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { announce } from '../../design/announce.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { mayDelete, mayEditEntry, mayLabel } from './may.ts';
import type { DocumentEntry, Entry } from './browser-queries.ts';

/** What can be done with the selected rows. It leaves out what works for none of them. */
export function SelectionBar({
  selected,
  principalId,
  onLabels,
  onMove,
  onDelete,
  onClear,
}: {
  selected: readonly Entry[];
  principalId: string;
  onLabels: (entries: readonly DocumentEntry[]) => void;
  onMove: (entries: readonly Entry[]) => void;
  onDelete: (entries: readonly Entry[], isPartial: boolean) => void;
  onClear: () => void;
}): ReactNode {
  if (selected.length === 0) return null;
  const labelled = selected.filter((entry): entry is DocumentEntry => mayLabel(entry));
  const movable = selected.filter(mayEditEntry);
  const deletable = selected.filter((entry) => mayDelete(entry, principalId));
  return (
    <div className="selection-bar" role="toolbar" aria-label="Selected rows">
      <span className="selection-count">{selected.length} selected</span>
      {labelled.length > 0 && (
        <Button size="small" icon={Tags} onClick={() => onLabels(labelled)}>
          Labels
        </Button>
      )}
      {movable.length === selected.length && (
        <Button size="small" icon={FolderInput} onClick={() => onMove(movable)}>
          Move
        </Button>
      )}
      {deletable.length > 0 && (
        <Button
          size="small"
          look="danger-plain"
          icon={Trash2}
          onClick={() => onDelete(deletable, deletable.length < selected.length)}
        >
          Delete
        </Button>
      )}
      <IconButton
        label="Clear the selection"
        icon={X}
        onClick={() => {
          onClear();
          announce('Nothing is selected.');
        }}
      />
    </div>
  );
}
