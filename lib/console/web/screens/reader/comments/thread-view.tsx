import { useMutation } from '@tanstack/react-query';
import { Check, CornerDownRight, Quote, RotateCcw } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { apiOf, dataOf } from '../../../api/client.ts';
import { useWorkspace } from '../../../api/session.ts';
import { Badge } from '../../../design/badge.tsx';
import { Button } from '../../../design/button.tsx';
import { showProblem } from '../../../design/toast.tsx';
import type { Passages } from '../use-passages.tsx';
import type { Reading } from '../use-reading.ts';
import { CommentView } from './comment-view.tsx';
import { Composer } from './composer.tsx';
import { useCommentsAgain, type Thread } from './use-comments.ts';

interface ThreadViewProps {
  readonly workspace: string;
  readonly reading: Reading;
  readonly thread: Thread;
  readonly passages: Passages;
  readonly unread: ReadonlySet<string>;
}

/** A thread: its passage, its comments, an answer, and whether it is settled. */
export function ThreadView({ workspace, reading, thread, passages, unread }: ThreadViewProps): ReactNode {
  const { location } = reading.document;
  const { principal_id: me } = useWorkspace();
  const [isAnswering, setAnswering] = useState(false);
  const commentsAgain = useCommentsAgain(workspace, location);
  const [first] = thread.comments;
  const isSettled = thread.resolved !== null;
  const maySettle = first?.author.id === me || reading.role !== 'reader';
  const settle = useMutation({
    mutationFn: () =>
      dataOf(
        apiOf(workspace).PUT('/threads', {
          params: { query: { location, id: thread.id } },
          body: { resolved: !isSettled },
        }),
      ),
    onSuccess: commentsAgain,
    onError: showProblem,
  });
  const label = `Thread by ${first?.author.display_name ?? 'somebody'}`;
  return (
    <li className={isSettled ? 'thread settled' : 'thread'} aria-label={label}>
      <ThreadAnchor thread={thread} passages={passages} />
      {thread.comments.map((comment) => (
        <CommentView
          key={comment.id}
          workspace={workspace}
          location={location}
          comment={comment}
          isOwn={comment.author.id === me}
          isNew={unread.has(comment.id)}
          isModerator={reading.role === 'approver'}
        />
      ))}
      {isAnswering ? (
        <Composer
          workspace={workspace}
          location={location}
          label="Write an answer"
          action="Answer"
          threadId={thread.id}
          isFocused
          onDone={() => setAnswering(false)}
        />
      ) : (
        <div className="thread-foot">
          <Button look="quiet" size="small" icon={CornerDownRight} onClick={() => setAnswering(true)}>
            Answer
          </Button>
          {maySettle && (
            <Button
              look="quiet"
              size="small"
              icon={isSettled ? RotateCcw : Check}
              isPending={settle.isPending}
              onClick={() => settle.mutate()}
            >
              {isSettled ? 'Reopen' : 'Resolve'}
            </Button>
          )}
        </div>
      )}
    </li>
  );
}

function ThreadAnchor({ thread, passages }: Pick<ThreadViewProps, 'thread' | 'passages'>): ReactNode {
  const { type, quote, line } = thread.anchor;
  if (type === 'document' || quote === undefined) return null;
  if (type === 'orphaned') {
    return (
      <div className="comment-quote lost">
        <bdi>{quote}</bdi>
        <Badge tone="neutral">No longer in the text</Badge>
      </div>
    );
  }
  return (
    <button
      type="button"
      className="comment-quote"
      title={`Show in the text, line ${line ?? ''}`}
      onClick={() => passages.show(thread.id)}
    >
      <Quote aria-hidden />
      <bdi>{quote}</bdi>
    </button>
  );
}
