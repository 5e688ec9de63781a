import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { apiOf, dataOf } from '../../api/client.ts';
import { useWorkspace } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { ConfirmDialog } from '../../design/form-dialog.tsx';
import { Notice } from '../../design/notice.tsx';
import { Panel } from '../../design/page.tsx';
import { StoreOnceDialog } from '../../design/store-once.tsx';
import { Secret } from '../../design/secret.tsx';
import { ProblemLine } from '../../design/state.tsx';
import { showToast } from '../../design/toast.tsx';
import { base } from '../../navigation/addresses.ts';
import { useConnectorChanges, type Connector, type Webhook } from './connector-queries.ts';

/** The address at which the source says that it has changed, so that no one waits for the schedule. */
export function WebhookCard({ connector }: { connector: Connector }): ReactNode {
  const { name: workspace } = useWorkspace();
  const changes = useConnectorChanges();
  const { id, has_webhook: hasWebhook } = connector;
  const [asked, setAsked] = useState<'make' | 'remove'>();
  const [made, setMade] = useState<Webhook>();
  const params = { path: { id } };
  const address = `${window.location.origin}${base}/v1/hooks/${workspace}/${id}`;
  const make = useMutation({
    mutationFn: () => dataOf(apiOf(workspace).PUT('/connectors/{id}/webhook', { params })),
    onSuccess: (hook) => {
      setAsked(undefined);
      setMade(hook);
    },
    onSettled: () => void changes.renew(),
  });
  const remove = useMutation({
    mutationFn: () => dataOf(apiOf(workspace).DELETE('/connectors/{id}/webhook', { params })),
    onSuccess: () => {
      setAsked(undefined);
      showToast({ text: 'The webhook is removed.' });
    },
    onSettled: () => void changes.renew(),
  });
  return (
    <Panel
      title="Webhook of the source"
      actions={
        hasWebhook ? (
          <>
            <Button size="small" onClick={() => setAsked('make')}>
              New secret
            </Button>
            <Button size="small" look="danger-plain" onClick={() => setAsked('remove')}>
              Remove
            </Button>
          </>
        ) : (
          <Button size="small" isPending={make.isPending} onClick={() => make.mutate()}>
            Make webhook
          </Button>
        )
      }
    >
      {hasWebhook ? (
        <>
          <Secret label="Address" text={address} />
          <p className="soft small connector-note">
            The source calls it after each change, signed with the secret, and a sync begins within 30 seconds. GitHub,
            GitLab, Gitea and Forgejo can do it, and senders of Standard Webhooks.
          </p>
        </>
      ) : (
        <p className="soft">
          A webhook lets the source say that it has changed, so that a sync begins within 30 seconds. Without one the
          mirror follows its schedule.
        </p>
      )}
      {asked === undefined && <ProblemLine error={make.error} />}
      {asked === 'make' && (
        <ConfirmDialog
          title="Make a new secret?"
          action="Make new secret"
          look="primary"
          sending={make}
          onConfirm={() => make.mutate()}
          onClose={() => setAsked(undefined)}
        >
          <p>The present one stops working at once. Give the new one to the source; the address stays.</p>
        </ConfirmDialog>
      )}
      {asked === 'remove' && (
        <ConfirmDialog
          title="Remove the webhook?"
          action="Remove webhook"
          sending={remove}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsked(undefined)}
        >
          <p>Calls of the source are refused from now on. The mirror follows its schedule.</p>
        </ConfirmDialog>
      )}
      {made !== undefined && <MadeDialog address={address} secret={made.secret} onClose={() => setMade(undefined)} />}
    </Panel>
  );
}

function MadeDialog({
  address,
  secret,
  onClose,
}: {
  address: string;
  secret: string | null;
  onClose: () => void;
}): ReactNode {
  return (
    <StoreOnceDialog title="Give these to the source now" stored="The source has both" onClose={onClose}>
      <Notice tone="warning">
        <p>The secret is shown this once.</p>
      </Notice>
      <Secret label="Webhook address" text={address} />
      {secret !== null && <Secret label="Secret" text={secret} />}
      <p className="soft small">
        At GitHub: Settings, Webhooks, content type application/json. At GitLab the secret is the “secret token”.
      </p>
    </StoreOnceDialog>
  );
}
