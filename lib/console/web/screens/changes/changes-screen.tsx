import { Activity, Undo2 } from 'lucide-react';
import { useEffect, useEffectEvent, useState, type ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { apiAddress } from '../../api/client.ts';
import { itemsOf } from '../../api/read.ts';
import { useWorkspace } from '../../api/session.ts';
import { announce } from '../../design/announce.tsx';
import { Button, LinkButton } from '../../design/button.tsx';
import { dayOf, formatDay } from '../../design/day.ts';
import { SelectField, TextField } from '../../design/field.tsx';
import { useNow } from '../../design/now.ts';
import { Page } from '../../design/page.tsx';
import { ProblemState, Skeleton, State } from '../../design/state.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import type { ScreenProps } from '../../navigation/screen-props.ts';
import { ChangeRow } from './change-row.tsx';
import { gather } from './gather.ts';
import { Messages } from './messages.tsx';
import { useRecentChanges, type Action, type RecentChange } from './change-queries.ts';

const day = 24 * 60 * 60_000;

const kinds: readonly { readonly action: Action; readonly name: string }[] = [
  { action: 'created', name: 'Created' },
  { action: 'changed', name: 'Edited' },
  { action: 'restored', name: 'Restored' },
  { action: 'moved', name: 'Moved or renamed' },
  { action: 'deleted', name: 'Deleted' },
  { action: 'comment_added', name: 'Comments' },
  { action: 'comment_settled', name: 'Settled comments' },
  { action: 'label_set', name: 'Labels' },
  { action: 'claimed', name: 'Claims' },
  { action: 'claim_ended', name: 'Ended claims' },
];

const spans: readonly { readonly days: number; readonly name: string }[] = [
  { days: 1, name: 'Last 24 hours' },
  { days: 7, name: 'Last 7 days' },
  { days: 30, name: 'Last 30 days' },
  { days: 365, name: 'Last year' },
];

/** What happened in everything that the person reaches, by day, the newest first. */
export function WhatChanged({ workspace }: ScreenProps): ReactNode {
  const [search, setSearch] = useSearchParams();
  const { principal_id: me } = useWorkspace();
  const [openedAt] = useState(() => Date.now());
  const folder = search.get('folder') ?? '';
  const action = kinds.find((each) => each.action === search.get('kind'))?.action ?? '';
  const days = spans.find((each) => String(each.days) === search.get('days'))?.days ?? 7;
  const since = new Date(openedAt - days * day).toISOString();
  const client = useQueryClient();
  const changes = useRecentChanges(workspace, { folder, action, since });
  useFeed(workspace, folder, () => {
    announce('Something has changed.');
    void client.invalidateQueries({ queryKey: ['recent-changes', workspace] });
    void client.invalidateQueries({ queryKey: ['messages', workspace] });
  });
  const items = itemsOf(changes);
  const seen = useLastVisit(workspace, me, folder === '' && action === '' ? items?.[0]?.at : undefined);
  const choose = (name: string, value: string): void => {
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        if (value === '') after.delete(name);
        else after.set(name, value);
        return after;
      },
      { replace: true },
    );
  };
  return (
    <Page
      title="What changed"
      actions={
        items?.some(({ may_revert: mayRevert }) => mayRevert) === true && (
          <LinkButton icon={Undo2} href={addressOf.undo(workspace, { folder })}>
            Undo somebody’s changes
          </LinkButton>
        )
      }
    >
      <Messages workspace={workspace} />
      <div className="changes-filters" role="search" aria-label="Filter the changes">
        <FolderField key={folder} folder={folder} onFolder={(value) => choose('folder', value)} />
        <SelectField label="Kind" value={action} onChange={({ target }) => choose('kind', target.value)}>
          <option value="">All kinds</option>
          {kinds.map((each) => (
            <option key={each.action} value={each.action}>
              {each.name}
            </option>
          ))}
        </SelectField>
        <SelectField label="Time" value={String(days)} onChange={({ target }) => choose('days', target.value)}>
          {spans.map((each) => (
            <option key={each.days} value={each.days}>
              {each.name}
            </option>
          ))}
        </SelectField>
      </div>
      {items === undefined ? (
        changes.error === null ? (
          <Skeleton lines={8} />
        ) : (
          <ProblemState error={changes.error} what="list" onRetry={() => void changes.refetch()} />
        )
      ) : items.length === 0 ? (
        <State icon={Activity} title="Nothing changed in that time">
          <p>
            {folder === '' && action === ''
              ? 'What others and you change in places that you reach appears here.'
              : 'Nothing that fits these filters.'}
          </p>
        </State>
      ) : (
        <Days workspace={workspace} items={items} seen={seen} />
      )}
      {changes.hasNextPage && (
        <div className="list-more">
          <Button isPending={changes.isFetchingNextPage} onClick={() => void changes.fetchNextPage()}>
            Load more
          </Button>
        </div>
      )}
    </Page>
  );
}

