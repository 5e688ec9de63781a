import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { apiOf, dataOf } from '../../api/client.ts';
import { useWorkspace } from '../../api/session.ts';
import { TextField } from '../../design/field.tsx';
import { FormDialog, useForm } from '../../design/form-dialog.tsx';
import { showToast } from '../../design/toast.tsx';
import { KindsField, kindsOf, type Told } from './kinds-field.tsx';
import { useRenew, type Webhook } from './webhook-queries.ts';

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
  const form = useForm(
    save,
    {
      name: name.trim() === '' ? 'Enter a name.' : undefined,
      url: url.trim() === '' ? 'Enter an address.' : undefined,
      kinds: kinds?.length === 0 ? 'Choose at least one.' : undefined,
    },
    () => ({}),
  );
  return (
    <FormDialog title="Change webhook" action="Save" sending={form} onSubmit={() => save.mutate()} onClose={onClose}>
      <TextField
        label="Name"
        error={form.errors.name}
        value={name}
        maxLength={200}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="Address"
        error={form.errors.url}
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
        error={form.errors.kinds}
      />
    </FormDialog>
  );
}
