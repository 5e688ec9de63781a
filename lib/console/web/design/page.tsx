import { ChevronRight } from 'lucide-react';
import { useContext, useEffect, useId, type ReactNode } from 'react';
import { Link } from 'wouter';
import { WorkspaceContext } from '../api/session.ts';
import type { Crumb } from '../navigation/crumbs.ts';

interface PageProps {
  /** In the browser's tab, and as the heading where `heading` is left out. */
  readonly title: string;
  readonly heading?: ReactNode;
  readonly crumbs?: readonly Crumb[];
  readonly actions?: ReactNode;
  readonly size?: 'wide';
  readonly children: ReactNode;
}

/** A view of the console: its title, its breadcrumbs, its actions, its content. */
export function Page({ title, heading, crumbs, actions, size, children }: PageProps): ReactNode {
  const workspace = useContext(WorkspaceContext);
  const of = workspace === undefined || workspace.title === workspace.name ? 'Cartulary' : workspace.title;
  useEffect(() => {
    document.title = `${title} · ${of}`;
  }, [title, of]);
  return (
    <div className={size === 'wide' ? 'page wide' : 'page'}>
      <div className="page-head">
        <div className="page-title">
          {crumbs !== undefined && <Breadcrumbs crumbs={crumbs} />}
          <h1 className={crumbs !== undefined && heading === undefined ? 'visually-hidden' : undefined}>
            {heading ?? title}
          </h1>
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

/** The way from the highest reachable folder to here. */
export function Breadcrumbs({ crumbs }: { crumbs: readonly Crumb[] }): ReactNode {
  return (
    <nav aria-label="Breadcrumbs">
      <ol className="crumbs">
        {crumbs.map(({ name, href }, index) => (
          <li key={`${index} ${name}`}>
            {index > 0 && <ChevronRight aria-hidden />}
            {href === undefined ? (
              <span aria-current="page">
                <bdi>{name}</bdi>
              </span>
            ) : (
              <Link href={href}>
                <bdi>{name}</bdi>
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

interface PanelProps {
  readonly title: string;
  readonly actions?: ReactNode;
  /** Without inner space, for lists that reach the border. */
  readonly isFlush?: boolean;
  readonly children: ReactNode;
}

/** A card with a heading. */
export function Panel({ title, actions, isFlush = false, children }: PanelProps): ReactNode {
  const id = useId();
  return (
    <section className="panel" aria-labelledby={id}>
      <header className="panel-head">
        <h2 id={id}>{title}</h2>
        {actions}
      </header>
      <div className={isFlush ? 'panel-body flush' : 'panel-body'}>{children}</div>
    </section>
  );
}
