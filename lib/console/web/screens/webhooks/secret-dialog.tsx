import type { ReactNode } from 'react';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Notice } from '../../design/notice.tsx';
import { StoreOnceDialog } from '../../design/store-once.tsx';
import { Secret } from '../../design/secret.tsx';
import type { MadeWebhook } from './webhook-queries.ts';

/** Shows the secret of a webhook, this once; or says that it was lost on its way. */
export function SecretDialog({
  made,
  isNew,
  onClose,
}: {
  made: MadeWebhook;
  isNew: boolean;
  onClose: () => void;
}): ReactNode {
  if (made.secret === null) {
    return (
      <Dialog
        title="The secret was lost on its way"
        onClose={onClose}
        footer={<Button onClick={onClose}>Close</Button>}
      >
        <p>
          The webhook <bdi>{made.name}</bdi> is there, but its secret did not arrive here, and no copy of it is shown.
          Open the webhook and make a new secret.
        </p>
      </Dialog>
    );
  }
  return (
    <StoreOnceDialog
      title={isNew ? 'Give the secret to the receiver now' : 'Give the new secret to the receiver now'}
      stored="The receiver has it"
      onClose={onClose}
    >
      <Notice tone="warning">
        <p>
          The secret is shown this once.
          {made.rotating_until !== null && ' The former one signs every message too, for a day.'}
        </p>
      </Notice>
      <Secret label="Secret" text={made.secret} />
      <p className="soft small">
        The receiver checks by it that a message is from here: each is signed as Standard Webhooks are.
      </p>
    </StoreOnceDialog>
  );
}
