import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { apiOf, dataOf } from '../../api/client.ts';
import { useWorkspace } from '../../api/session.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { SelectField, TextField } from '../../design/field.tsx';
import { FormDialog, useForm } from '../../design/form-dialog.tsx';
import { Notice } from '../../design/notice.tsx';
import { takeFocus } from '../../design/take-focus.ts';
import { showToast } from '../../design/toast.tsx';
import { useRefresh, type Subject } from './access-queries.ts';

type Role = 'reader' | 'editor' | 'approver';

/** Gives a principal or group a role on a folder or document. */
export function GrantDialog({
  subject,
  displayName,
  onClose,
}: {
  subject: Subject;
  displayName: string;
  onClose: () => void;
}): ReactNode {
  const { name: workspace } = useWorkspace();
  const refresh = useRefresh();
  const [type, setType] = useState<'folder' | 'document'>('folder');
  const [location, setLocation] = useState('');
  const [role, setRole] = useState<Role>('reader');
  const attempts = useAttempts();
  const place = location.trim().replace(/^\//, '').replace(/\/$/, '');
  const add = useMutation({
    mutationFn: () => {
      const body = { scope_type: type, scope_id: place, subject: { type: subject.type, id: subject.id }, role };
      const params = { header: { 'Idempotency-Key': attempts.keyFor(body) } };
      return dataOf(apiOf(workspace).POST('/grants', { params, body }));
    },
    onSuccess: () => {
      onClose();
      showToast({
        text: `${displayName} now has the role ${role} in ${place === '' ? 'the whole workspace' : place}.`,
      });
    },
    onSettled: () => void refresh(),
  });
  const form = useForm(
    add,
    { place: type === 'document' && place === '' ? 'Enter the document’s location.' : undefined },
    ({ code, field, reason, sentence }) => ({
      place:
        code === 'NOT_FOUND' && type === 'document'
          ? 'There is no such document.'
          : field === 'scope_id' || reason === 'name_taken'
            ? sentence
            : undefined,
    }),
  );
  return (
    <FormDialog
      title={`Add grant for ${displayName}`}
      action="Add grant"
      sending={form}
      onSubmit={() => add.mutate()}
      onClose={onClose}
    >
      <SelectField label="On" value={type} onChange={(event) => setType(event.target.value as typeof type)}>
        <option value="folder">A folder, with all below it</option>
        <option value="document">One document</option>
      </SelectField>
      <TextField
        label={type === 'folder' ? 'Folder' : 'Document'}
        hint={
          type === 'folder' ? 'Left empty, it is the whole workspace. The folder may be new.' : 'Its whole location.'
        }
        placeholder={type === 'folder' ? 'handbook/policies' : 'handbook/travel.md'}
        error={form.errors.place}
        value={location}
        maxLength={1024}
        ref={takeFocus}
        onChange={(event) => setLocation(event.target.value)}
      />
      <SelectField
        label="Role"
        hint={roles[role]}
        value={role}
        onChange={(event) => setRole(event.target.value as Role)}
      >
        <option value="reader">Reader</option>
        <option value="editor">Editor</option>
        <option value="approver">Approver</option>
      </SelectField>
      {type === 'folder' && place === '' && role === 'approver' && (
        <Notice tone="warning" title="This makes an admin">
          <p>Approvers of the whole workspace see everything, and manage people, groups and tokens.</p>
        </Notice>
      )}
    </FormDialog>
  );
}

const roles: Readonly<Record<Role, string>> = {
  reader: 'Reads, searches, exports and comments.',
  editor: 'Also writes, moves and deletes.',
  approver: 'Also shares and erases.',
};
