import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { apiOf, dataOf } from '../../api/client.ts';
import { useWorkspace } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { ConfirmDialog } from '../../design/form-dialog.tsx';
import { Panel } from '../../design/page.tsx';
import { ProblemLine, Skeleton } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { showToast } from '../../design/toast.tsx';
import { LinkDialog } from './link-dialog.tsx';
import { usePersonSessions, useRefresh, type PrincipalDetails, type SignInLink } from './access-queries.ts';

/** How a person signs in, and in which browsers they are. */
export function SignInCard({ principal }: { principal: PrincipalDetails }): ReactNode {
  const { id, display_name: displayName, sign_in_name: signInName, has_password: hasPassword } = principal;
  const { name: workspace, principal_id: ownId } = useWorkspace();
  const refresh = useRefresh();
  const isElsewhere = principal.is_elsewhere;
  const sessions = usePersonSessions(id, signInName !== null && !isElsewhere);
  const [asks, setAsks] = useState<'link' | 'end'>();
  const [link, setLink] = useState<SignInLink>();
  const issue = useMutation({
    mutationFn: () => dataOf(apiOf(workspace).POST('/sign-in-links', { body: { principal: id } })),
    onSuccess: (made) => {
      setAsks(undefined);
      setLink(made);
    },
    onSettled: () => void refresh(),
  });
  const end = useMutation({
    mutationFn: () => dataOf(apiOf(workspace).DELETE('/person-sessions', { params: { query: { principal: id } } })),
    onSuccess: () => {
      setAsks(undefined);
      showToast({ text: `${displayName} is signed out everywhere.` });
      if (id === ownId) window.location.reload();
    },
    onSettled: () => void refresh(),
  });
  const items = sessions.data?.items ?? [];
  return (
    <Panel
      title="Sign-in"
      actions={
        !isElsewhere && (
          <Button size="small" disabled={principal.disabled_at !== null} onClick={() => setAsks('link')}>
            Make sign-in link
          </Button>
        )
      }
    >
      <div className="stack">
        <dl className="facts">
          <dt>Sign-in name</dt>
          <dd>{signInName === null ? 'None yet: make a link' : <bdi>{signInName}</bdi>}</dd>
          <dt>Password</dt>
          <dd>{hasPassword ? 'Chosen' : 'Not chosen yet'}</dd>
        </dl>
        {isElsewhere && (
          <p className="soft small">
            They sign in to another workspace too. So only the command line can make a link for them or sign them out.
          </p>
        )}
        {signInName !== null && !isElsewhere && (
          <div>
            <h3>Browsers</h3>
            {sessions.data === undefined && sessions.error === null && <Skeleton lines={2} />}
            <ProblemLine error={sessions.error} />
            {sessions.data !== undefined &&
              (items.length === 0 ? (
                <p className="soft small">Signed in nowhere.</p>
              ) : (
                <>
                  <ul className="sessions" aria-label="Browsers">
                    {items.map((session) => (
                      <li key={session.id} className="small">
                        <bdi>{session.browser === '' ? 'A browser' : session.browser}</bdi>
                        <span className="soft">
                          {' '}
                          at <bdi>{session.address}</bdi>, seen <Time at={session.last_seen_at} />
                        </span>
                      </li>
                    ))}
                  </ul>
                  <Button size="small" look="danger-plain" onClick={() => setAsks('end')}>
                    Sign out everywhere
                  </Button>
                </>
              ))}
          </div>
        )}
      </div>
      {asks === 'link' && (
        <ConfirmDialog
          title={`Make a sign-in link for ${displayName}?`}
          action="Make link"
          look="primary"
          sending={issue}
          onConfirm={() => issue.mutate()}
          onClose={() => setAsks(undefined)}
        >
          <p>
            The person who opens it chooses a password and signs in as <bdi>{displayName}</bdi>, once. Earlier links
            stop working now.
          </p>
          {hasPassword && (
            <p>When it is used, the present password, every signed-in browser and the consents to applications end.</p>
          )}
        </ConfirmDialog>
      )}
      {asks === 'end' && (
        <ConfirmDialog
          title={`Sign ${displayName} out everywhere?`}
          action="Sign out"
          sending={end}
          onConfirm={() => end.mutate()}
          onClose={() => setAsks(undefined)}
        >
          <p>
            Every browser listed is signed out at once{id === ownId && ', this one too'}. Tokens and applications go on.
          </p>
        </ConfirmDialog>
      )}
      {link !== undefined && <LinkDialog link={link} displayName={displayName} onClose={() => setLink(undefined)} />}
    </Panel>
  );
}
