import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Check, Mail, Send } from 'lucide-react';
import { useState, type FormEvent, type ReactNode } from 'react';
import { apiOf, dataOf } from '../../api/client.ts';
import type { components } from '../../api/described.d.ts';
import { usePages, useRead } from '../../api/read.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { Who } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { TextArea } from '../../design/field.tsx';
import { ProblemLine, Skeleton } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { showProblem, showToast } from '../../design/toast.tsx';

type Listed = components['schemas']['ListedMessage'];

const keyOf = (workspace: string): readonly string[] => ['messages', workspace];

/** A line for unread messages, which opens to read and answer them. Nothing where there are none. */
export function Messages({ workspace }: { workspace: string }): ReactNode {
  const pages = usePages(workspace, keyOf(workspace), '/unread-messages', { query: { limit: 20 } });
  const items = pages.data?.pages.flatMap((page) => page.items) ?? [];
  if (items.length === 0) return null;
  return (
    <details className="panel messages">
      <summary>
        <Mail aria-hidden />
        <span>You have unread messages, the newest from</span>
        <bdi>{items[0]?.from.display_name}</bdi>
      </summary>
      <ul className="rows" aria-label="Unread messages">
        {items.map((message) => (
          <Unread key={message.id} workspace={workspace} message={message} />
        ))}
      </ul>
      {pages.hasNextPage && (
        <div className="list-more">
          <Button isPending={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            Load more
          </Button>
        </div>
      )}
    </details>
  );
}

function Unread({ workspace, message }: { workspace: string; message: Listed }): ReactNode {
  const { id, thread_id: thread, from, subject, preview, about, sent_at: at } = message;
  const [isOpen, setOpen] = useState(false);
  const client = useQueryClient();
  const mark = useMutation({
    mutationFn: () => dataOf(apiOf(workspace).POST('/message-marks', { body: { message: id, is_read: true } })),
    onSuccess: () => client.invalidateQueries({ queryKey: keyOf(workspace) }),
    onError: showProblem,
  });
  return (
    <li className="message">
      <div className="change-line">
        <Who name={from.display_name} kind={from.kind} />
        <Time at={at} />
        {about !== null && (
          <span className="soft small">
            about <bdi>{about}</bdi>
          </span>
        )}
      </div>
      <strong>
        <bdi>{subject}</bdi>
      </strong>
      {isOpen ? (
        <Text workspace={workspace} id={id} thread={thread} />
      ) : (
        <bdi className="soft message-text">{preview}</bdi>
      )}
      <div className="cluster">
        <Button size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Close' : 'Read and answer'}
        </Button>
        <Button size="small" look="quiet" icon={Check} isPending={mark.isPending} onClick={() => mark.mutate()}>
          Mark as read
        </Button>
      </div>
    </li>
  );
}

function Text({ workspace, id, thread }: { workspace: string; id: string; thread: string }): ReactNode {
  const client = useQueryClient();
  const attempts = useAttempts();
  const [answer, setAnswer] = useState('');
  const message = useRead(workspace, [...keyOf(workspace), id], '/message', { query: { message: id } });
  const send = useMutation({
    mutationFn: () => {
      const body = { thread_id: thread, text: answer };
      const params = { header: { 'Idempotency-Key': attempts.keyFor(body) } };
      return dataOf(apiOf(workspace).POST('/message-answers', { params, body }));
    },
    onSuccess: async () => {
      showToast({ text: 'Your answer is sent.' });
      await client.invalidateQueries({ queryKey: keyOf(workspace) });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (answer.trim() !== '' && !send.isPending) send.mutate();
  };
  return (
    <form className="stack" onSubmit={submit}>
      {message.data === undefined ? (
        message.error === null ? (
          <Skeleton lines={2} />
        ) : (
          <ProblemLine error={message.error} />
        )
      ) : (
        <p className="message-text">
          <bdi>{message.data.text}</bdi>
        </p>
      )}
      <TextArea
        label="Answer"
        rows={3}
        maxLength={8000}
        value={answer}
        onChange={({ target }) => setAnswer(target.value)}
      />
      <ProblemLine error={send.error} />
      <div className="cluster">
        <Button type="submit" size="small" look="primary" icon={Send} isPending={send.isPending}>
          Send answer
        </Button>
      </div>
    </form>
  );
}
