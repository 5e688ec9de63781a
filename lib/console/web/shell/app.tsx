import { Component, Suspense, useEffect, useRef, type ReactNode } from 'react';
import { QueryCache, QueryClient, QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { Router, useLocation } from 'wouter';
import { usePathname } from 'wouter/use-browser-location';
import { asProblem, Problem } from '../api/problem.ts';
import { useSession, WorkspaceContext, type Session } from '../api/session.ts';
import { Announcer } from '../design/announce.tsx';
import { Button } from '../design/button.tsx';
import { Page } from '../design/page.tsx';
import { ProblemState, Skeleton, State } from '../design/state.tsx';
import { Toasts } from '../design/toast.tsx';
import { addressOf, consoleBase, folderOf, parsePlace, signInAddress } from '../navigation/addresses.ts';
import { aroundNavigation } from '../navigation/leaving.ts';
import { channel, type Forgotten } from '../screens/erase/forgotten.ts';
import { UploadsHost } from '../screens/upload/uploads-host.tsx';
import { Frame } from './frame.tsx';
import { Overlays } from './overlays.tsx';
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

interface BoundaryState {
  readonly error: Error | undefined;
}

/** Keeps a fault of one view from taking the whole page with it. */
class Boundary extends Component<{ readonly children: ReactNode }, BoundaryState> {
  override readonly state: BoundaryState = { error: undefined };

  static getDerivedStateFromError(error: Error): BoundaryState {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return (
      <State
        title="This view stopped working"
        actions={<Button onClick={() => window.location.reload()}>Load the page again</Button>}
      >
        <p>It is a fault of this page, and no document is affected. Unsaved text is kept as a draft.</p>
        <p className="mono small">{this.state.error.message}</p>
      </State>
    );
  }
}

/** Whether the tab's address names the document: as its place, or as what the page is about. */
function namesInAddress({ workspace, location }: Forgotten): boolean {
  const { pathname, search } = window.location;
  const place = parsePlace(pathname);
  if (place?.workspace !== workspace) return false;
  return place.rest === location || Array.from(new URLSearchParams(search).values()).includes(location);
}

/** Forgets in this tab what another tab of the browser has erased: its page goes, with all that was read before. */
function useForgetting(): void {
  const client = useQueryClient();
  useEffect(() => {
    const forget = async (forgotten: Forgotten): Promise<void> => {
      const { forgetForGood, forgetInTab } = await import('../screens/erase/forget.ts');
      forgetInTab(forgotten);
      if (!namesInAddress(forgotten)) {
        await client.resetQueries();
        return;
      }
      await forgetForGood(forgotten);
      // There is nothing left to ask about before the page goes.
      window.addEventListener('beforeunload', (event) => event.stopImmediatePropagation(), { capture: true });
      window.location.replace(consoleBase + addressOf.folder(forgotten.workspace, folderOf(forgotten.location)));
    };
    const hear = ({ data }: MessageEvent<Forgotten>): void => void forget(data);
    channel.addEventListener('message', hear);
    return () => channel.removeEventListener('message', hear);
  }, [client]);
}
