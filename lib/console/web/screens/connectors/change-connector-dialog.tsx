import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { apiOf, dataOf, newIdempotencyKey } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { useWorkspace } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { SelectField, TextField } from '../../design/field.tsx';
import { FormDialog } from '../../design/form-dialog.tsx';
import { Skeleton } from '../../design/state.tsx';
import { showToast } from '../../design/toast.tsx';
import {
  useConnectorChanges,
  useKinds,
  type Connector,
  type DescribedKind,
  type TestResult,
} from './connector-queries.ts';
import { isAt, SecretField, SettingsFields } from './settings-fields.tsx';
import { faultOf, fieldsOf, isWanted, settingsOf, typedOf, type Typed } from './settings.ts';
import { TestNotice } from './test-notice.tsx';
import { intervals, nameInterval } from './connector-words.ts';

/** Changes a connector's name, how often it syncs, or what it mirrors. */
export function ChangeDialog({ connector, onClose }: { connector: Connector; onClose: () => void }): ReactNode {
  const kinds = useKinds();
  const described = kinds.data?.find((each) => each.kind === connector.kind);
  if (described !== undefined) return <ChangeForm connector={connector} described={described} onClose={onClose} />;
  return (
    <Dialog title="Change settings" onClose={onClose}>
      {kinds.data === undefined && kinds.error === null ? (
        <Skeleton />
      ) : (
        <p>This service cannot mirror sources of this kind any more. Its operator can change that.</p>
      )}
    </Dialog>
  );
}

interface ChangeFormProps {
  readonly connector: Connector;
  readonly described: DescribedKind;
  readonly onClose: () => void;
}

function ChangeForm({ connector, described, onClose }: ChangeFormProps): ReactNode {
  const { name: workspace } = useWorkspace();
  const changes = useConnectorChanges();
  const { id, kind, location, has_secret: hasSecret } = connector;
  const [name, setName] = useState(connector.name);
  const [interval, setInterval] = useState(connector.interval_seconds);
  const [typed, setTyped] = useState<Typed>(() => typedOf(connector.settings));
  const [secret, setSecret] = useState('');
  const [isTried, setTried] = useState(false);
  const [result, setResult] = useState<TestResult>();
  const fields = fieldsOf(described);
  const settings = settingsOf(fields, typed);
  const isOther = JSON.stringify(sorted(settings)) !== JSON.stringify(sorted(connector.settings));
  const given = described.secret !== null && secret !== '' ? secret : null;
  const isComplete =
    name.trim() !== '' &&
    fields.every((field) => !isWanted(field, typed) || faultOf(field, typed[field.name]) === undefined) &&
    !(isOther && hasSecret && given === null);
  const save = useMutation({
    mutationFn: async (isSure: boolean) => {
      if (isOther && !isSure) {
        const body = { location, kind, settings, ...(given !== null && { secret: given }) };
        const params = { header: { 'Idempotency-Key': newIdempotencyKey() } };
        const found = await dataOf(apiOf(workspace).POST('/connector-tests', { params, body }));
        setResult(found);
        if (!found.works) return undefined;
      }
      const body = {
        ...(name.trim() !== connector.name && { name: name.trim() }),
        ...(interval !== connector.interval_seconds && { interval_seconds: interval }),
        ...(isOther && { settings, secret: given }),
      };
      if (Object.keys(body).length === 0) return connector;
      return dataOf(apiOf(workspace).PATCH('/connectors/{id}', { params: { path: { id } }, body }));
    },
    onSuccess: (changed) => {
      if (changed === undefined) return;
      changes.keep(changed);
      void changes.renew();
      onClose();
      showToast({ text: isOther ? 'The settings are changed. A sync lists everything again.' : 'Saved.' });
    },
  });
  const problem = save.error === null ? undefined : asProblem(save.error);
  const isAtField = [...fields, { name: 'secret' }].some((field) => isAt(field, problem));
  const submit = (isSure: boolean): void => {
    setTried(true);
    setResult(undefined);
    if (isComplete && !save.isPending) save.mutate(isSure);
  };
  return (
    <FormDialog
      title="Change settings"
      action={isOther ? 'Test and save' : 'Save'}
      sending={{ isPending: save.isPending, error: isAtField ? null : save.error }}
      onSubmit={() => submit(false)}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={name}
        maxLength={200}
        error={isTried && name.trim() === '' ? 'Enter a name.' : undefined}
        onChange={(event) => setName(event.target.value)}
      />
      <SelectField label="Sync" value={interval} onChange={(event) => setInterval(Number(event.target.value))}>
        {intervals.every(([seconds]) => seconds !== connector.interval_seconds) && (
          <option value={connector.interval_seconds}>{nameInterval(connector.interval_seconds)}</option>
        )}
        {intervals.map(([seconds, words]) => (
          <option key={seconds} value={seconds}>
            {words}
          </option>
        ))}
      </SelectField>
      <SettingsFields described={described} typed={typed} onType={setTyped} isTried={isTried} problem={problem} />
      {isOther && (
        <>
          <SecretField
            described={described}
            typed={typed}
            secret={secret}
            onType={setSecret}
            isRequired={hasSecret}
            error={
              isTried && hasSecret && given === null
                ? 'Enter the credential again: the present one was given for the earlier settings.'
                : isAt({ name: 'secret' }, problem)
                  ? problem?.sentence
                  : undefined
            }
          />
          <p className="soft small">
            With other settings the next sync lists everything again. What is no longer there is deleted from the
            mirror; if that is much, it waits for an approval. The folder <bdi>{location}</bdi> stays.
          </p>
        </>
      )}
      {result?.works === false && (
        <TestNotice
          result={result}
          action={
            <Button size="small" isPending={save.isPending} onClick={() => submit(true)}>
              Save anyway
            </Button>
          }
        />
      )}
    </FormDialog>
  );
}

const sorted = (settings: Readonly<Record<string, unknown>>): [string, unknown][] =>
  Object.entries(settings).toSorted(([one], [other]) => (one < other ? -1 : 1));
