import { KeyRound, Plus } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button } from '../../design/button.tsx';
import { Panel } from '../../design/page.tsx';
import { State } from '../../design/state.tsx';
import { PagedList } from '../../design/paged-list.tsx';
import { itemsOf } from '../../api/read.ts';
import { useTokens, type PrincipalDetails, type Token } from './access-queries.ts';
import { TokenDialog, type TokenTask } from './token-dialog.tsx';
import { TokenRow } from './token-row.tsx';
import { useWorkspace } from '../../api/session.ts';

/** The tokens of a principal: what it signs in with where no person is at a keyboard. */
export function TokensCard({ principal }: { principal: PrincipalDetails }): ReactNode {
  const { id, display_name: displayName, disabled_at: disabledAt } = principal;
  const pages = useTokens(id);
  const [task, setTask] = useState<TokenTask>();
  const { principal_id: me } = useWorkspace();
  const isPerson = principal.kind === 'person';
  // The secret of a person's key goes to the person, or to who made the key.
  const mayRotate = (token: Token): boolean => !isPerson || [token.principal, token.created_by.id].includes(me);
  const mint = (
    <Button icon={Plus} size="small" disabled={disabledAt !== null} onClick={() => setTask({ what: 'mint' })}>
      Mint token
    </Button>
  );
  return (
    <Panel title="Tokens" isFlush actions={mint}>
      {isPerson && id !== me && (
        <p className="soft small token-note">
          People make keys of their own under Your keys. Of a key that you make for <bdi>{displayName}</bdi>, they are
          told, and what is done with it is recorded as made by you.
        </p>
      )}
      <PagedList
        pages={pages}
        items={itemsOf(pages)}
        label="Tokens"
        empty={
          <State icon={KeyRound} title="No tokens">
            <p>Mint a token for a script, a git client, or an agent that connects by MCP. Its key is shown once.</p>
          </State>
        }
      >
        {(token) => (
          <TokenRow
            key={token.id}
            token={token}
            isPerson={isPerson}
            onRotate={mayRotate(token) ? () => setTask({ what: 'rotate', token }) : undefined}
            onRevoke={() => setTask({ what: 'revoke', token })}
          />
        )}
      </PagedList>
      <TokenDialog task={task} onTask={setTask} principal={id} displayName={displayName} />
    </Panel>
  );
}
