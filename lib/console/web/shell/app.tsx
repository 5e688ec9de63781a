import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Suspense, useEffect, useRef, type ReactNode } from 'react';
import { Router, useLocation } from 'wouter';
import { usePathname } from 'wouter/use-browser-location';
import { asProblem, Problem } from '../api/problem.ts';
import { useSession, WorkspaceContext, type Session } from '../api/session.ts';
import { Announcer } from '../design/announce.tsx';
import { Page } from '../design/page.tsx';
import { ProblemState, Skeleton, State } from '../design/state.tsx';
import { Toasts } from '../design/toast.tsx';
import { UploadsHost } from '../screens/upload/uploads-host.tsx';
import { addressOf, consoleBase, parsePlace, signInAddress } from '../navigation/addresses.ts';
import { Boundary } from './boundary.tsx';
import { useForgetting } from './forgetting.ts';
import { Frame } from './frame.tsx';
import { Overlays } from './overlays.tsx';
import { aroundNavigation } from '../navigation/leaving.ts';
import { screens } from './screens.ts';

const maxTries = 3;
const unavailable = new Problem('UNAVAILABLE', 'The workspace cannot be read at the moment.');
const noSuchPage = new Problem('NOT_FOUND', 'There is no such page.');

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5000,
      // Only what can pass by itself is tried again: a refusal stays one.
      retry: (count, error) => {
        const { code } = asProblem(error);
        return (code === 'UNAVAILABLE' || code === 'UNREACHABLE') && count < maxTries;
      },
      retryDelay: (count, error) => (asProblem(error).retryAfter ?? 2 ** count) * 1000,
    },
  },
  queryCache: new QueryCache({
    // What is gone, or out of reach now, is not shown from memory.
    onError: (error, query) => {
      if (asProblem(error).code === 'NOT_FOUND') query.setState({ data: undefined });
    },
  }),
});

/** The whole console. */
export function App(): ReactNode {
  return (
    <QueryClientProvider client={queries}>
      <Router base={consoleBase} aroundNav={aroundNavigation}>
        <Boundary>
          <SignedIn />
        </Boundary>
        <Toasts />
        <UploadsHost />
        <Announcer />
      </Router>
    </QueryClientProvider>
  );
}

/** Asks who is signed in. A stranger goes to the sign-in, and comes back here. */
function SignedIn(): ReactNode {
  const session = useSession();
  const isStranger =
    session.error !== null && session.data === undefined && asProblem(session.error).code === 'UNAUTHENTICATED';
  useEffect(() => {
    if (isStranger) window.location.replace(signInAddress());
  }, [isStranger]);
  const person = session.data?.sign_in_name;
  const first = useRef(person);
  useEffect(() => {
    first.current ??= person;
    // Somebody else has signed in, in another tab: nothing of the person before stays in memory.
    if (person !== undefined && first.current !== person) window.location.reload();
  }, [person]);
  if (session.data !== undefined) return <Routed session={session.data} />;
  if (session.error === null || isStranger) return <Skeleton label="Signing in" />;
  return <ProblemState error={session.error} onRetry={() => void session.refetch()} />;
}

const lastKey = 'cartulary-workspace';

function Routed({ session }: { session: Session }): ReactNode {
  useForgetting();
  const path = usePathname();
  const [, navigate] = useLocation();
  const place = parsePlace(path);
  const workspace = session.workspaces.find(({ name }) => name === place?.workspace);
  const isStart = place === undefined && path.replace(/\/$/, '') === consoleBase;
  const last = localStorage.getItem(lastKey);
  const home = session.workspaces.find(({ name }) => name === last) ?? session.workspaces[0];
  useEffect(() => {
    if (isStart && home !== undefined) navigate(addressOf.folder(home.name, ''), { replace: true });
  }, [isStart, home, navigate]);
  useEffect(() => {
    if (workspace !== undefined) localStorage.setItem(lastKey, workspace.name);
  }, [workspace]);
  if (isStart && home !== undefined) return <Skeleton />;
  if (place === undefined || workspace === undefined) {
    return (
      <Frame session={session} workspace={home} screen="">
        <Page title="Not found" heading={<span className="visually-hidden">Not found</span>}>
          {place !== undefined && session.unavailable_workspaces.includes(place.workspace) ? (
            <ProblemState error={unavailable} onRetry={() => window.location.reload()} />
          ) : home === undefined ? (
            <State title="You are in no workspace">
              <p>You are signed in as {session.sign_in_name}. An admin of a workspace can add you to it.</p>
            </State>
          ) : (
            <ProblemState error={noSuchPage} />
          )}
        </Page>
      </Frame>
    );
  }
  const Screen = Object.hasOwn(screens, place.screen) ? screens[place.screen] : undefined;
  return (
    <WorkspaceContext value={workspace}>
      <Frame session={session} workspace={workspace} screen={place.screen}>
        <Boundary key={`${place.workspace}/${place.screen}/${place.rest}`}>
          <Suspense fallback={<Waiting />}>
            {Screen === undefined ? (
              <NotFound />
            ) : (
              <Screen key={place.workspace} workspace={place.workspace} rest={place.rest} />
            )}
          </Suspense>
        </Boundary>
        <Overlays {...place} />
      </Frame>
    </WorkspaceContext>
  );
}

function Waiting(): ReactNode {
  return (
    <div className="page">
      <Skeleton />
    </div>
  );
}

function NotFound(): ReactNode {
  return (
    <Page title="Not found" heading={<span className="visually-hidden">Not found</span>}>
      <ProblemState error={noSuchPage} />
    </Page>
  );
}
