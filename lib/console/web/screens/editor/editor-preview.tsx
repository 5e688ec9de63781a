import { useMemo, type ReactNode } from 'react';
import { Button } from '../../design/button.tsx';
import { ProblemState, Skeleton } from '../../design/state.tsx';
import { useMarkdown } from '../../markdown/use-markdown.ts';
import { placeOf } from '../reader/place-of.ts';
import { Rendered } from '../reader/rendered.tsx';
import type { PreviewText } from './use-preview.ts';

interface PreviewProps {
  readonly preview: PreviewText;
  readonly workspace: string;
  /** Where relative links and images start. */
  readonly location: string;
}

/** The document as its readers will see it. */
export function Preview({ preview, workspace, location }: PreviewProps): ReactNode {
  const { text, isBehind, update } = preview;
  const place = useMemo(() => placeOf(workspace, location), [workspace, location]);
  const { rendered, error, retry } = useMarkdown(text, place);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it
    <section className="editor-preview" aria-label="Preview" tabIndex={0}>
      {isBehind && (
        <div className="cluster">
          <span className="small soft">This text is long, so its preview waits for you.</span>
          <Button size="small" onClick={update}>
            Update preview
          </Button>
        </div>
      )}
      {text.trim() === '' ? (
        <p className="soft">Nothing to show yet.</p>
      ) : rendered !== undefined ? (
        <Rendered html={rendered.html} />
      ) : error === null ? (
        <Skeleton />
      ) : (
        <ProblemState error={error} what="preview" onRetry={retry} />
      )}
    </section>
  );
}
