import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { useLive } from '../../api/live-connection.ts';
import { asProblem } from '../../api/problem.ts';
import { announce } from '../../design/announce.tsx';
import { Page } from '../../design/page.tsx';
import { ProblemState, Skeleton } from '../../design/state.tsx';
import { preloadMarkdown } from '../../markdown/use-markdown.ts';
import { addressOf, nameOf } from '../../navigation/addresses.ts';
import type { ScreenProps } from '../../navigation/screen-props.ts';
import { useCommentsAgain } from './comments/use-comments.ts';
import { DocumentView } from './document-view.tsx';
import { crumbsOf } from '../../navigation/crumbs.ts';
import { useReadAgain, useReading, type Reading } from './use-reading.ts';

preloadMarkdown();

/** A document: read, talked about, labelled and claimed. */
export function Reader({ workspace, rest: location }: ScreenProps): ReactNode {
  const [search] = useSearchParams();
  const version = search.get('v') ?? undefined;
  const reading = useReading(workspace, location, version);
  const name = nameOf(location);
  const isGone = reading.error !== null && asProblem(reading.error).code === 'NOT_FOUND';
  useFollowing(workspace, location, reading.data, isGone);
  const crumbs = crumbsOf(workspace, location);
  // What was read before is no answer to a document that is gone.
  if (isGone) return <Gone error={reading.error} />;
  if (reading.data === undefined) {
    return (
      <Page title={name} crumbs={crumbs} size="wide">
        {reading.error === null ? (
          <Skeleton lines={10} label="Loading the document" />
        ) : (
          <ProblemState error={reading.error} what="document" onRetry={() => void reading.refetch()} />
        )}
      </Page>
    );
  }
  const view = search.get('view') === 'source' ? 'source' : 'rendered';
  return (
    <DocumentView
      key={`${location} ${version ?? ''}`}
      workspace={workspace}
      reading={reading.data}
      view={view}
      isPinned={version !== undefined}
      crumbs={crumbs}
      permalink={addressOf.version(workspace, location, reading.data.document.version.id)}
    />
  );
}

/** What is not there has no name, and an erased document's is nowhere: not in the tab's title, nor on its page. */
function Gone({ error }: { error: unknown }): ReactNode {
  return (
    <Page title="Not found" heading={<span className="visually-hidden">Not found</span>} size="wide">
      <ProblemState error={error} what="document" />
    </Page>
  );
}

/** Reads again what changed while the page is open. */
function useFollowing(workspace: string, location: string, reading: Reading | undefined, isGone: boolean): void {
  const readAgain = useReadAgain(workspace, location);
  const commentsAgain = useCommentsAgain(workspace, location);
  const current = reading?.current.id;
  useLive(workspace, location, reading?.page, {
    onState(state, before) {
      if (before === undefined) {
        // The document may have been read a moment before the page began to follow it.
        if (current !== undefined && state.version !== current) void readAgain();
        return;
      }
      if (state.version !== before.version) announce('The document has a new version.');
      const isChanged =
        state.version !== before.version ||
        state.record !== before.record ||
        state.labels !== before.labels ||
        state.claims !== before.claims;
      if (isChanged) void readAgain();
      if (state.comments !== before.comments || state.version !== before.version) void commentsAgain();
    },
    onGone: () => {
      // Reading again would show the page of a document that loads, with its name in the tab.
      if (!isGone) void readAgain();
    },
  });
}