function FolderField({ folder, onFolder }: { folder: string; onFolder: (folder: string) => void }): ReactNode {
  const [text, setText] = useState(folder);
  const settle = (): void => {
    const trimmed = text.trim().replaceAll(/^\/|\/$/g, '');
    if (trimmed !== folder) onFolder(trimmed);
  };
  return (
    <TextField
      label="Folder"
      value={text}
      placeholder="Everything you reach"
      onChange={({ target }) => setText(target.value)}
      onBlur={settle}
      onKeyDown={({ key }) => key === 'Enter' && settle()}
    />
  );
}

interface DaysProps {
  readonly workspace: string;
  readonly items: readonly RecentChange[];
  /** The newest change of the last visit. */
  readonly seen: string | undefined;
}

function Days({ workspace, items, seen }: DaysProps): ReactNode {
  const now = useNow();
  const days = new Map<string, RecentChange[]>();
  for (const change of items) {
    const key = dayOf(change.at);
    const known = days.get(key);
    if (known === undefined) days.set(key, [change]);
    else known.push(change);
  }
  return (
    <div className="changes-days">
      {[...days].map(([key, changes]) => {
        const name = formatDay(changes[0]?.at ?? key, now);
        return (
          <section key={key} aria-label={name}>
            <h2 className="changes-day">{name}</h2>
            <ul className="panel rows">
              {gather(changes).map((happened) => (
                <ChangeRow
                  key={happened.key}
                  workspace={workspace}
                  happened={happened}
                  isNew={seen !== undefined && happened.change.at > seen}
                />
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

/** Milliseconds in which several changes count as one. */
const gathered = 400;

/**
 * Hears that something changed in reach, as long as the page is looked at. It says no more than that: the page reads
 * what it shows by itself.
 */
function useFeed(workspace: string, folder: string, onChange: () => void): void {
  const changed = useEffectEvent(onChange);
  useEffect(() => {
    const query = new URLSearchParams({ start: 'now', ...(folder !== '' && { location: folder }) }).toString();
    let source: EventSource | undefined;
    let timer: number | undefined;
    const hear = (): void => {
      timer ??= window.setTimeout(() => {
        timer = undefined;
        changed();
      }, gathered);
    };
    const follow = (): void => {
      source?.close();
      source = undefined;
      if (document.visibilityState !== 'visible') return;
      source = new EventSource(`${apiAddress(workspace, '/changes')}?${query}`);
      source.addEventListener('message', hear);
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      window.clearTimeout(timer);
      source?.close();
    };
  }, [workspace, folder]);
}

/**
 * The newest change that the person had seen here before this visit, as this browser remembers. It keeps a time alone.
 * @param newest of what is shown now; undefined while nothing is
 * @returns RFC 3339; undefined at the first visit
 */
function useLastVisit(workspace: string, principal: string, newest: string | undefined): string | undefined {
  const key = `cartulary-changes ${workspace} ${principal}`;
  const [before] = useState(() => localStorage.getItem(key) ?? undefined);
  useEffect(() => {
    if (newest !== undefined && newest > (localStorage.getItem(key) ?? '')) localStorage.setItem(key, newest);
  }, [key, newest]);
  return before;
}
