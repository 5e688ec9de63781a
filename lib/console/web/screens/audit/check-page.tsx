import { Download, KeyRound, ShieldCheck } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { apiAddress, apiOf, dataOf } from '../../api/client.ts';
import { useWorkspace } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { Choice } from '../../design/field.tsx';
import { Notice } from '../../design/notice.tsx';
import { Page, Panel } from '../../design/page.tsx';
import { PlainText } from '../../design/plain-text.tsx';
import { ProblemLine, ProblemState, Skeleton } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { showProblem } from '../../design/toast.tsx';
import { useVerification, type Verification } from './audit-queries.ts';
import { AuditTabs } from './audit-tabs.tsx';

/** Checks the log on the server, and gives it to those who check it elsewhere. For admins. */
export function CheckPage(): ReactNode {
  return (
    <Page title="Audit log">
      <AuditTabs current="check" />
      <CheckPanel />
      <ExportPanel />
    </Page>
  );
}

function CheckPanel(): ReactNode {
  const { verification, begin } = useVerification();
  const { data, error, refetch } = verification;
  const isRunning = data?.state === 'running';
  return (
    <Panel
      title="Is the log whole?"
      actions={
        data !== undefined && (
          <Button
            look="primary"
            icon={ShieldCheck}
            isPending={begin.isPending || isRunning}
            onClick={() => begin.mutate()}
          >
            {isRunning ? 'Checking' : data === null ? 'Check the log' : 'Check again'}
          </Button>
        )
      }
    >
      <div className="stack">
        <p className="soft">
          Each record holds the hash of the record before it. The check goes through all records, their texts and
          signatures. A record that was changed, moved or removed is found.
        </p>
        <ProblemLine error={begin.error} />
        {data === undefined ? (
          error === null ? (
            <Skeleton lines={2} />
          ) : (
            <ProblemState error={error} what="check" onRetry={() => void refetch()} />
          )
        ) : (
          data !== null && <Outcome check={data} />
        )}
      </div>
    </Panel>
  );
}

const count = new Intl.NumberFormat('en');

function Outcome({ check }: { check: Verification }): ReactNode {
  const { state, records, checked, started_at: startedAt, ended_at: endedAt, result } = check;
  if (state === 'running') {
    return (
      <div className="stack" role="status">
        <p>
          {count.format(checked)} of {count.format(records)} records are checked. You may leave this page and come back.
        </p>
        <progress className="bar" max={Math.max(records, 1)} value={checked} aria-label="Records checked" />
      </div>
    );
  }
  if (result === null) {
    return (
      <Notice tone="warning" title="The check could not be ended" isUrgent>
        <p>
          It broke off after {count.format(checked)} records, because the service stopped or could not read something.
          Nothing is known to be wrong. Check again. If it breaks off once more, run <code>cartulary audit verify</code>{' '}
          on the service’s machine: it names what cannot be read.
        </p>
      </Notice>
    );
  }
  const when = endedAt ?? startedAt;
  return (
    <>
      {result.sound ? <Sound result={result} when={when} /> : <Broken result={result} when={when} />}
      {result.remarks.map((remark) => (
        <Notice key={remark} tone="info">
          <p>
            <PlainText text={remark} />
          </p>
        </Notice>
      ))}
    </>
  );
}

type Result = NonNullable<Verification['result']>;

function Sound({ result, when }: { result: Extract<Result, { sound: true }>; when: string }): ReactNode {
  const { records, head, signed } = result;
  const noted = `${head.seq} ${head.hash}`;
  return (
    <>
      <Notice tone="success" title="The log is whole">
        <p>
          All {count.format(records)} records are as they were written. Checked <Time at={when} />.
        </p>
      </Notice>
      <dl className="facts audit-facts">
        <dt>Head</dt>
        <dd>
          <code>{noted}</code>
          <CopyButton text={noted} label="Copy head" />
        </dd>
        <dt>Signed</dt>
        <dd>
          {signed === null ? (
            'No record is signed yet. The log is signed every thousand records, when the service stops, and in each export.'
          ) : (
            <>
              up to record {count.format(signed.seq)}, <Time at={signed.at} form="exact" />
            </>
          )}
        </dd>
      </dl>
      <p className="soft small">
        Keep the head outside of the service. A later <code>cartulary audit verify --head "…"</code> then shows that
        everything up to it is still there.
      </p>
    </>
  );
}

function Broken({ result, when }: { result: Extract<Result, { sound: false }>; when: string }): ReactNode {
  const { records, first_broken: broken } = result;
  return (
    <Notice tone="danger" title={`Record ${count.format(broken.seq)} is broken`} isUrgent>
      <p>
        <PlainText text={broken.problem} />
      </p>
      <p>
        The {count.format(records)} records before it are as they were written. Nothing can be said of the later ones.
        Checked <Time at={when} />.
      </p>
      {broken.reason === null ? (
        <ol className="audit-steps">
          <li>Change nothing in the data folder, and keep a copy of it as it is.</li>
          <li>
            Export the log below, and run <code>cartulary audit verify</code> on the service’s machine. It should name
            the same record.
          </li>
          <li>
            Find a backup from before: <code>cartulary restore</code> puts it into another folder, where its log can be
            compared.
          </li>
        </ol>
      ) : (
        <p>
          If you know of this restore, run <code>cartulary audit verify --recovered-at COMMIT</code> on the service’s
          machine with the commit that the restore printed. Otherwise find out who made it.
        </p>
      )}
    </Notice>
  );
}

const command = 'cartulary audit verify --export audit.jsonl --key audit-key.pem';

function ExportPanel(): ReactNode {
  const { name } = useWorkspace();
  const [withTexts, setWithTexts] = useState(true);
  const saveKey = async (): Promise<void> => {
    try {
      const { public_key: key } = await dataOf(apiOf(name).GET('/audit/key'));
      saveFile('audit-key.pem', key);
    } catch (error) {
      showProblem(error);
    }
  };
  return (
    <Panel title="Take the log with you">
      <div className="stack">
        <p className="soft">
          An export has all records and a signature over the end. Anyone can check it with the public key, without this
          service.
        </p>
        <Choice
          label="With locations, names and search texts"
          hint="Leave them out for an auditor who must not see them. The export can be checked all the same."
          checked={withTexts}
          onChange={({ target }) => setWithTexts(target.checked)}
        />
        <div className="cluster">
          <Button
            icon={Download}
            onClick={() => window.location.assign(apiAddress(name, `/audit/export?with_texts=${withTexts}`))}
          >
            Export the log
          </Button>
          <Button icon={KeyRound} onClick={() => void saveKey()}>
            Save the public key
          </Button>
        </div>
        <p>Check both files on any machine that has Cartulary:</p>
        <p className="audit-command">
          <code>{command}</code>
          <CopyButton text={command} label="Copy command" />
        </p>
      </div>
    </Panel>
  );
}

/** Gives a text to the browser as a file. */
function saveFile(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/x-pem-file' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
