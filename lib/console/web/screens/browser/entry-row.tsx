import { Ellipsis, Lock, Plug, UserLock } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { Link } from 'wouter';
import { Badge, Who } from '../../design/badge.tsx';
import { Menu } from '../../design/menu.tsx';
import type { MenuAction } from '../../design/menu-list.tsx';
import { formatExact, Time } from '../../design/time.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { EntryIcon } from '../../design/entry-icon.tsx';
import { keyOf, locationOf, type DocumentEntry, type Entry } from './browser-queries.ts';

const maxLabels = 3;

export interface RowProps {
  readonly workspace: string;
  readonly entry: Entry;
  readonly index: number;
  /** Pixels from the top of the list. */
  readonly top: number;
  readonly isActive: boolean;
  readonly isChosen: boolean;
  /** Whether rows can be chosen at all: only where something can be done with them. */
  readonly isChoosable: boolean;
  /** Whether the list mixes places, so that each line says where it lies and what the person may do. */
  readonly showsPlace: boolean;
  readonly actionsFor: (entry: Entry) => readonly MenuAction[];
  readonly onChoose: (index: number, isRange: boolean) => void;
}

/** A line of the list. */
export const EntryRow = memo(function EntryRow(props: RowProps): ReactNode {
  const { workspace, entry, index, top, isActive, isChosen, isChoosable, showsPlace, actionsFor, onChoose } = props;
  const location = locationOf(entry);
  const name = showsPlace ? location : entry.type === 'folder' ? entry.folder.name : entry.document.name;
  const href =
    entry.type === 'folder' ? addressOf.folder(workspace, location) : addressOf.document(workspace, location);
  return (
    <div
      role="row"
      data-row={index}
      data-key={keyOf(entry)}
      className={isChosen ? 'entry chosen' : 'entry'}
      aria-rowindex={index + 2}
      aria-selected={isChoosable ? isChosen : undefined}
      tabIndex={isActive ? 0 : -1}
      style={{ transform: `translateY(${top}px)` }}
    >
      <div role="gridcell" className="entry-choice">
        {isChoosable && (
          <input
            type="checkbox"
            tabIndex={-1}
            checked={isChosen}
            aria-label={`Select ${name}`}
            onChange={() => undefined}
            onClick={(event) => onChoose(index, event.shiftKey)}
          />
        )}
      </div>
      <div role="gridcell" className="entry-name">
        <EntryIcon
          {...(entry.type === 'folder'
            ? { type: 'folder', isMirror: entry.folder.read_only }
            : { type: 'document', kind: entry.document.kind, mediaType: entry.document.media_type })}
        />
        <Link href={href} tabIndex={-1} className="truncate entry-link" title={name}>
          <bdi>{name}</bdi>
        </Link>
        <Badges entry={entry} showsRole={showsPlace} />
      </div>
      {entry.type === 'document' ? <LastChange entry={entry} /> : <NoChange />}
      <div role="gridcell" className="entry-menu">
        <RowMenu name={name} entry={entry} isActive={isActive} actionsFor={actionsFor} />
      </div>
    </div>
  );
});

/** The menu, in the order of Tab only on the row that the keys act on. */
function RowMenu({
  name,
  entry,
  isActive,
  actionsFor,
}: Pick<RowProps, 'entry' | 'isActive' | 'actionsFor'> & { name: string }): ReactNode {
  const actions = actionsFor(entry);
  if (actions.length === 0) return null;
  return (
    <Menu
      label={`Actions for ${name}`}
      actions={actions}
      className={isActive ? 'icon-button reachable' : 'icon-button'}
      {...(!isActive && { tabIndex: -1 })}
    >
      <Ellipsis aria-hidden />
    </Menu>
  );
}

function LastChange({ entry }: { entry: DocumentEntry }): ReactNode {
  const { author, created_at: at } = entry.document.version;
  return (
    <>
      <div role="gridcell" className="entry-who">
        <Who name={author.display_name} kind={author.kind} />
      </div>
      <div role="gridcell" className="entry-time">
        <Time at={at} />
      </div>
    </>
  );
}

function NoChange(): ReactNode {
  return (
    <>
      <div role="gridcell" className="entry-who">
        <span className="visually-hidden">Not kept for folders</span>
      </div>
      <div role="gridcell" className="entry-time">
        <span className="visually-hidden">Not kept for folders</span>
      </div>
    </>
  );
}

function Badges({ entry, showsRole }: { entry: Entry; showsRole: boolean }): ReactNode {
  const isMirror = entry.type === 'folder' ? entry.folder.read_only : entry.document.read_only;
  return (
    <span className="entry-badges">
      {isMirror && (
        <Badge tone="connector" icon={Plug} title="A connector writes here. Change it at its source.">
          mirror
        </Badge>
      )}
      {entry.type === 'document' && <ClaimBadge entry={entry} />}
      {showsRole && entry.role === 'reader' && (
        <Badge icon={Lock} title="You may read it, and not change it.">
          read only
        </Badge>
      )}
      {entry.type === 'document' && <Labels labels={entry.document.labels} />}
    </span>
  );
}

function ClaimBadge({ entry }: { entry: DocumentEntry }): ReactNode {
  const { claim } = entry.document;
  if (claim === null) return null;
  const { holder, section, expires_at: until } = claim;
  const what = section === null ? 'the document' : `the section “${section}”`;
  return (
    <Badge
      tone="warning"
      icon={UserLock}
      title={`${holder.display_name} (${holder.kind}) has claimed ${what} until ${formatExact(until)}.`}
    >
      claimed by <bdi>{holder.display_name}</bdi>
    </Badge>
  );
}

function Labels({ labels }: { labels: readonly string[] }): ReactNode {
  const rest = labels.slice(maxLabels);
  return (
    <>
      {labels.slice(0, maxLabels).map((label) => (
        <Badge key={label} tone="label" title={`Label ${label}`}>
          <bdi>{label}</bdi>
        </Badge>
      ))}
      {rest.length > 0 && (
        <Badge tone="label" title={rest.join(', ')}>
          +{rest.length}
        </Badge>
      )}
    </>
  );
}
