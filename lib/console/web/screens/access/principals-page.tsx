import { Bot, Search, UserPlus, Users } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useWorkspace } from '../../api/session.ts';
import { Badge, KindBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { SelectField, TextField } from '../../design/field.tsx';
import { Page } from '../../design/page.tsx';
import { State } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { AddPrincipalDialog } from './add-principal-dialog.tsx';
import { PagedList } from '../../design/paged-list.tsx';
import { itemsOf } from '../../api/read.ts';
import { usePrincipals, type Kind, type ListedPrincipal } from './access-queries.ts';
import { AccessTabs } from './access-tabs.tsx';
import { useRested } from './use-rested.ts';

/** Everyone who works in the workspace. */
export function PrincipalsPage(): ReactNode {
  const [text, setText] = useState('');
  const [kind, setKind] = useState<Kind | ''>('');
  const [adding, setAdding] = useState<'person' | 'agent'>();
  const pages = usePrincipals(useRested(text.trim()), kind);
  return (
    <Page
      title="Access"
      actions={
        <>
          <Button icon={Bot} onClick={() => setAdding('agent')}>
            Add agent
          </Button>
          <Button look="primary" icon={UserPlus} onClick={() => setAdding('person')}>
            Add person
          </Button>
        </>
      }
    >
      <AccessTabs current="principals" />
      <div className="access-filters" role="search" aria-label="Filter people and agents">
        <TextField
          label="Filter by name"
          isLabelHidden
          type="search"
          placeholder="Name, sign-in name or id"
          maxLength={200}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <SelectField
          label="Kind"
          isLabelHidden
          value={kind}
          onChange={(event) => setKind(event.target.value as Kind | '')}
        >
          <option value="">All kinds</option>
          <option value="person">People</option>
          <option value="agent">Agents</option>
          <option value="connector">Connectors</option>
        </SelectField>
      </div>
      <section className="panel" aria-label="People and agents">
        <PagedList
          pages={pages}
          items={itemsOf(pages)}
          label="People and agents"
          lines={5}
          empty={
            text === '' && kind === '' ? (
              <State icon={Users} title="No one is here yet">
                <p>Add a person to give them a sign-in, or an agent to give it a token.</p>
              </State>
            ) : (
              <State icon={Search} title="No one matches">
                <p>Try a part of the name, or another kind.</p>
              </State>
            )
          }
        >
          {(principal) => <Row key={principal.id} principal={principal} />}
        </PagedList>
      </section>
      {adding !== undefined && <AddPrincipalDialog kind={adding} onClose={() => setAdding(undefined)} />}
    </Page>
  );
}

function Row({ principal }: { principal: ListedPrincipal }): ReactNode {
  const { name } = useWorkspace();
  const { id, kind, display_name: displayName, sign_in_name: signInName, last_seen_at: lastSeen } = principal;
  return (
    <li className="access-row">
      <div className="row-main">
        <Link className="row-name" href={addressOf.principal(name, id)}>
          <bdi>{displayName}</bdi>
        </Link>
        {signInName !== null && (
          <span className="soft small row-line">
            <bdi>{signInName}</bdi>
          </span>
        )}
      </div>
      <span className="cluster">
        <KindBadge kind={kind} />
        {principal.is_admin && <Badge tone="info">admin</Badge>}
        {principal.disabled_at !== null && <Badge tone="danger">disabled</Badge>}
      </span>
      <span className="row-times soft small">
        {lastSeen === null ? 'Not seen yet' : <>Seen {<Time at={lastSeen} />}</>}
      </span>
    </li>
  );
}
