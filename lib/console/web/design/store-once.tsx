import { useState, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Choice } from './field.tsx';

/** A dialog with something that is shown this once. It closes when the person says that it is stored. */
export function StoreOnceDialog({
  title,
  stored,
  hint,
  onClose,
  children,
}: {
  title: string;
  /** The label of the box that the person ticks. */
  stored: string;
  hint?: string;
  onClose: () => void;
  children: ReactNode;
}): ReactNode {
  const [isStored, setStored] = useState(false);
  return (
    <Dialog
      title={title}
      isDismissible={false}
      onClose={onClose}
      footer={
        <Button look="primary" disabled={!isStored} onClick={onClose}>
          Done
        </Button>
      }
    >
      {children}
      <Choice
        label={stored}
        {...(hint !== undefined && { hint })}
        checked={isStored}
        onChange={(event) => setStored(event.target.checked)}
      />
    </Dialog>
  );
}
