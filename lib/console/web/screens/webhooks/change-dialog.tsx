import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { apiOf, dataOf } from '../../api/client.ts';
import { useWorkspace } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { TextField } from '../../design/field.tsx';
import { ProblemLine } from '../../design/state.tsx';
import { showToast } from '../../design/toast.tsx';
import { KindsField, kindsOf, type Told } from './kinds-field.tsx';
import { useRenew, type Webhook } from './queries.ts';

function toldBy({ kinds }: Webhook): Told {
  if (kinds === null) return { what: 'all', kinds: [] };
  return { what: kinds.some((kind) => kind.startsWith('security.')) ? 'security' : 'some', kinds };
}

/** Changes the name of a webhook, its address, or what it tells. */
export function ChangeDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }): ReactNode {
  const { name: workspace } = useWorkspace();
  const renew = useRenew();
  const [name, setName] = useState(webhook.name);
  const [url, setUrl] = useState(webhook.url);
  const [told, setTold] = useState<Told>(() => toldBy(webhook));
  const [isTried, setTried] = useState(false);
  const isSecurity = toldBy(webhook).what === 'security';
  const kinds = kindsOf(told);
  const save = useMutation({
    mutationFn: () => {
      const body = {
        ...(name.trim() !== webhook.name && { name: name.trim() }),
        ...(url.trim() !== webhook.url && { url: url.trim() }),
        ...(JSON.stringify(kinds) !== JSON.stringify(webhook.kinds) && { kinds }),
      };
      if (Object.keys(body).length === 0) return Promise.resolve(webhook);
      return dataOf(apiOf(workspace).PATCH('/webhooks/{id}', { params: { path: { id: webhook.id } }, body }));
    },
    onSuccess: () => {
      onClose();
      showToast({ text: 'Saved.' });
    },
    onSettled: () => void renew(),
  });
  const lacksKinds = kinds?.length === 0;
  const submit = (): void => {
    setTried(true);
    if (name.trim() !== '' && url.trim() !== '' && !lacksKinds && !save.isPending) save.mutate();
  };
  return (
    <Dialog
      title="Change webhook"
      onClose={onClose}
      onSubmit={submit}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isPending={save.isPending}>
            Save
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        error={isTried && name.trim() === '' ? 'Enter a name.' : undefined}
        value={name}
        maxLength={200}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="Address"
        error={isTried && url.trim() === '' ? 'Enter an address.' : undefined}
        value={url}
        maxLength={2000}
        inputMode="url"
        autoCapitalize="none"
        onChange={(event) => setUrl(event.target.value)}
      />
      <KindsField
        told={told}
        onChange={setTold}
        mayFollowSecurity={isSecurity}
        mayFollowChanges={!isSecurity}
        error={isTried && lacksKinds ? 'Choose at least one.' : undefined}
      />
      <ProblemLine error={save.error} />
    </Dialog>
  );
}
