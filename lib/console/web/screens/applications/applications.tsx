import { AppWindow } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useMutation, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { apiOf, dataOf } from '../../api/client.ts';
import type { components } from '../../api/described.d.ts';
import { asProblem } from '../../api/problem.ts';
import { useRead } from '../../api/read.ts';
import { useWorkspace } from '../../api/session.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { ConfirmDialog } from '../../design/form-dialog.tsx';
import { Page, Panel } from '../../design/page.tsx';
import { Secret } from '../../design/secret.tsx';
import { ProblemState, Skeleton, State } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { showToast } from '../../design/toast.tsx';
import { base } from '../../navigation/addresses.ts';

type Application = components['schemas']['OwnApplication'];

const keyOf = (workspace: string): readonly string[] => [workspace, 'applications'];

function useApplications(): UseQueryResult<readonly Application[]> {
  const { name } = useWorkspace();
  return useRead(name, keyOf(name), '/applications', {}, { select: ({ items }) => items });
}

/** The applications that act for the person, and how to let one in. */
export function Applications(): ReactNode {
  const { name } = useWorkspace();
  const { data, error, refetch } = useApplications();
  const [ending, setEnding] = useState<Application>();
  return (
    <Page title="Your applications">
      <p className="soft">
        An application acts as you in <bdi>{name}</bdi>: it reaches what you reach, and what it does is recorded under
        your name.
      </p>
      <Panel title="Applications that act for you" isFlush>
        {data === undefined ? (
          <div className="list-wait">
            {error === null ? (
              <Skeleton lines={3} />
            ) : (
              <ProblemState error={error} what="list" onRetry={() => void refetch()} />
            )}
          </div>
        ) : data.length === 0 ? (
          <State icon={AppWindow} title="No application acts for you">
            <p>Each one has to ask you first. How to let one in stands below.</p>
          </State>
        ) : (
          <ul className="rows" aria-label="Applications that act for you">
            {data.map((application) => (
              <Row key={application.id} application={application} onEnd={() => setEnding(application)} />
            ))}
          </ul>
        )}
      </Panel>
      <LetIn />
      <p className="soft small">
        <a href={`${base}/signin/sessions`}>Where you are signed in</a> lists your browsers, and the applications of all
        your workspaces.
      </p>
      {ending !== undefined && <EndDialog application={ending} onClose={() => setEnding(undefined)} />}
    </Page>
  );
}

function Row({ application, onEnd }: { application: Application; onEnd: () => void }): ReactNode {
  const { name, answers_to: answersTo, may_write: mayWrite, last_used_at: lastUsed } = application;
  return (
    <li>
      <div className="application-main">
        <span className="cluster">
          <bdi className="application-name">{name}</bdi>
          <Badge tone={mayWrite ? 'warning' : 'neutral'}>{mayWrite ? 'reads and writes' : 'reads only'}</Badge>
        </span>
        <span className="soft small application-line">
          {lastUsed === null ? 'Not used so far' : <>Last used {<Time at={lastUsed} />}</>} · let in{' '}
          <Time at={application.created_at} /> · ends <Time at={application.expires_at} /> · answers go to{' '}
          <bdi>{answersTo}</bdi>
        </span>
      </div>
      <Button size="small" look="danger-plain" aria-label={`End ${name}`} onClick={onEnd}>
        End
      </Button>
    </li>
  );
}

/** Asks before an application is ended, and says what stops working. */
function EndDialog({ application, onClose }: { application: Application; onClose: () => void }): ReactNode {
  const { name: workspace } = useWorkspace();
  const queries = useQueryClient();
  const { id, name } = application;
  const end = useMutation({
    mutationFn: async () => {
      const answer = apiOf(workspace).DELETE('/applications/{id}', { params: { path: { id } } });
      await dataOf(answer).catch((error: unknown) => {
        // It is over already, as somebody wanted.
        if (asProblem(error).code !== 'NOT_FOUND') throw error;
      });
    },
    onSuccess: () => {
      onClose();
      showToast({ text: `${name} acts for you no longer.` });
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: keyOf(workspace) }),
  });
  return (
    <ConfirmDialog
      title={`End ${name}?`}
      action="End application"
      sending={end}
      onConfirm={() => end.mutate()}
      onClose={onClose}
    >
      <p>
        <bdi>{name}</bdi> is refused from its next request on. What it wrote for you stays. To use it again, let it in
        again.
      </p>
    </ConfirmDialog>
  );
}

/** The address to give to an application, and what happens then. */
function LetIn(): ReactNode {
  const { name } = useWorkspace();
  const address = `${window.location.origin}${base}/mcp`;
  return (
    <Panel title="Let an application in">
      <div className="stack">
        <p>
          Any application that speaks MCP can work for you here: Claude, Cursor, VS Code and others. You give it this
          address, and no password.
        </p>
        <Secret label="Address for the application" text={address} />
        <ol className="application-steps">
          <li>In the application, add a remote MCP server, or a custom connector, with this address.</li>
          <li>
            The application opens a page of this service. Check there which application asks, and where its answers go.
          </li>
          <li>
            Choose the workspace <bdi>{name}</bdi>, and whether it may write. Then press <strong>Allow</strong>.
          </li>
          <li>The application is in the list above from then on.</li>
        </ol>
        <Secret label="For Claude Code" text={`claude mcp add --transport http cartulary ${address}`} />
      </div>
    </Panel>
  );
}
