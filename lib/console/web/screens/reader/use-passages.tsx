import { MessageSquarePlus } from 'lucide-react';
import { useEffect, useState, type ReactNode, type RefObject } from 'react';
import type { Stretch } from '../../markdown/align.ts';
import { passageOf, rangesOf } from '../../markdown/find-block.ts';
import { sourcePassageOf, sourceRangesOf } from '../../markdown/find-in-source.ts';
import { Button } from '../../design/button.tsx';
import type { ListedComment } from './use-reading.ts';

/** A passage that a new comment is about. */
export interface ChosenPassage extends Stretch {
  readonly quote: string;
  /** The version in which it was chosen. */
  readonly version: string;
}

export interface Passages {
  /** The passage of the comment that is being written. */
  readonly chosen: ChosenPassage | undefined;
  choose(passage: ChosenPassage | undefined): void;
  /** Shows a thread's passage in the text. @returns false where it is not there */
  show(threadId: string): boolean;
  /** Offers to comment on what is selected. */
  readonly commentButton: ReactNode;
}

interface PassagesOptions {
  readonly article: RefObject<HTMLElement | null>;
  /** Null for content that is no text. */
  readonly source: string | null;
  readonly starts: readonly number[];
  readonly view: 'rendered' | 'source';
  /** The version that is shown. */
  readonly version: string;
  readonly comments: readonly ListedComment[];
}

const maxQuote = 1000;
/** The names of the marks in the text, which reader.css colours. */
const marks = { all: 'comment', shown: 'comment-shown', chosen: 'comment-chosen' } as const;

function mark(name: string, ranges: readonly Range[]): void {
  if (typeof Highlight === 'undefined') return;
  if (ranges.length === 0) CSS.highlights.delete(name);
  else CSS.highlights.set(name, new Highlight(...ranges));
}

/** The passages of a text that comments are about: marked in the page, and chosen by selecting them. */
export function usePassages({ article, source, starts, view, version, comments }: PassagesOptions): Passages {
  const [chosen, choose] = useState<ChosenPassage>();
  const [shown, setShown] = useState<string>();
  const selected = useSelectedPassage(article, source, starts, view);
  const rangesFor = (passage: Stretch): Range[] => {
    const root = article.current;
    if (root === null || source === null) return [];
    return view === 'source' ? sourceRangesOf(root, passage) : rangesOf(root, source, starts, passage);
  };
  useEffect(() => {
    const open = comments.filter(({ is_first, resolved }) => is_first && resolved === null);
    mark(marks.all, open.flatMap((comment) => passageAt(comment)).flatMap(rangesFor));
    mark(
      marks.shown,
      comments
        .filter(({ is_first, thread_id }) => is_first && thread_id === shown)
        .flatMap(passageAt)
        .flatMap(rangesFor),
    );
    mark(marks.chosen, chosen === undefined ? [] : rangesFor(chosen));
    return () => Object.values(marks).forEach((name) => mark(name, []));
  });
  const show = (threadId: string): boolean => {
    const comment = comments.find(({ thread_id, is_first }) => is_first && thread_id === threadId);
    const [range] = comment === undefined ? [] : passageAt(comment).flatMap(rangesFor);
    setShown(threadId);
    range?.startContainer.parentElement?.scrollIntoView({ block: 'center' });
    return range !== undefined;
  };
  const commentButton = selected !== undefined && (
    <div className="selection-action" style={{ top: selected.top, left: selected.left }}>
      <Button
        look="primary"
        size="small"
        icon={MessageSquarePlus}
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => {
          choose({ ...selected.passage, version });
          document.getSelection()?.removeAllRanges();
        }}
      >
        Comment
      </Button>
    </div>
  );
  return { chosen, choose, show, commentButton };
}

function passageAt({ anchor }: ListedComment): Stretch[] {
  return anchor.start === undefined || anchor.end === undefined ? [] : [{ start: anchor.start, end: anchor.end }];
}

interface SelectedPassage {
  readonly passage: Omit<ChosenPassage, 'version'>;
  /** Where the offer stands, in pixels of the page. */
  readonly top: number;
  readonly left: number;
}

const buttonWidth = 130;

function useSelectedPassage(
  article: RefObject<HTMLElement | null>,
  source: string | null,
  starts: readonly number[],
  view: 'rendered' | 'source',
): SelectedPassage | undefined {
  const [selected, setSelected] = useState<SelectedPassage>();
  useEffect(() => {
    let timer = 0;
    const look = (): void => {
      const root = article.current;
      const selection = document.getSelection();
      const range = selection === null || selection.rangeCount === 0 ? undefined : selection.getRangeAt(0);
      const isHere = root !== null && range !== undefined && !range.collapsed && range.intersectsNode(root);
      if (!isHere || source === null) {
        setSelected(undefined);
        return;
      }
      const found = view === 'source' ? sourcePassageOf(root, range) : passageOf(root, source, starts, range);
      const quote = found === undefined ? '' : source.slice(found.start, found.end);
      if (found === undefined || quote.trim() === '' || quote.length > maxQuote) {
        setSelected(undefined);
        return;
      }
      const box = range.getBoundingClientRect();
      const left = Math.max(8, Math.min(box.left, document.documentElement.clientWidth - buttonWidth));
      setSelected({ passage: { ...found, quote }, top: box.bottom + window.scrollY + 6, left: left + window.scrollX });
    };
    const later = (): void => {
      window.clearTimeout(timer);
      timer = window.setTimeout(look, 150);
    };
    document.addEventListener('selectionchange', later);
    return () => {
      document.removeEventListener('selectionchange', later);
      window.clearTimeout(timer);
    };
  }, [article, source, starts, view]);
  return selected;
}
