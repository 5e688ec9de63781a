import type { ReactNode } from 'react';
import { Link } from 'wouter';

export interface SectionTab {
  readonly title: string;
  /** What the title says in addition where there is room for it. */
  readonly more?: string;
  readonly href: string;
  readonly isCurrent: boolean;
}

/** The links between the pages of one screen. */
export function SectionTabs({ label, tabs }: { label: string; tabs: readonly SectionTab[] }): ReactNode {
  return (
    <nav className="section-tabs" aria-label={label}>
      {tabs.map(({ title, more, href, isCurrent }) => (
        <Link key={href} href={href} aria-current={isCurrent ? 'page' : undefined}>
          {title}
          {more !== undefined && <span className="wide-only"> {more}</span>}
        </Link>
      ))}
    </nav>
  );
}
