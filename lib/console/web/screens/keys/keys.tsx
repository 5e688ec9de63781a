import { KeyRound, Plus } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { itemsOf } from '../../api/read.ts';
import { useWorkspace } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { Page, Panel } from '../../design/page.tsx';
import { PagedList } from '../../design/paged-list.tsx';
import { State } from '../../design/state.tsx';
import { base } from '../../navigation/addresses.ts';
import { toToken, useOwnKeys } from '../access/access-queries.ts';
import { TokenDialog, type TokenTask } from '../access/token-dialog.tsx';
import { TokenRow } from '../access/token-row.tsx';

/** The keys with which programs act as the person: their own, and those that somebody else made for them. */
export function OwnKeys(): ReactNode {
  const { name, principal_id: me, display_name: displayName } = useWorkspace();
  const pages = useOwnKeys();
  const [task, setTask] = useState<TokenTask>();
  return (
    <Page title="Your keys">
      <p className="soft">
        A program with a key acts as you in <bdi>{name}</bdi>: it reaches what you reach, and what it does is recorded
        under your name. A key that somebody else made says so, here and in the audit log.
      </p>
      <Panel
        title="Keys that act as you"
        isFlush
        actions={
          <Button icon={Plus} size="small" onClick={() => setTask({ what: 'mint' })}>
            Make a key
          </Button>
        }
      >
        <PagedList
          pages={pages}
          items={itemsOf(pages)?.map((key) => toToken(key, me))}
          label="Keys that act as you"
          empty={
            <State icon={KeyRound} title="No keys">
              <p>Make one for git, for a script, or for an agent that connects by MCP. It is shown once.</p>
            </State>
          }
        >
          {(token) => (
            <TokenRow
              key={token.id}
              token={token}
              isPerson
              onRotate={() => setTask({ what: 'rotate', token })}
              onRevoke={() => setTask({ what: 'revoke', token })}
            />
          )}
        </PagedList>
      </Panel>
      <p className="soft small">
        <a href={`${base}/signin/sessions`}>Where you are signed in</a> lists your browsers, and the keys that somebody
        else made, of all your workspaces.
      </p>
      <TokenDialog task={task} onTask={setTask} principal={undefined} displayName={displayName} />
    </Page>
  );
}
