import { History, MessageSquare, Pencil } from 'lucide-react';
import { useMemo, useRef, useState, type ReactNode } from 'react';
import { Link, useSearchParams } from 'wouter';
import { usePathname } from 'wouter/use-browser-location';
import { Button, LinkButton } from '../../design/button.tsx';
import { Page } from '../../design/page.tsx';
import { ProblemState, Skeleton } from '../../design/state.tsx';
import { startsOfLines } from '../../markdown/find-block.ts';
import { useMarkdown } from '../../markdown/use-markdown.ts';
import { addressOf, consoleBase } from '../../navigation/addresses.ts';
import type { Crumb } from '../../navigation/crumbs.ts';
import { Banners } from './banners.tsx';
import { CommentPanel } from './comments/comment-panel.tsx';
import { useComments } from './comments/use-comments.ts';
import { findHiddenIn } from './hidden-text.ts';
import { MoreActions } from './more-actions.tsx';
import { OtherContent } from './other-content.tsx';
import { Outline } from './outline.tsx';
import { placeOf } from './place-of.ts';
import { Rendered } from './rendered.tsx';
import { Source } from './source.tsx';
import { Summary } from './summary.tsx';
import { usePassages } from './use-passages.tsx';
import type { Reading } from './use-reading.ts';

interface DocumentViewProps {
  readonly workspace: string;
  readonly reading: Reading;
  readonly view: 'rendered' | 'source';
  /** Whether the address names the version. */
  readonly isPinned: boolean;
  readonly crumbs: readonly Crumb[];
  readonly permalink: string;
}

const isMarkdown = (mediaType: string): boolean => mediaType.startsWith('text/markdown');

/** A document that was read, with everything about it. */
export function DocumentView(props: DocumentViewProps): ReactNode {
  const { workspace, reading, view, isPinned, crumbs, permalink } = props;
  const { document, content, role, claims, current } = reading;
  const { location } = document;
  const article = useRef<HTMLElement>(null);
  const isOlder = document.version.id !== current.id;
  const mayEdit = role !== 'reader' && !document.read_only && !isOlder;
  const canRender = isMarkdown(document.media_type) && content !== null;
  const shown = canRender ? view : 'source';
  const place = useMemo(() => placeOf(workspace, location), [workspace, location]);
  const { rendered, error, retry } = useMarkdown(shown === 'rendered' ? content : null, place);
  const starts = useMemo(() => startsOfLines(content ?? ''), [content]);
  const hidden = useMemo(() => findHiddenIn(content ?? ''), [content]);
  const comments = useComments(workspace, location, isOlder ? document.version.id : undefined, reading.comments);
  const passages = usePassages({
    article,
    source: content,
    starts,
    view: shown,
    version: document.version.id,
    comments: comments.items,
  });
  const [areCommentsOpen, setCommentsOpen] = useState(true);
  const headings = rendered?.headings ?? [];
  const hasOutline = headings.length > 1;
  const openCount = new Set(
    comments.items.filter(({ resolved }) => resolved === null).map(({ thread_id }) => thread_id),
  );
  return (
    <Page
      title={document.name}
      crumbs={crumbs}
      size="wide"
      actions={
        <>
          {canRender && <ViewSwitch view={view} />}
          <Button
            look="quiet"
            icon={MessageSquare}
            aria-pressed={areCommentsOpen}
            onClick={() => setCommentsOpen(!areCommentsOpen)}
          >
            Comments{openCount.size > 0 ? ` (${openCount.size})` : ''}
          </Button>
          <LinkButton look="quiet" icon={History} href={addressOf.history(workspace, location)}>
            History
          </LinkButton>
          <MoreActions
            workspace={workspace}
            reading={reading}
            permalink={permalink}
            mayEdit={mayEdit}
            edit={
              mayEdit &&
              content !== null && (
                <LinkButton look="primary" icon={Pencil} href={addressOf.editor(workspace, location)}>
                  Edit
                </LinkButton>
              )
            }
          />
        </>
      }
    >
      <Summary workspace={workspace} reading={reading} mayEdit={mayEdit} />
      <Banners
        workspace={workspace}
        reading={reading}
        claims={isOlder ? [] : claims}
        hidden={hidden}
        isOlder={isOlder}
        isPinned={isPinned}
        isSource={shown === 'source'}
      />
      <div className={`reader${areCommentsOpen ? ' with-comments' : ''}${hasOutline ? '' : ' without-outline'}`}>
        {hasOutline && (
          <div className="reader-outline">
            <Outline headings={headings} />
          </div>
        )}
        <article className="reader-text" ref={article} aria-label={document.name}>
          {content === null ? (
            <OtherContent workspace={workspace} reading={reading} />
          ) : rendered !== undefined ? (
            <Rendered html={rendered.html} />
          ) : shown === 'rendered' ? (
            error === null ? (
              <Skeleton lines={10} label="Loading the document" />
            ) : (
              <ProblemState error={error} onRetry={retry} />
            )
          ) : (
            <Source text={content} hidden={hidden} />
          )}
        </article>
        {areCommentsOpen && (
          <CommentPanel
            workspace={workspace}
            reading={reading}
            comments={comments}
            passages={passages}
            hasText={content !== null}
          />
        )}
      </div>
      {passages.commentButton}
    </Page>
  );
}

/** Two forms of one document: each has an address. */
function ViewSwitch({ view }: { view: 'rendered' | 'source' }): ReactNode {
  const [search] = useSearchParams();
  const path = usePathname().slice(consoleBase.length);
  const hrefOf = (to: 'rendered' | 'source'): string => {
    const query = new URLSearchParams(search);
    if (to === 'source') query.set('view', to);
    else query.delete('view');
    return query.size === 0 ? path : `${path}?${query.toString()}`;
  };
  return (
    <nav className="switch" aria-label="Form of the document">
      <Link href={hrefOf('rendered')} replace aria-current={view === 'rendered' || undefined}>
        Rendered
      </Link>
      <Link href={hrefOf('source')} replace aria-current={view === 'source' || undefined}>
        Source
      </Link>
    </nav>
  );
}
