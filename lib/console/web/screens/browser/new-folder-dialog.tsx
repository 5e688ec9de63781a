import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { apiOf, dataOf } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { TextField } from '../../design/field.tsx';

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
  const fault = creation.error === null ? undefined : asProblem(creation.error).sentence;
  return (
    <Dialog
      title="New folder"
      onClose={onClose}
      onSubmit={() => {
        if (wanted !== '' && !creation.isPending) creation.mutate(parent === '' ? wanted : `${parent}/${wanted}`);
      }}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" isPending={creation.isPending} disabled={wanted === ''}>
            Create folder
          </Button>
        </>
      }
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
        error={fault}
      />
    </Dialog>
  );
}
