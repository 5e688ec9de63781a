import { FolderOpen, PlugZap } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useMutation } from '@tanstack/react-query';
import { useLocation, useSearchParams } from 'wouter';
import { apiOf, dataOf, newIdempotencyKey } from '../../api/client.ts';
import { asProblem, type Problem } from '../../api/problem.ts';
import { useWorkspace } from '../../api/session.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { Button } from '../../design/button.tsx';
import { SelectField, TextField } from '../../design/field.tsx';
import { Page, Panel } from '../../design/page.tsx';
import { ProblemLine, ProblemState, Skeleton, State } from '../../design/state.tsx';
import { showToast } from '../../design/toast.tsx';
import { addressOf, nameOf, readLocation } from '../../navigation/addresses.ts';
import { KindChoice } from './kind-choice.tsx';
import { useConnectorChanges, useKinds, type DescribedKind, type Kind, type TestResult } from './connector-queries.ts';
import { isAt, SecretField, SettingsFields } from './settings-fields.tsx';
import { faultOf, fieldsOf, isWanted, settingsOf, suggestName, type Typed } from './settings.ts';
import { TestNotice } from './test-notice.tsx';
import { intervals, nameInterval, usualInterval } from './connector-words.ts';

const FolderDialog = lazy(async () => ({ default: (await import('./folder-dialog.tsx')).FolderDialog }));

const title = 'Mirror a source';

/** Connects a source to a folder. */
export function NewConnector(): ReactNode {
  const { name } = useWorkspace();
  const kinds = useKinds();
  return (
    <Page title={title} crumbs={[{ name: 'Connectors', href: addressOf.connectors(name) }]} heading={title}>
      {kinds.data === undefined ? (
        kinds.error === null ? (
          <Skeleton />
        ) : (
          <ProblemState error={kinds.error} onRetry={() => void kinds.refetch()} />
        )
      ) : kinds.data.length === 0 ? (
        <State icon={PlugZap} title="This service has no connectors">
          <p>The operator of the service has switched them off.</p>
        </State>
      ) : (
        <ConnectForm kinds={kinds.data} />
      )}
    </Page>
  );
}

interface Tested {
  /** What was tested, as it was sent. */
  readonly wish: string;
  readonly result: TestResult;
}

