import type { ReactNode } from 'react';
import { formatExact } from '../../design/time.tsx';
import { base } from '../../navigation/addresses.ts';
import type { SignInLink } from './access-queries.ts';
import { StoreOnceDialog } from '../../design/store-once.tsx';
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
  return (
    <StoreOnceDialog
      title="Send this link"
      stored="I sent or stored it"
      hint="The link is shown this once. A new one can be made at any time, and ends this one."
      onClose={onClose}
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
    </StoreOnceDialog>
  );
}
