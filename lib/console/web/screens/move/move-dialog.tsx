import { useState, type ReactNode } from 'react';
import { FormDialog } from '../../design/form-dialog.tsx';
import { folderOf, nameOf } from '../../navigation/addresses.ts';
import { FolderTree } from './folder-tree.tsx';
import { sentenceOf, type Movable } from './send-relocation.ts';
import { RelocationSteps } from './relocation-steps.tsx';
import type { Relocated } from './undo.ts';
import { useRelocating } from './use-relocating.ts';

interface MoveDialogProps {
  readonly workspace: string;
  readonly items: readonly Movable[];
  /** The folder that is chosen at first. */
  readonly toFolder?: string | undefined;
  readonly onClose: () => void;
  /** Called with what was moved, and again with what was moved back. */
  readonly onMoved?: (moved: readonly Relocated[]) => void;
}

/** Moves documents and folders to another folder. If anybody would gain access by it, it asks first. */
export function MoveDialog({ workspace, items, toFolder, onClose, onMoved }: MoveDialogProps): ReactNode {
  const [target, setTarget] = useState(toFolder);
  const [isLacking, setLacking] = useState(false);
  const relocating = useRelocating(workspace);
  const { attempts, isRunning, start } = relocating;
  const isThere = target !== undefined && items.every(({ location }) => folderOf(location) === target);
  const [first] = items;
  const title =
    items.length === 1 && first !== undefined ? `Move ${nameOf(first.location)}` : `Move ${items.length} items`;
  const move = (): void => {
    const isReady = target !== undefined && !isThere;
    setLacking(!isReady);
    if (!isReady) return;
    void start(items.map(({ location }) => ({ type: 'move', location, toFolder: target })));
  };
  return (
    <RelocationSteps workspace={workspace} items={items} relocating={relocating} onClose={onClose} onDone={onMoved}>
      <FormDialog title={title} action="Move" sending={{ isPending: isRunning }} onSubmit={move} onClose={onClose}>
        <div className="tree-frame">
          <FolderTree
            workspace={workspace}
            chosen={target}
            onChoose={setTarget}
            without={items.filter(({ type }) => type === 'folder').map(({ location }) => location)}
          />
        </div>
        <p className="small" aria-live="polite">
          {target === undefined ? (
            <span className="soft">Choose a folder.</span>
          ) : (
            <>
              To <bdi>{target === '' ? `the top of ${workspace}` : target}</bdi>
            </>
          )}
        </p>
        {isLacking && (target === undefined || isThere) && (
          <p className="field-error" role="alert">
            {isThere ? 'It is in this folder already. Choose another one.' : 'Choose a folder first.'}
          </p>
        )}
        {attempts.length === 1 && attempts[0]?.outcome?.state === 'refused' && (
          <p className="field-error" role="alert">
            {sentenceOf(attempts[0].outcome.problem)}
          </p>
        )}
        {isRunning && items.length > 1 && (
          <progress
            className="progress"
            aria-label="Moving"
            max={items.length}
            value={attempts.filter(({ outcome }) => outcome !== undefined).length}
          />
        )}
      </FormDialog>
    </RelocationSteps>
  );
}
