import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { apiOf, dataOf } from '../../api/client.ts';
import type { Problem } from '../../api/problem.ts';
import { useWorkspace } from '../../api/session.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { TextField } from '../../design/field.tsx';
import { FormDialog, useForm } from '../../design/form-dialog.tsx';
import { takeFocus } from '../../design/take-focus.ts';
import { readLocation } from '../../navigation/addresses.ts';
import { KindsField, kindsOf, type Told } from './kinds-field.tsx';
import { useRenew, type MadeWebhook } from './webhook-queries.ts';

/** Makes a webhook. */
export function CreateDialog({
  onClose,
  onMade,
}: {
  onClose: () => void;
  onMade: (made: MadeWebhook) => void;
}): ReactNode {
  const { name: workspace, is_admin: isAdmin } = useWorkspace();
  const renew = useRenew();
  const attempts = useAttempts();
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [place, setPlace] = useState('');
  const [told, setTold] = useState<Told>({ what: 'all', kinds: [] });
  const location = readLocation(place);
  const make = useMutation({
    mutationFn: () => {
      const body = { name: name.trim(), url: url.trim(), location, kinds: kindsOf(told) };
      const params = { header: { 'Idempotency-Key': attempts.keyFor(body) } };
      return dataOf(apiOf(workspace).POST('/webhooks', { params, body }));
    },
    onSuccess: onMade,
    onSettled: () => void renew(),
  });
  const faults = {
    name: name.trim() === '' ? 'Enter a name.' : undefined,
    url: /^https?:\/\/\S/i.test(url.trim()) ? undefined : 'Enter an address that begins with https://.',
    location: location === '' && !isAdmin ? 'Enter a folder where you are an approver.' : undefined,
    kinds: told.what !== 'all' && told.kinds.length === 0 ? 'Choose at least one.' : undefined,
  };
  const form = useForm(make, faults, refusedAt);
  return (
    <FormDialog
      title="Add webhook"
      action="Add webhook"
      sending={form}
      onSubmit={() => make.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="What receives it: “Chat of the team”."
        error={form.errors.name}
        value={name}
        maxLength={200}
        ref={takeFocus}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="Address"
        hint="Begins with https://, and holds no user name or password."
        error={form.errors.url}
        value={url}
        maxLength={2000}
        inputMode="url"
        autoCapitalize="none"
        onChange={(event) => setUrl(event.target.value)}
      />
      <TextField
        label={isAdmin ? 'Folder (optional)' : 'Folder'}
        hint={isAdmin ? 'With everything below. Left empty, the whole workspace.' : 'With everything below.'}
        error={form.errors.location}
        value={place}
        maxLength={1000}
        autoCapitalize="none"
        onChange={(event) => setPlace(event.target.value)}
      />
      <KindsField
        told={told}
        onChange={setTold}
        mayFollowSecurity={isAdmin && location === ''}
        error={form.errors.kinds}
      />
      <p className="soft small">
        It tells what you can read, for as long as you are an approver of the folder. It tells that something changed,
        and never the content.
      </p>
    </FormDialog>
  );
}

/** A refusal beside the field that it is about. */
function refusedAt({ code, field, sentence }: Problem): Readonly<Record<string, string>> {
  if (code === 'NOT_FOUND') return { location: 'There is no such folder, or you are no approver of it.' };
  return ['name', 'url', 'location', 'kinds'].includes(field ?? '') ? { [field ?? '']: sentence } : {};
}
