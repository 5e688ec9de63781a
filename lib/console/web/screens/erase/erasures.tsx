import { Flame } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Badge, Who } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Page } from '../../design/page.tsx';
import { ProblemState, Skeleton, State } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import type { ScreenProps } from '../../navigation/screen-props.ts';
import { describeAmount } from './consequences.tsx';
import { useErasures, type Erasure } from './erase-queries.ts';
import { Receipt } from './receipt.tsx';
import { itemsOf } from '../../api/read.ts';

/** Receipts of erases: all that the person may see, or one with its progress. */
export function Erasures({ workspace, rest }: ScreenProps): ReactNode {
  return rest === '' ? <List workspace={workspace} /> : <Receipt workspace={workspace} erasure={rest} />;
}

function List({ workspace }: { workspace: string }): ReactNode {
  const pages = useErasures(workspace);
  const items = itemsOf(pages);
  return (
    <Page title="Erased documents" crumbs={[{ name: 'Trash', href: addressOf.trash(workspace) }, { name: 'Erased' }]}>
      {items === undefined ? (
        pages.error === null ? (
          <Skeleton />
        ) : (
          <ProblemState error={pages.error} what="list" onRetry={() => void pages.refetch()} />
        )
      ) : items.length === 0 ? (
        <State icon={Flame} title="Nothing was erased">
          <p>Approvers erase a document from its menu. The receipts of what you erase stay here.</p>
        </State>
      ) : (
        <ul className="rows panel" aria-label="Receipts">
          {items.map((erasure) => (
            <Row key={erasure.id} workspace={workspace} erasure={erasure} />
          ))}
        </ul>
      )}
      {pages.hasNextPage && (
        <div className="entries-more">
          <Button isPending={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            Load more
          </Button>
        </div>
      )}
    </Page>
  );
}

function Row({ workspace, erasure }: { workspace: string; erasure: Erasure }): ReactNode {
  const { id, requested_at: at, requested_by: by, phase, hindrance } = erasure;
  return (
    <li>
      <div className="row-main">
        <Link href={addressOf.erasure(workspace, id)} className="row-name">
          A document, <Time at={at} form="exact" />
        </Link>
        <span className="soft small">{describeAmount(erasure)}</span>
      </div>
      <Who name={by.display_name} kind={by.kind} />
      {phase === 'final' ? (
        <Badge tone="success">erased for good</Badge>
      ) : (
        <Badge tone={hindrance === null ? 'info' : 'danger'}>{hindrance === null ? 'under way' : 'held up'}</Badge>
      )}
    </li>
  );
}
