import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'wouter';
import { usePathname } from 'wouter/use-browser-location';
import { consoleBase } from '../../navigation/addresses.ts';

/** Two forms of one document: each has an address. */
export function ViewSwitch({ view }: { view: 'rendered' | 'source' }): ReactNode {
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
