import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { MarkdownPlace, RenderedMarkdown } from './render.ts';

const load = () => import('./render.ts');

/** Fetches the code for Markdown, so that it comes while the document is on its way. */
export function preloadMarkdown(): void {
  // A failure shows, and is tried again, where the code is needed.
  load().catch(() => undefined);
}

export interface Markdown {
  /** Undefined until its code is there, and for a text that is not to be rendered. */
  readonly rendered: RenderedMarkdown | undefined;
  readonly error: Error | null;
  readonly retry: () => void;
}

/** Renders Markdown, with code that is fetched at its first use. @param text null where nothing is to be rendered */
export function useMarkdown(text: string | null, place: MarkdownPlace): Markdown {
  const { data, error, refetch } = useQuery({
    queryKey: ['code', 'markdown'],
    queryFn: load,
    staleTime: Infinity,
    enabled: text !== null,
  });
  const rendered = useMemo(() => (text === null ? undefined : data?.renderMarkdown(text, place)), [data, text, place]);
  return { rendered, error, retry: () => void refetch() };
}