function ConnectForm({ kinds }: { kinds: readonly DescribedKind[] }): ReactNode {
  const { name: workspace } = useWorkspace();
  const [, navigate] = useLocation();
  const [query] = useSearchParams();
  const folder = query.get('folder') ?? '';
  const changes = useConnectorChanges();
  const attempts = useAttempts();
  const [kind, setKind] = useState<Kind>();
  const [typed, setTyped] = useState<Typed>({});
  const [secret, setSecret] = useState('');
  const [ownPlace, setPlace] = useState<string>();
  const [ownName, setName] = useState<string>();
  const [interval, setInterval] = useState(usualInterval);
  const [isTried, setTried] = useState(false);
  const [tested, setTested] = useState<Tested>();
  const [isChoosing, setChoosing] = useState(false);

  const described = kinds.find((each) => each.kind === kind);
  const suggested = kind === undefined ? '' : suggestName(kind, typed);
  const inFolder = (place: string): string => (place === '' ? suggested : `${place}/${suggested}`);
  const location = readLocation(ownPlace ?? (suggested === '' ? '' : inFolder(folder)));
  const name = (ownName ?? suggested).trim();
  const fields = described === undefined ? [] : fieldsOf(described);
  const connection = {
    location,
    kind: kind ?? 'git',
    settings: settingsOf(fields, typed),
    ...(secret !== '' && described?.secret !== null && { secret }),
  };
  const wish = JSON.stringify(connection);
  const result = tested?.wish === wish ? tested.result : undefined;

  const test = useMutation({
    mutationFn: async (asked: { readonly body: typeof connection; readonly wish: string }) => {
      const { body } = asked;
      const params = { header: { 'Idempotency-Key': newIdempotencyKey() } };
      return { wish: asked.wish, result: await dataOf(apiOf(workspace).POST('/connector-tests', { params, body })) };
    },
    onSuccess: setTested,
  });
  const connect = useMutation({
    mutationFn: () => {
      const body = { ...connection, name, interval_seconds: interval };
      const params = { header: { 'Idempotency-Key': attempts.keyFor(body) } };
      return dataOf(apiOf(workspace).POST('/connectors', { params, body }));
    },
    onSuccess: (made) => {
      changes.keep(made);
      showToast({ text: `${made.name} is connected. The first sync begins.` });
      navigate(addressOf.connector(workspace, made.id), { replace: true });
    },
  });
  const isPending = test.isPending || connect.isPending;
  const error = connect.error ?? test.error;
  const problem = error === null ? undefined : asProblem(error);
  const isComplete =
    described !== undefined &&
    location !== '' &&
    name !== '' &&
    fields.every((field) => !isWanted(field, typed) || faultOf(field, typed[field.name]) === undefined);
  const begin = (): boolean => {
    setTried(true);
    connect.reset();
    test.reset();
    return isComplete && !isPending;
  };
  const tryIt = (): void => {
    if (begin()) test.mutate({ body: connection, wish });
  };
  const submit = async (): Promise<void> => {
    if (!begin()) return;
    const works = result ?? (await test.mutateAsync({ body: connection, wish }).catch(() => undefined))?.result;
    if (works?.works === true) connect.mutate();
  };

  return (
    <form
      className="connector-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <KindChoice
        kinds={kinds}
        chosen={kind}
        onChoose={(to) => {
          setKind(to);
          setTyped({});
          setSecret('');
          setTried(false);
        }}
      />
      {described !== undefined && (
        <>
          <Panel title="The source">
            <div className="stack">
              <SettingsFields
                described={described}
                typed={typed}
                onType={setTyped}
                isTried={isTried}
                problem={problem}
              />
              <SecretField
                described={described}
                typed={typed}
                secret={secret}
                onType={setSecret}
                error={isAt({ name: 'secret' }, problem) ? problem?.sentence : undefined}
              />
            </div>
          </Panel>
          <Panel title="The mirror">
            <div className="stack">
              <div className="connector-place">
                <TextField
                  label="Folder here"
                  hint="A new folder, or one that is empty."
                  error={isTried && location === '' ? 'Enter a folder.' : faultAtPlace(problem)}
                  value={ownPlace ?? location}
                  maxLength={1000}
                  onChange={(event) => setPlace(event.target.value)}
                />
                <Button icon={FolderOpen} onClick={() => setChoosing(true)}>
                  Choose…
                </Button>
              </div>
              <TextField
                label="Name"
                hint="What people know the source by. The history of each document says it."
                error={isTried && name === '' ? 'Enter a name.' : faultAt(problem, ['name', 'display_name'])}
                value={ownName ?? name}
                maxLength={200}
                onChange={(event) => setName(event.target.value)}
              />
              <SelectField
                label="Sync"
                hint="Less often while nothing changes at the source."
                value={interval}
                onChange={(event) => setInterval(Number(event.target.value))}
              >
                {intervals.map(([seconds, words]) => (
                  <option key={seconds} value={seconds}>
                    {words}
                  </option>
                ))}
              </SelectField>
            </div>
          </Panel>
          <WhatWillHappen location={location} interval={interval} />
          {result !== undefined && (
            <TestNotice
              result={result}
              action={
                !result.works && (
                  <Button size="small" isPending={connect.isPending} onClick={() => connect.mutate()}>
                    Connect anyway
                  </Button>
                )
              }
            />
          )}
          {problem !== undefined && !isAtField(problem, fields) && <ProblemLine error={problem} />}
          {isTried && !isComplete && (
            <p className="field-error" role="alert">
              Something is missing above.
            </p>
          )}
          <div className="cluster connector-actions">
            <Button isPending={test.isPending} onClick={tryIt}>
              Test connection
            </Button>
            <Button look="primary" type="submit" isPending={isPending}>
              Connect
            </Button>
          </div>
          {isChoosing && (
            <Suspense fallback={null}>
              <FolderDialog
                onClose={() => setChoosing(false)}
                onChoose={(parent) => {
                  const own = nameOf(location) || suggested;
                  setPlace(parent === '' ? own : `${parent}/${own}`);
                  setChoosing(false);
                }}
              />
            </Suspense>
          )}
        </>
      )}
    </form>
  );
}

const faultAt = (problem: Problem | undefined, fields: readonly string[]): string | undefined =>
  problem?.field !== undefined && fields.includes(problem.field) ? problem.sentence : undefined;

const placeReasons: readonly string[] = ['mirror_nested', 'name_taken', 'folder_not_empty', 'bad_location'];

function faultAtPlace(problem: Problem | undefined): string | undefined {
  if (problem?.code === 'NOT_FOUND') return 'You need the approver role at this place.';
  if (problem?.reason !== undefined && placeReasons.includes(problem.reason)) return problem.sentence;
  return faultAt(problem, ['location']);
}

function isAtField(problem: Problem, fields: readonly { readonly name: string }[]): boolean {
  return (
    faultAtPlace(problem) !== undefined ||
    faultAt(problem, ['name', 'display_name']) !== undefined ||
    [...fields, { name: 'secret' }].some((field) => isAt(field, problem))
  );
}

/** What a connection does, before it is made. */
function WhatWillHappen({ location, interval }: { location: string; interval: number }): ReactNode {
  return (
    <Panel title="What will happen">
      <ul className="plain-list">
        <li>
          {location === '' ? (
            'The folder is made. '
          ) : (
            <>
              The folder <bdi>{location}</bdi> is made, if it is not there yet.{' '}
            </>
          )}
          From then on only the connector writes in it.
        </li>
        <li>
          Everything that the credential can read at the source comes into the folder. Everyone who can read the folder
          can read all of it: the permissions of the source are not mirrored.
        </li>
        <li>
          The first sync begins at once. After that: {nameInterval(interval).toLowerCase()}. Each sync that finds
          changes is one step in the history.
        </li>
        <li>A sync that would delete many documents at once waits until somebody approves it.</li>
      </ul>
    </Panel>
  );
}
