import { useState, type ReactNode } from 'react';
import { useWorkspace } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
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
    <Dialog
      title="Where should the mirror be?"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={chosen === undefined} onClick={() => onChoose(chosen ?? '')}>
            Choose
          </Button>
        </>
      }
    >
      <p className="soft small">The mirror gets a folder of its own in the one that you choose.</p>
      <div className="tree-frame">
        <FolderTree workspace={name} chosen={chosen} onChoose={setChosen} without={[]} />
      </div>
    </Dialog>
  );
}
