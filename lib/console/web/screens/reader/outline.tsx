import { useEffect, useState, type ReactNode } from 'react';
import type { ShownHeading } from '../../markdown/render.ts';

/** The contents of a document. The entry of the section at the top of the window is marked. */
export function Outline({ headings }: { headings: readonly ShownHeading[] }): ReactNode {
  const current = useCurrentHeading(headings);
  const top = Math.min(...headings.map(({ level }) => level));
  return (
    <details className="outline" open={window.matchMedia('(min-width: 82rem)').matches}>
      <summary>Contents</summary>
      <nav aria-label="Contents">
        <ol>
          {headings.map(({ id, title, level }) => (
            <li key={id} className={`depth-${Math.min(level - top, 3)}`}>
              <a href={`#${encodeURIComponent(id)}`} aria-current={id === current ? 'location' : undefined}>
                <bdi>{title === '' ? 'Untitled' : title}</bdi>
              </a>
            </li>
          ))}
        </ol>
      </nav>
    </details>
  );
}

/** Pixels below the top of the window at which a section counts as being read. */
const line = 120;

function useCurrentHeading(headings: readonly ShownHeading[]): string | undefined {
  const [current, setCurrent] = useState<string>();
  useEffect(() => {
    let frame = 0;
    const look = (): void => {
      frame = 0;
      // The last sections may be too short to come to the top.
      const { scrollHeight, clientHeight } = document.documentElement;
      const isAtEnd = window.scrollY > 0 && window.scrollY + clientHeight >= scrollHeight - 2;
      let found = headings[0]?.id;
      for (const { id } of headings) {
        const top = document.getElementById(id)?.getBoundingClientRect().top;
        if (top === undefined || (top > line && !isAtEnd)) break;
        found = id;
      }
      setCurrent(found);
    };
    const schedule = (): void => {
      if (frame === 0) frame = requestAnimationFrame(look);
    };
    look();
    window.addEventListener('scroll', schedule, { passive: true });
    return () => {
      window.removeEventListener('scroll', schedule);
      cancelAnimationFrame(frame);
    };
  }, [headings]);
  return current;
}
