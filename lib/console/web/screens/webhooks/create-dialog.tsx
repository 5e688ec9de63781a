import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { apiOf, dataOf } from '../../api/client.ts';
import { asProblem, type Problem } from '../../api/problem.ts';
import { useWorkspace } from '../../api/session.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { TextField } from '../../design/field.tsx';
import { ProblemLine } from '../../design/state.tsx';
import { takeFocus } from '../../design/take-focus.ts';
import { readLocation } from '../../navigation/addresses.ts';
import { KindsField, kindsOf, type Told } from './kinds-field.tsx';
import { useRenew, type MadeWebhook } from './queries.ts';

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
  const [isTried, setTried] = useState(false);
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
  const problem = make.error === null ? undefined : asProblem(make.error);
  const faults = {
    name: name.trim() === '' ? 'Enter a name.' : undefined,
    url: /^https?:\/\/\S/i.test(url.trim()) ? undefined : 'Enter an address that begins with https://.',
    location: location === '' && !isAdmin ? 'Enter a folder where you are an approver.' : undefined,
    kinds: told.what !== 'all' && told.kinds.length === 0 ? 'Choose at least one.' : undefined,
  };
  const shown = isTried ? faults : undefined;
  const submit = (): void => {
    setTried(true);
    if (!make.isPending && Object.values(faults).every((fault) => fault === undefined)) make.mutate();
  };
  return (
    <Dialog
      title="Add webhook"
      onClose={onClose}
      onSubmit={submit}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isPending={make.isPending}>
            Add webhook
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        hint="What receives it: “Chat of the team”."
        error={shown?.name ?? faultAt(problem, 'name')}
        value={name}
        maxLength={200}
        ref={takeFocus}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="Address"
        hint="Begins with https://, and holds no user name or password."
        error={shown?.url ?? faultAt(problem, 'url')}
        value={url}
        maxLength={2000}
        inputMode="url"
        autoCapitalize="none"
        onChange={(event) => setUrl(event.target.value)}
      />
      <TextField
        label={isAdmin ? 'Folder (optional)' : 'Folder'}
        hint={isAdmin ? 'With everything below. Left empty, the whole workspace.' : 'With everything below.'}
        error={shown?.location ?? faultAt(problem, 'location')}
        value={place}
        maxLength={1000}
        autoCapitalize="none"
        onChange={(event) => setPlace(event.target.value)}
      />
      <KindsField
        told={told}
        onChange={setTold}
        mayFollowSecurity={isAdmin && location === ''}
        error={shown?.kinds ?? faultAt(problem, 'kinds')}
      />
      <p className="soft small">
        It tells what you can read, for as long as you are an approver of the folder. It tells that something changed,
        and never the content.
      </p>
      {problem !== undefined && !isAtField(problem) && <ProblemLine error={problem} />}
    </Dialog>
  );
}

function faultAt(problem: Problem | undefined, field: string): string | undefined {
  if (problem?.code === 'NOT_FOUND' && field === 'location') {
    return 'There is no such folder, or you are no approver of it.';
  }
  return problem?.field === field ? problem.sentence : undefined;
}

const isAtField = (problem: Problem): boolean =>
  ['name', 'url', 'location', 'kinds'].some((field) => faultAt(problem, field) !== undefined);
