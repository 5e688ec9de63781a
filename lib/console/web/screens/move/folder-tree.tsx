import { ChevronRight, Folder, FolderLock } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button, Tree, TreeItem, TreeItemContent, type Key } from 'react-aria-components';
import { apiOf, dataOf } from '../../api/client.ts';
import type { components } from '../../api/described.d.ts';
import { asProblem } from '../../api/problem.ts';
import { ProblemState, Skeleton } from '../../design/state.tsx';
import { takeFocus } from '../../design/take-focus.ts';

type Target = components['schemas']['Target'];

/** What is known of one folder's folders. */
interface Level {
  readonly mayWrite: boolean;
  readonly items: readonly Target[];
  readonly next: string | null;
  readonly problem?: string;
}

interface FolderTreeProps {
  readonly workspace: string;
  /** Undefined until one is chosen. */
  readonly chosen: string | undefined;
  readonly onChoose: (folder: string) => void;
  /** Folders that cannot be chosen, such as what is to be moved. */
  readonly without: readonly string[];
}

const nothing: Level = { mayWrite: false, items: [], next: null };

/** @param before the pages before, to which the next one is added */
async function readLevel(workspace: string, location: string, before: Level | undefined): Promise<Level> {
  const cursor = before?.next ?? undefined;
  const query = { location, limit: 100, ...(cursor !== undefined && { cursor }) };
  const page = await dataOf(apiOf(workspace).GET('/move-targets', { params: { query } }));
  return { mayWrite: page.may_write, items: [...(before?.items ?? []), ...page.items], next: page.next_cursor };
}

const rootKey = 'folder:';
const keyOfFolder = (location: string): string => `folder:${location}`;
const moreKey = (location: string): string => `more:${location}`;

/** The folders of a workspace, to choose one in which one may write. A folder is asked for when it is opened. */
export function FolderTree({ workspace, chosen, onChoose, without }: FolderTreeProps): ReactNode {
  const [levels, setLevels] = useState<ReadonlyMap<string, Level>>(new Map());
  const [expanded, setExpanded] = useState<ReadonlySet<Key>>(new Set([rootKey]));

  const top = useQuery({
    queryKey: ['move-targets', workspace],
    queryFn: () => readLevel(workspace, '', undefined),
  });
  const root = levels.get('') ?? top.data;
  if (root === undefined) {
    return top.error === null ? (
      <Skeleton lines={4} label="Loading folders" />
    ) : (
      <ProblemState error={top.error} onRetry={() => void top.refetch()} />
    );
  }
  const levelOf = (location: string): Level | undefined => levels.get(location) ?? (location === '' ? root : undefined);
  const load = async (location: string): Promise<void> => {
    const before = levelOf(location);
    let level: Level;
    try {
      level = await readLevel(workspace, location, before);
    } catch (error) {
      level = { ...(before ?? nothing), problem: asProblem(error).sentence };
    }
    setLevels((all) => new Map(all).set(location, level));
  };
  const expand = (keys: Set<Key>): void => {
    setExpanded(keys);
    for (const key of keys) {
      const location = String(key).slice(rootKey.length);
      if (levelOf(location) === undefined) void load(location);
    }
  };

  const disabled: string[] = [];
  const isBarred = (location: string): boolean =>
    without.some((each) => location === each || location.startsWith(`${each}/`));
  const showFolder = (location: string, name: string, mayWrite: boolean): ReactNode => {
    const level = levelOf(location);
    const key = keyOfFolder(location);
    const isOff = !mayWrite || isBarred(location);
    const note = mayWrite ? 'is moved' : 'you cannot write here';
    if (isOff) disabled.push(key);
    const hasFolders = level === undefined || level.items.length > 0 || level.problem !== undefined;
    return (
      <TreeItem
        key={key}
        id={key}
        textValue={name}
        aria-label={isOff ? `${name}, ${note}` : name}
        className="tree-item"
        hasChildItems={hasFolders && !isBarred(location)}
      >
        <TreeItemContent>
          {({ hasChildItems, isExpanded }) => (
            <>
              {hasChildItems ? (
                <Button slot="chevron" className="tree-chevron" aria-label={isExpanded ? 'Close' : 'Open'}>
                  <ChevronRight aria-hidden />
                </Button>
              ) : (
                <span className="tree-chevron" />
              )}
              {isOff ? <FolderLock aria-hidden /> : <Folder aria-hidden />}
              <bdi className="truncate">{name}</bdi>
              {isOff && <span className="tree-note">{note}</span>}
            </>
          )}
        </TreeItemContent>
        {isBarred(location) ? [] : level === undefined ? [showWaiting(location)] : showBelow(location, level)}
      </TreeItem>
    );
  };
  // A folder opens only if there is something in it, so one that is not known yet holds this.
  const showWaiting = (location: string): ReactNode => (
    <TreeItem key={moreKey(location)} id={moreKey(location)} textValue="Loading" className="tree-item">
      <TreeItemContent>
        <span className="tree-chevron" />
        <span className="soft">Loading…</span>
      </TreeItemContent>
    </TreeItem>
  );
  const showBelow = (location: string, { items, next, problem }: Level): ReactNode[] => [
    ...items.map((target) => showFolder(target.location, target.name, target.may_write)),
    ...(next === null && problem === undefined
      ? []
      : [
          <TreeItem
            key={moreKey(location)}
            id={moreKey(location)}
            textValue={problem === undefined ? 'Load more' : 'Try again'}
            className="tree-item"
            onAction={() => void load(location)}
          >
            <TreeItemContent>
              <span className="tree-chevron" />
              <span className="link">{problem === undefined ? 'Load more' : `${problem} Try again`}</span>
            </TreeItemContent>
          </TreeItem>,
        ]),
  ];
  const items = showFolder('', workspace, root.mayWrite);
  const more = ['', ...levels.keys(), ...[...expanded].map((key) => String(key).slice(rootKey.length))].map(moreKey);
  return (
    <Tree
      ref={takeFocus}
      autoFocus="first"
      aria-label="Folders"
      className="tree"
      selectionMode="single"
      selectionBehavior="replace"
      disallowEmptySelection
      disabledBehavior="selection"
      disabledKeys={[...disabled, ...more]}
      selectedKeys={chosen === undefined ? [] : [keyOfFolder(chosen)]}
      onSelectionChange={(keys) => {
        const [key] = keys === 'all' ? [] : keys;
        if (key !== undefined) onChoose(String(key).slice(rootKey.length));
      }}
      expandedKeys={expanded}
      onExpandedChange={expand}
    >
      {items}
    </Tree>
  );
}
