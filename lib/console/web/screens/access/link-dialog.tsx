import { useState, type ReactNode } from 'react';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Choice } from '../../design/field.tsx';
import { formatExact } from '../../design/time.tsx';
import { base } from '../../shell/addresses.ts';
import type { SignInLink } from './queries.ts';
import { Secret } from '../../design/secret.tsx';

/** Shows a one-time link, this once. */
export function LinkDialog({
  link,
  displayName,
  onClose,
}: {
  link: SignInLink;
  displayName: string;
  onClose: () => void;
}): ReactNode {
  const [isStored, setStored] = useState(false);
  return (
    <Dialog
      title="Send this link"
      isDismissible={false}
      onClose={onClose}
      footer={
        <Button look="primary" disabled={!isStored} onClick={onClose}>
          Done
        </Button>
      }
    >
      <p>
        With it, <bdi>{displayName}</bdi> chooses a {link.is_first ? '' : 'new '}password, once. Send it in a way that
        only they can read.
      </p>
      <Secret label="One-time link" text={`${window.location.origin}${base}${link.path}`} />
      <dl className="facts small">
        <dt>Sign-in name</dt>
        <dd>
          <bdi>{link.sign_in_name}</bdi>
        </dd>
        <dt>Works until</dt>
        <dd>{formatExact(link.expires_at)}</dd>
      </dl>
      <Choice
        label="I sent or stored it"
        hint="The link is shown this once. A new one can be made at any time, and ends this one."
        checked={isStored}
        onChange={(event) => setStored(event.target.checked)}
      />
    </Dialog>
  );
}
