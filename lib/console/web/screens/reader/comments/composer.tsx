import { useMutation } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { apiOf, dataOf, newIdempotencyKey } from '../../../api/client.ts';
import { asProblem } from '../../../api/problem.ts';
import { useWorkspace } from '../../../api/session.ts';
import { Button, IconButton } from '../../../design/button.tsx';
import { TextArea } from '../../../design/field.tsx';
import type { ChosenPassage } from '../use-passages.tsx';
import { useCommentsAgain } from './use-comments.ts';

interface ComposerProps {
  readonly workspace: string;
  readonly location: string;
  readonly label: string;
  readonly action: string;
  /** The thread to answer in; left out: a new one. */
  readonly threadId?: string;
  readonly passage?: ChosenPassage | undefined;
  readonly isFocused?: boolean;
  readonly onDropPassage?: () => void;
  readonly onDone?: () => void;
}

const maxLength = 8000;

/** A text that is kept in this browser until it is sent. */
function useDraft(key: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '');
  const keep = (next: string): void => {
    setText(next);
    if (next === '') sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, next);
  };
  return [text, keep];
}

/** Writes a comment. Sending it again after a failure does not write it twice. */
export function Composer(props: ComposerProps): ReactNode {
  const { workspace, location, label, action, threadId, passage, isFocused = false } = props;
  const { principal_id: me } = useWorkspace();
  // Another person on the same browser does not get it.
  const [text, setText] = useDraft(`cartulary-comment/${me}/${workspace}/${location}/${threadId ?? ''}`);
  const [key, setKey] = useState(newIdempotencyKey);
  const input = useRef<HTMLTextAreaElement>(null);
  const commentsAgain = useCommentsAgain(workspace, location);
  useEffect(() => {
    if (isFocused || passage !== undefined) input.current?.focus();
  }, [isFocused, passage]);
  const send = useMutation({
    mutationFn: () =>
      dataOf(
        apiOf(workspace).POST('/comments', {
          params: { header: { 'Idempotency-Key': key } },
          body: {
            location,
            text: text.trim(),
            ...(threadId !== undefined && { thread_id: threadId }),
            ...(passage !== undefined && {
              passage: { quote: passage.quote, start: passage.start, version: passage.version },
            }),
          },
        }),
      ),
    onSuccess: async () => {
      setText('');
      setKey(newIdempotencyKey());
      await commentsAgain();
      props.onDone?.();
    },
    // The text was changed after a lost answer, and its first form is stored. The writer sees it before sending more.
    onError: async (error) => {
      if (asProblem(error).reason !== 'idempotency_key_reused') return;
      setKey(newIdempotencyKey());
      await commentsAgain();
    },
  });
  const submit = (): void => {
    if (text.trim() !== '' && !send.isPending) send.mutate();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    submit();
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {passage !== undefined && (
        <blockquote className="comment-quote chosen">
          <bdi>{passage.quote}</bdi>
          <IconButton label="Comment on the whole document instead" icon={X} onClick={() => props.onDropPassage?.()} />
        </blockquote>
      )}
      <TextArea
        label={label}
        isLabelHidden
        placeholder={label}
        ref={input}
        value={text}
        readOnly={send.isPending}
        maxLength={maxLength}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        {...(send.error !== null && { error: asProblem(send.error).sentence })}
      />
      <div className="composer-foot">
        <Button look="primary" size="small" type="submit" isPending={send.isPending} disabled={text.trim() === ''}>
          {action}
        </Button>
        {props.onDone !== undefined && (
          <Button look="quiet" size="small" onClick={props.onDone}>
            Cancel
          </Button>
        )}
      </div>
    </form>
  );
}
