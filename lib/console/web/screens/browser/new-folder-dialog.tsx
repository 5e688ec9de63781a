import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { apiOf, dataOf } from '../../api/client.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { TextField } from '../../design/field.tsx';
import { FormDialog, useForm } from '../../design/form-dialog.tsx';

/** Asks for a name, and makes an empty folder that stays. */
export function NewFolderDialog({
  workspace,
  parent,
  onDone,
  onClose,
}: {
  workspace: string;
  /** The location of the folder around it; '' for the root. */
  parent: string;
  onDone: (location: string) => void;
  onClose: () => void;
}): ReactNode {
  const [name, setName] = useState('');
  const attempts = useAttempts();
  const creation = useMutation({
    mutationFn: (location: string) => {
      const params = { header: { 'Idempotency-Key': attempts.keyFor(location) } };
      return dataOf(apiOf(workspace).POST('/folders', { params, body: { location } }));
    },
    onSuccess: ({ location }) => onDone(location),
  });
  const wanted = name.trim().normalize('NFC');
  const form = useForm(creation, {}, ({ sentence }) => ({ name: sentence }));
  return (
    <FormDialog
      title="New folder"
      action="Create folder"
      sending={form}
      isDisabled={wanted === ''}
      onSubmit={() => {
        if (wanted !== '') creation.mutate(parent === '' ? wanted : `${parent}/${wanted}`);
      }}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={name}
        autoFocus
        onChange={({ target }) => {
          setName(target.value);
          creation.reset();
        }}
        hint="A slash makes a folder in the new folder."
        error={form.errors.name}
      />
    </FormDialog>
  );
}
