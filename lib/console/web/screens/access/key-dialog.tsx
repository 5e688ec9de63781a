import type { ReactNode } from 'react';
import { useWorkspace } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Notice } from '../../design/notice.tsx';
import { base } from '../../navigation/addresses.ts';
import type { MintedToken } from './access-queries.ts';
import { StoreOnceDialog } from '../../design/store-once.tsx';
import { Secret } from '../../design/secret.tsx';

/** Credential helpers keep one password for each user of a host, and each workspace has keys of its own. */
function remoteOf(service: string, workspace: string): string {
  const remote = new URL(`${service}/git/${workspace}`);
  remote.username = workspace;
  return remote.href;
}

/** Shows a token's key, this once; or says that it was lost on its way. */
export function KeyDialog({
  minted,
  isNew,
  onRotate,
  onClose,
}: {
  minted: MintedToken;
  isNew: boolean;
  onRotate: () => void;
  onClose: () => void;
}): ReactNode {
  const { name: workspace } = useWorkspace();
  const { key, token } = minted;
  if (key === null) {
    return (
      <Dialog
        title="The key was lost on its way"
        onClose={onClose}
        footer={
          <>
            <Button onClick={onClose}>Close</Button>
            <Button look="primary" onClick={onRotate}>
              Rotate for a new key
            </Button>
          </>
        }
      >
        <p>
          The token <bdi>{token.name}</bdi> was minted once, but its key did not arrive here. No copy of it is kept.
          Rotate the token to get a new key for it, or revoke it.
        </p>
      </Dialog>
    );
  }
  const opens = (face: MintedToken['token']['interfaces'][number]): boolean => token.interfaces.includes(face);
  const service = `${window.location.origin}${base}`;
  return (
    <StoreOnceDialog
      title={isNew ? 'Store the key now' : 'Store the new key now'}
      stored="I stored it"
      onClose={onClose}
    >
      <Notice tone="warning">
        <p>
          The key of <bdi>{token.name}</bdi> is shown this once. No copy of it is kept.
          {!isNew && ' The old key no longer works.'}
        </p>
      </Notice>
      <Secret label="Key" text={key} />
      {opens('git') && (
        <>
          <Secret label="Clone" text={`git clone ${remoteOf(service, workspace)}`} />
          <p className="soft small">git asks for a password: paste the key there, so that no command contains it.</p>
        </>
      )}
      {opens('rest') && <Secret label="Try it" text={`curl -H "Authorization: Bearer ${key}" ${service}/v1/folders`} />}
      {opens('mcp') && !opens('rest') && (
        <p className="soft small">
          Give it to the agent with the address <code>{service}/mcp</code>. It is refused on /v1, because the REST API
          was not chosen.
        </p>
      )}
    </StoreOnceDialog>
  );
}
