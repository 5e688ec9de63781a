import { useState, type ReactNode } from 'react';
import { useWorkspace } from '../../api/session.ts';
import { ConfirmDialog } from '../../design/form-dialog.tsx';
import { FolderTree } from '../move/folder-tree.tsx';

/** Chooses the folder in which the folder of a mirror is made. */
export function FolderDialog({
  onChoose,
  onClose,
}: {
  onChoose: (folder: string) => void;
  onClose: () => void;
}): ReactNode {
  const { name } = useWorkspace();
  const [chosen, setChosen] = useState<string>();
  return (
    <ConfirmDialog
      title="Where should the mirror be?"
      action="Choose"
      look="primary"
      isDisabled={chosen === undefined}
      onConfirm={() => onChoose(chosen ?? '')}
      onClose={onClose}
    >
      <p className="soft small">The mirror gets a folder of its own in the one that you choose.</p>
      <div className="tree-frame">
        <FolderTree workspace={name} chosen={chosen} onChoose={setChosen} without={[]} />
      </div>
    </ConfirmDialog>
  );
}
