import { memo, useEffect, useRef, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { headingPrefix } from '../../markdown/heading-prefix.ts';
import { consoleBase } from '../../navigation/addresses.ts';
import { makeScrollable } from './make-scrollable.ts';

/**
 * Rendered Markdown. Nothing in it can run: only DOMPurify (sanitize.ts) can make a value of this type, and the page's
 * policy takes no other.
 */
export const Rendered = memo(function Rendered({ html }: { html: TrustedHTML }): ReactNode {
  const element = useRef<HTMLDivElement>(null);
  const [, navigate] = useLocation();
  useEffect(() => {
    for (const wide of element.current?.querySelectorAll<HTMLElement>('pre, .table-scroll') ?? []) {
      makeScrollable(wide, wide.tagName === 'PRE' ? 'Code' : 'Table');
    }
    scrollToHash();
  }, [html]);
  useEffect(() => {
    window.addEventListener('hashchange', scrollToHash);
    return () => window.removeEventListener('hashchange', scrollToHash);
  }, []);
  useEffect(() => {
    const root = element.current;
    // Links to other documents stay in the page. Pressing Enter on one is a click too.
    const onClick = (event: MouseEvent): void => {
      const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
      const href = link?.getAttribute('href') ?? '';
      const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
      if (!isPlain || !href.startsWith(`${consoleBase}/`)) return;
      event.preventDefault();
      navigate(href.slice(consoleBase.length));
    };
    root?.addEventListener('click', onClick);
    return () => root?.removeEventListener('click', onClick);
  }, [navigate]);
  return <div className="prose" ref={element} dangerouslySetInnerHTML={{ __html: html as unknown as string }} />;
});

/** Goes to the section that the address names, in its own spelling or with the page's prefix. */
function scrollToHash(): void {
  let id: string;
  try {
    id = decodeURIComponent(window.location.hash.slice(1));
  } catch {
    return;
  }
  if (id === '') return;
  const found = document.getElementById(id.startsWith(headingPrefix) ? id : headingPrefix + id);
  found?.scrollIntoView();
}
