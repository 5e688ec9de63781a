import { useEffect, useRef, useState } from 'react';
import { announce } from '../../../design/announce.tsx';
import type { ListedComment } from '../use-reading.ts';

const keyOf = (workspace: string, documentId: string): string => `cartulary-comments-seen/${workspace}/${documentId}`;

/** The time of the newest comment that this browser has shown; '' where it has shown none. */
function readSeen(key: string): string {
  return localStorage.getItem(key) ?? '';
}

const timeOf = ({ created_at, edited_at }: ListedComment): string => edited_at ?? created_at;

/**
 * Which comments of others are new since the last visit, in this browser. They stay marked for as long as the page is
 * open. A first visit marks none.
 */
export function useUnread(
  workspace: string,
  documentId: string,
  me: string,
  comments: readonly ListedComment[],
  isLoading: boolean,
): ReadonlySet<string> {
  const key = keyOf(workspace, documentId);
  const [seenBefore] = useState(() => readSeen(key));
  const known = useRef<ReadonlySet<string> | undefined>(undefined);
  const isFirstVisit = seenBefore === '';
  const [firstSeen, setFirstSeen] = useState<string>();
  useEffect(() => {
    if (isLoading) return;
    const newest = comments.map(timeOf).reduce((a, b) => (a > b ? a : b), '0');
    setFirstSeen((first) => first ?? newest);
    if (newest > readSeen(key)) localStorage.setItem(key, newest);
    const ids = new Set(comments.map(({ id }) => id));
    const before = known.current;
    known.current = ids;
    if (before === undefined) return;
    const [arrived] = comments.filter(({ id, author }) => !before.has(id) && author.id !== me);
    if (arrived !== undefined) announce(`New comment by ${arrived.author.display_name}.`);
  }, [comments, isLoading, key, me]);
  const since = isFirstVisit ? firstSeen : seenBefore;
  if (since === undefined) return new Set();
  return new Set(
    comments
      .filter((comment) => comment.author.id !== me && comment.deleted_at === null && timeOf(comment) > since)
      .map(({ id }) => id),
  );
}
