import { useEffect, useRef, useState, type ReactNode } from 'react';
import { TextField } from '../../design/field.tsx';
import { FormDialog } from '../../design/form-dialog.tsx';
import { nameOf } from '../../navigation/addresses.ts';
import { sentenceOf, type Movable } from './send-relocation.ts';
import { RelocationSteps } from './relocation-steps.tsx';
import type { Relocated } from './undo.ts';
import { useRelocating } from './use-relocating.ts';

interface RenameDialogProps {
  readonly workspace: string;
  readonly item: Movable;
  readonly onClose: () => void;
  /** Called with what was renamed, and again when it got its old name back. */
  readonly onRenamed?: (renamed: readonly Relocated[]) => void;
}

/** Gives a document or folder another name. If anybody would gain access by it, it asks first. */
export function RenameDialog({ workspace, item, onClose, onRenamed }: RenameDialogProps): ReactNode {
  const before = nameOf(item.location);
  const [name, setName] = useState(before);
  const [fault, setFault] = useState<string | undefined>();
  const relocating = useRelocating(workspace);
  const { attempts, isRunning, start } = relocating;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const input = field.current;
    // The ending of a file's name usually stays.
    const end = item.type === 'document' ? before.lastIndexOf('.') : -1;
    input?.focus();
    input?.setSelectionRange(0, end > 0 ? end : before.length);
  }, [before, item.type]);
  const outcome = attempts[0]?.outcome;
  const refused = outcome?.state === 'refused' ? sentenceOf(outcome.problem) : undefined;
  const rename = (): void => {
    const found = faultOf(name, before);
    setFault(found);
    if (found === undefined) void start([{ type: 'rename', location: item.location, name }]);
  };
  return (
    <RelocationSteps workspace={workspace} items={[item]} relocating={relocating} onClose={onClose} onDone={onRenamed}>
      <FormDialog
        title={`Rename ${before}`}
        action="Rename"
        sending={{ isPending: isRunning }}
        onSubmit={rename}
        onClose={onClose}
      >
        <TextField
          ref={field}
          label="New name"
          value={name}
          maxLength={255}
          error={fault ?? refused}
          onChange={(event) => {
            setName(event.target.value);
            setFault(undefined);
          }}
        />
      </FormDialog>
    </RelocationSteps>
  );
}

function faultOf(name: string, before: string): string | undefined {
  if (name === '') return 'Enter a name.';
  if (name === before) return 'It has this name already.';
  if (name.includes('/')) return 'A name has no slash. To change the folder, move it.';
  return undefined;
}
