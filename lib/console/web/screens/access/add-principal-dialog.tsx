import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { apiOf, dataOf } from '../../api/client.ts';
import { useWorkspace } from '../../api/session.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { TextField } from '../../design/field.tsx';
import { FormDialog, useForm } from '../../design/form-dialog.tsx';
import { takeFocus } from '../../design/take-focus.ts';
import { showToast } from '../../design/toast.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { LinkDialog } from './link-dialog.tsx';
import { useRefresh, type SignInLink } from './access-queries.ts';

/** Adds a person, and makes the link by which they sign in; or an agent, which gets a token on its page. */
export function AddPrincipalDialog({ kind, onClose }: { kind: 'person' | 'agent'; onClose: () => void }): ReactNode {
  const { name: workspace } = useWorkspace();
  const [, navigate] = useLocation();
  const refresh = useRefresh();
  const [displayName, setDisplayName] = useState('');
  const [signInName, setSignInName] = useState('');
  const attempts = useAttempts();
  const [addedId, setAddedId] = useState<string>();
  const [link, setLink] = useState<SignInLink>();
  const add = useMutation({
    mutationFn: async () => {
      const api = apiOf(workspace);
      let principal = addedId;
      if (principal === undefined) {
        const body = { kind, display_name: displayName };
        const params = { header: { 'Idempotency-Key': attempts.keyFor(body) } };
        ({ id: principal } = await dataOf(api.POST('/principals', { params, body })));
        setAddedId(principal);
      }
      if (kind === 'agent') return undefined;
      const name = signInName.trim();
      return dataOf(api.POST('/sign-in-links', { body: { principal, ...(name !== '' && { sign_in_name: name }) } }));
    },
    onSuccess: (made) => {
      if (made !== undefined) setLink(made);
      else finish();
    },
    onSettled: () => void refresh(),
  });
  const [isNameMissing, setNameMissing] = useState(false);
  const form = useForm(add, {}, ({ field = '', reason, sentence }) => ({
    name: ['name', 'display_name'].includes(field) ? sentence : undefined,
    signIn: reason === 'name_taken' || ['sign_in', 'sign_in_name'].includes(field) ? sentence : undefined,
  }));
  const finish = (): void => {
    onClose();
    showToast({ text: `${displayName.trim()} was added.` });
  };
  if (link !== undefined) {
    return <LinkDialog link={link} displayName={displayName.trim()} onClose={finish} />;
  }
  const submit = (): void => {
    setNameMissing(displayName.trim() === '');
    if (displayName.trim() !== '') add.mutate();
  };
  const leave = (): void => {
    onClose();
    // The person is there, and only the link is missing: their page can make it.
    if (addedId !== undefined) navigate(addressOf.principal(workspace, addedId));
  };
  return (
    <FormDialog
      title={kind === 'person' ? 'Add person' : 'Add agent'}
      action={kind === 'person' ? 'Add person' : 'Add agent'}
      sending={form}
      onSubmit={submit}
      onClose={leave}
    >
      <TextField
        label="Name"
        hint={
          kind === 'person'
            ? 'As others see it beside what the person writes.'
            : 'Say what it does: "Release notes bot".'
        }
        error={isNameMissing ? 'Enter a name.' : form.errors.name}
        value={displayName}
        readOnly={addedId !== undefined}
        maxLength={200}
        ref={takeFocus}
        onChange={(event) => setDisplayName(event.target.value)}
      />
      {kind === 'person' && (
        <TextField
          label="Sign-in name (optional)"
          hint="An e-mail address or a name. Left empty, it is made from the name."
          error={form.errors.signIn}
          value={signInName}
          maxLength={254}
          autoCapitalize="none"
          onChange={(event) => setSignInName(event.target.value)}
        />
      )}
      <p className="soft small">
        {kind === 'person'
          ? 'You get a link for them, by which they choose a password. They reach nothing until you share with them.'
          : 'An agent signs in with a token, which you mint on its page. It reaches nothing until you share with it.'}
      </p>
    </FormDialog>
  );
}
