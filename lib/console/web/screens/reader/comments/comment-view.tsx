import { useMutation } from '@tanstack/react-query';
import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { apiOf, dataOf } from '../../../api/client.ts';
import { asProblem } from '../../../api/problem.ts';
import { Badge, Who } from '../../../design/badge.tsx';
import { Button } from '../../../design/button.tsx';
import { ConfirmDialog } from '../../../design/form-dialog.tsx';
import { TextArea } from '../../../design/field.tsx';
import { Menu } from '../../../design/menu.tsx';
import type { MenuAction } from '../../../design/menu-list.tsx';
import { Time } from '../../../design/time.tsx';
import type { ListedComment } from '../use-reading.ts';
import { useCommentsAgain } from './use-comments.ts';

interface CommentViewProps {
  readonly workspace: string;
  readonly location: string;
  readonly comment: ListedComment;
  readonly isOwn: boolean;
  readonly isNew: boolean;
  /** Whether the person may delete the comments of others. */
  readonly isModerator: boolean;
}

/** One comment. Its text is plain text: nothing in it is markup. */
export function CommentView(props: CommentViewProps): ReactNode {
  const { workspace, location, comment, isOwn, isNew, isModerator } = props;
  const { id, author, text, created_at, edited_at, deleted_at } = comment;
  const [mode, setMode] = useState<'reading' | 'editing' | 'deleting'>('reading');
  const commentsAgain = useCommentsAgain(workspace, location);
  const leave = (): void => setMode('reading');
  const remove = useMutation({
    mutationFn: () => dataOf(apiOf(workspace).DELETE('/comments', { params: { query: { location, id } } })),
    onSuccess: async () => {
      leave();
      await commentsAgain();
    },
  });
  if (deleted_at !== null) return <p className="comment-gone soft small">This comment was deleted.</p>;
  const actions: MenuAction[] = [
    ...(isOwn ? [{ label: 'Edit comment', icon: Pencil, run: () => setMode('editing') }] : []),
    ...(isOwn || isModerator
      ? [{ label: 'Delete comment', icon: Trash2, isDangerous: true, run: () => setMode('deleting') }]
      : []),
  ];
  return (
    <div className={isNew ? 'comment new' : 'comment'}>
      <div className="comment-head">
        <div className="comment-by">
          <Who name={author.display_name} kind={author.kind} />
          <span className="soft small">
            <Time at={created_at} />
            {edited_at !== null && ', edited'}
          </span>
          {isNew && <Badge tone="info">New</Badge>}
        </div>
        {actions.length > 0 && mode !== 'editing' && (
          <Menu label={`Actions for the comment by ${author.display_name}`} actions={actions}>
            <Ellipsis aria-hidden />
          </Menu>
        )}
      </div>
      {mode === 'editing' ? (
        <CommentEditor workspace={workspace} location={location} comment={comment} onDone={leave} />
      ) : (
        <p className="comment-text" dir="auto">
          {text}
        </p>
      )}
      {mode === 'deleting' && (
        <ConfirmDialog
          title="Delete comment"
          action="Delete comment"
          sending={remove}
          onConfirm={() => remove.mutate()}
          onClose={leave}
        >
          <p>
            {isOwn ? 'Your comment is' : 'The comment is'} gone for everybody, for good. The audit log says that it was
            deleted.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

function CommentEditor({
  workspace,
  location,
  comment,
  onDone,
}: Pick<CommentViewProps, 'workspace' | 'location' | 'comment'> & { onDone: () => void }): ReactNode {
  const [text, setText] = useState(comment.text);
  const commentsAgain = useCommentsAgain(workspace, location);
  const save = useMutation({
    mutationFn: () =>
      dataOf(
        apiOf(workspace).PUT('/comments', {
          params: { query: { location, id: comment.id } },
          body: { text: text.trim(), mentions: comment.mentions },
        }),
      ),
    onSuccess: async () => {
      await commentsAgain();
      onDone();
    },
  });
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') save.mutate();
      }}
    >
      <TextArea
        label="Comment"
        isLabelHidden
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
        {...(save.error !== null && { error: asProblem(save.error).sentence })}
      />
      <div className="composer-foot">
        <Button look="primary" size="small" type="submit" isPending={save.isPending}>
          Save comment
        </Button>
        <Button look="quiet" size="small" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
