import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { apiOf, dataOf } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { useWorkspace } from '../../api/session.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { SelectField, TextField } from '../../design/field.tsx';
import { Notice } from '../../design/notice.tsx';
import { takeFocus } from '../../design/take-focus.ts';
import { ProblemLine } from '../../design/state.tsx';
import { showToast } from '../../design/toast.tsx';
import { useRefresh, type Subject } from './queries.ts';

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
  const [isTried, setTried] = useState(false);
  const attempts = useAttempts();
  const place = location.trim().replace(/^\//, '').replace(/\/$/, '');
  const isMissing = type === 'document' && place === '';
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
  const submit = (): void => {
    setTried(true);
    if (!isMissing && !add.isPending) add.mutate();
  };
  const problem = add.error === null ? undefined : asProblem(add.error);
  const isAtPlace = problem !== undefined && (problem.field === 'scope_id' || problem.reason === 'name_taken');
  const isAbsent = problem?.code === 'NOT_FOUND' && type === 'document';
  return (
    <Dialog
      title={`Add grant for ${displayName}`}
      onClose={onClose}
      onSubmit={submit}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isPending={add.isPending}>
            Add grant
          </Button>
        </>
      }
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
        error={
          isTried && isMissing
            ? 'Enter the document’s location.'
            : isAbsent
              ? 'There is no such document.'
              : isAtPlace
                ? problem.sentence
                : undefined
        }
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
      {problem !== undefined && !isAtPlace && !isAbsent && <ProblemLine error={problem} />}
    </Dialog>
  );
}

const roles: Readonly<Record<Role, string>> = {
  reader: 'Reads, searches, exports and comments.',
  editor: 'Also writes, moves and deletes.',
  approver: 'Also shares and erases.',
};
