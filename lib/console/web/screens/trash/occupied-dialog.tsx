import { Eye, TextCursorInput } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Button, LinkButton } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import type { Trashed } from './trash-queries.ts';

const RenameDialog = lazy(async () => ({ default: (await import('../move/rename-dialog.tsx')).RenameDialog }));

/** Says that something else is at the place of a deleted thing, and offers the way out. */
export function OccupiedDialog({
  workspace,
  item,
  place,
  onFree,
  onClose,
}: {
  workspace: string;
  item: Trashed;
  /** Where the other thing is. */
  place: string;
  /** Called when the other thing has another name: the place is free. */
  onFree: () => void;
  onClose: () => void;
}): ReactNode {
  const [isRenaming, setRenaming] = useState(false);
  const { location, occupant } = item;
  const type = occupant ?? 'document';
  if (isRenaming) {
    return (
      <Suspense fallback={null}>
        <RenameDialog
          workspace={workspace}
          item={{ location: place, type }}
          onClose={onClose}
          onRenamed={(renamed) => {
            if (renamed.some(({ from }) => from === place)) onFree();
          }}
        />
      </Suspense>
    );
  }
  return (
    <Dialog
      title={`Another ${type} has this place now`}
      onClose={onClose}
      footer={
        <>
          <LinkButton icon={Eye} href={addressOf[type](workspace, place)}>
            Show it
          </LinkButton>
          <Button look="primary" icon={TextCursorInput} onClick={() => setRenaming(true)}>
            Rename it
          </Button>
        </>
      }
    >
      <p>
        <bdi>{location}</bdi> cannot come back while another {type} is{' '}
        {place === location ? (
          'there'
        ) : (
          <>
            at <bdi>{place}</bdi>, which many disks take for the same name
          </>
        )}
        . Nothing is overwritten.
      </p>
      <p>Give the other {type} a new name, and this one comes back. Or look at it first: perhaps you need only one.</p>
    </Dialog>
  );
}
