import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { apiOf, dataOf } from '../../api/client.ts';
import { asProblem, type Problem } from '../../api/problem.ts';
import { useWorkspace } from '../../api/session.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { TextField } from '../../design/field.tsx';
import { takeFocus } from '../../design/take-focus.ts';
import { ProblemLine } from '../../design/state.tsx';
import { showToast } from '../../design/toast.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { LinkDialog } from './link-dialog.tsx';
import { useRefresh, type SignInLink } from './queries.ts';

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
  const finish = (): void => {
    onClose();
    showToast({ text: `${displayName.trim()} was added.` });
  };
  if (link !== undefined) {
    return <LinkDialog link={link} displayName={displayName.trim()} onClose={finish} />;
  }
  const problem = add.error === null ? undefined : asProblem(add.error);
  const submit = (): void => {
    setNameMissing(displayName.trim() === '');
    if (displayName.trim() !== '' && !add.isPending) add.mutate();
  };
  const leave = (): void => {
    onClose();
    // The person is there, and only the link is missing: their page can make it.
    if (addedId !== undefined) navigate(addressOf.principal(workspace, addedId));
  };
  return (
    <Dialog
      title={kind === 'person' ? 'Add person' : 'Add agent'}
      onClose={leave}
      onSubmit={submit}
      footer={
        <>
          <Button onClick={leave}>Cancel</Button>
          <Button look="primary" type="submit" isPending={add.isPending}>
            {kind === 'person' ? 'Add person' : 'Add agent'}
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        hint={
          kind === 'person'
            ? 'As others see it beside what the person writes.'
            : 'Say what it does: "Release notes bot".'
        }
        error={isNameMissing ? 'Enter a name.' : faultOf(problem, ['name', 'display_name'])}
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
          error={problem?.reason === 'name_taken' ? problem.sentence : faultOf(problem, ['sign_in', 'sign_in_name'])}
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
      {problem !== undefined && !isAtField(problem) && <ProblemLine error={problem} />}
    </Dialog>
  );
}

const isAtField = ({ field, reason }: Problem): boolean =>
  reason === 'name_taken' || ['name', 'display_name', 'sign_in', 'sign_in_name'].includes(field ?? '');

const faultOf = (problem: Problem | undefined, fields: readonly string[]): string | undefined =>
  problem !== undefined && problem.field !== undefined && fields.includes(problem.field) ? problem.sentence : undefined;
