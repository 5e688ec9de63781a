import { useMutation } from '@tanstack/react-query';
import { ChevronDown, ChevronRight, Search, Users, UsersRound } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { apiOf, dataOf } from '../../api/client.ts';
import { useWorkspace } from '../../api/session.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { Button, IconButton } from '../../design/button.tsx';
import { TextField } from '../../design/field.tsx';
import { FormDialog, useForm } from '../../design/form-dialog.tsx';
import { Page } from '../../design/page.tsx';
import { takeFocus } from '../../design/take-focus.ts';
import { ProblemLine, Skeleton, State } from '../../design/state.tsx';
import { showToast } from '../../design/toast.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { PagedList } from '../../design/paged-list.tsx';
import { itemsOf } from '../../api/read.ts';
import { useGroups, useMembers, useRefresh } from './access-queries.ts';
import { AccessTabs } from './access-tabs.tsx';
import { useRested } from './use-rested.ts';

/** The groups: outermost ones first, each with the groups in it. A filter shows all that match, without nesting. */
export function GroupsPage(): ReactNode {
  const [text, setText] = useState('');
  const [isAdding, setAdding] = useState(false);
  const rested = useRested(text.trim());
  const pages = useGroups(rested, rested === '');
  return (
    <Page
      title="Access"
      actions={
        <Button look="primary" icon={Users} onClick={() => setAdding(true)}>
          Add group
        </Button>
      }
    >
      <AccessTabs current="groups" />
      <div className="access-filters" role="search" aria-label="Filter groups">
        <TextField
          label="Filter by name"
          isLabelHidden
          type="search"
          placeholder="Name or id"
          maxLength={200}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <section className="panel" aria-label="Groups">
        <PagedList
          pages={pages}
          items={itemsOf(pages)}
          label="Groups"
          lines={4}
          empty={
            text === '' ? (
              <State icon={UsersRound} title="No groups yet">
                <p>Share with a group once, and everyone in it has access, also those who join later.</p>
              </State>
            ) : (
              <State icon={Search} title="No group matches">
                <p>Try a part of the name.</p>
              </State>
            )
          }
        >
          {(group) => (
            <GroupNode
              key={group.id}
              id={group.id}
              displayName={group.display_name}
              hasGroups={group.has_groups && rested === ''}
              depth={0}
            />
          )}
        </PagedList>
      </section>
      {isAdding && <AddGroupDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}

interface NodeProps {
  readonly id: string;
  readonly displayName: string;
  readonly hasGroups: boolean;
  readonly depth: number;
}

/** A group, and on request the groups in it. */
function GroupNode({ id, displayName, hasGroups, depth }: NodeProps): ReactNode {
  const { name } = useWorkspace();
  const [isOpen, setOpen] = useState(false);
  return (
    <li className="group-node">
      <div className="group-line">
        {hasGroups ? (
          <IconButton
            label={`${isOpen ? 'Hide' : 'Show'} groups in ${displayName}`}
            icon={isOpen ? ChevronDown : ChevronRight}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          />
        ) : (
          <span className="group-leaf" aria-hidden />
        )}
        <Link className="row-name" href={addressOf.group(name, id)}>
          <bdi>{displayName}</bdi>
        </Link>
      </div>
      {isOpen && <InnerGroups id={id} displayName={displayName} depth={depth + 1} />}
    </li>
  );
}

function InnerGroups({ id, displayName, depth }: Omit<NodeProps, 'hasGroups'>): ReactNode {
  const pages = useMembers(id, 'group');
  const items = itemsOf(pages);
  if (items === undefined) return pages.error === null ? <Skeleton lines={2} /> : <ProblemLine error={pages.error} />;
  return (
    <ul className="group-inner" aria-label={`Groups in ${displayName}`}>
      {items.map((member) => (
        <GroupNode
          key={member.id}
          id={member.id}
          displayName={member.display_name}
          hasGroups={member.has_groups}
          depth={depth}
        />
      ))}
      {pages.hasNextPage && (
        <li>
          <Button size="small" isPending={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            Load more
          </Button>
        </li>
      )}
    </ul>
  );
}

function AddGroupDialog({ onClose }: { onClose: () => void }): ReactNode {
  const { name: workspace } = useWorkspace();
  const [, navigate] = useLocation();
  const refresh = useRefresh();
  const [displayName, setDisplayName] = useState('');
  const [isMissing, setMissing] = useState(false);
  const attempts = useAttempts();
  const add = useMutation({
    mutationFn: (name: string) => {
      const body = { display_name: name };
      const params = { header: { 'Idempotency-Key': attempts.keyFor(body) } };
      return dataOf(apiOf(workspace).POST('/groups', { params, body }));
    },
    onSuccess: ({ id }) => {
      onClose();
      showToast({ text: 'The group was added.' });
      navigate(addressOf.group(workspace, id));
    },
    onSettled: () => void refresh(),
  });
  const submit = (): void => {
    const name = displayName.trim();
    setMissing(name === '');
    if (name !== '') add.mutate(name);
  };
  const form = useForm(add, {}, ({ field, sentence }) => ({
    name: field === 'name' || field === 'display_name' ? sentence : undefined,
  }));
  return (
    <FormDialog title="Add group" action="Add group" sending={form} onSubmit={submit} onClose={onClose}>
      <TextField
        label="Name"
        error={isMissing ? 'Enter a name.' : form.errors.name}
        value={displayName}
        maxLength={200}
        ref={takeFocus}
        onChange={(event) => setDisplayName(event.target.value)}
      />
    </FormDialog>
  );
}
