import { useState, type ReactNode } from 'react';
import { useWorkspace } from '../../../api/session.ts';
import { Button } from '../../../design/button.tsx';
import { ProblemState, Skeleton } from '../../../design/state.tsx';
import type { Passages } from '../use-passages.tsx';
import type { Reading } from '../use-reading.ts';
import { Composer } from './composer.tsx';
import { ThreadView } from './thread-view.tsx';
import type { Comments } from './use-comments.ts';
import { useUnread } from './use-unread.ts';

interface CommentPanelProps {
  readonly workspace: string;
  readonly reading: Reading;
  readonly comments: Comments;
  readonly passages: Passages;
  /** Whether there is a text, of which passages can be chosen. */
  readonly hasText: boolean;
}

/** What is said about a document: open threads, resolved ones on demand, and a place to write. */
export function CommentPanel({ workspace, reading, comments, passages, hasText }: CommentPanelProps): ReactNode {
  const [areSettledShown, setSettledShown] = useState(false);
  const { principal_id: me } = useWorkspace();
  const { document } = reading;
  const unread = useUnread(workspace, document.id, me, comments.items, comments.isLoading);
  const open = comments.threads.filter(({ resolved }) => resolved === null);
  const settled = comments.threads.filter(({ resolved }) => resolved !== null);
  const shown = areSettledShown ? comments.threads : open;
  return (
    <aside className="comments" aria-labelledby="comments-title">
      <header className="comments-head">
        <h2 id="comments-title">Comments</h2>
        {settled.length > 0 && (
          <Button look="quiet" size="small" onClick={() => setSettledShown(!areSettledShown)}>
            {areSettledShown ? 'Hide resolved' : 'Show resolved'}
          </Button>
        )}
      </header>
      <Composer
        workspace={workspace}
        location={document.location}
        label="Write a comment"
        action="Comment"
        passage={passages.chosen}
        onDropPassage={() => passages.choose(undefined)}
        {...(passages.chosen !== undefined && { onDone: () => passages.choose(undefined) })}
      />
      {comments.isLoading ? (
        <Skeleton lines={3} label="Loading comments" />
      ) : comments.error !== null && comments.items.length === 0 ? (
        <ProblemState error={comments.error} what="list of comments" onRetry={comments.retry} />
      ) : shown.length === 0 ? (
        <p className="soft small comments-empty">
          {settled.length > 0 ? 'All threads are resolved.' : 'No one has commented yet.'}
          {hasText && ' Select words in the text to comment on them.'}
        </p>
      ) : (
        <ol className="threads">
          {shown.map((thread) => (
            <ThreadView
              key={thread.id}
              workspace={workspace}
              reading={reading}
              thread={thread}
              passages={passages}
              unread={unread}
            />
          ))}
        </ol>
      )}
      {comments.hasMore && (
        <Button size="small" onClick={comments.loadMore}>
          Load more
        </Button>
      )}
    </aside>
  );
}
