import { Flame, Plug, TriangleAlert, Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useWorkspace } from '../../api/session.ts';
import { Badge, Who } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Time } from '../../design/time.tsx';
import { addressOf, folderOf } from '../../navigation/addresses.ts';
import { EntryIcon } from '../../design/entry-icon.tsx';
import type { Trashed } from './trash-queries.ts';

interface TrashRowProps {
  readonly item: Trashed;
  readonly folder: string;
  /** The address of the trash below a folder. */
  readonly below: (folder: string) => string;
  readonly isSelected: boolean;
  readonly isPending: boolean;
  readonly onSelect: () => void;
  readonly onBringBack: () => void;
}

/** A deleted thing: what it was, where, who deleted it and when. */
export function TrashRow(props: TrashRowProps): ReactNode {
  const { item, folder, below, isSelected, isPending, onSelect, onBringBack } = props;
  const { type, location, name, deleted_at: at, deleted_by: by, occupant, read_only: isReadOnly } = item;
  const { name: workspace } = useWorkspace();
  const place = folderOf(location);
  return (
    <li className={isSelected ? 'trashed chosen' : 'trashed'}>
      <input
        type="checkbox"
        checked={isSelected}
        disabled={isReadOnly}
        aria-label={`Select ${location}`}
        onChange={onSelect}
      />
      <EntryIcon
        type={type}
        {...(item.document !== null && { kind: item.document.kind, mediaType: item.document.media_type })}
      />
      <div className="trashed-name">
        <div className="trashed-line">
          {type === 'folder' ? (
            <Link href={below(location)} className="truncate entry-link" title="Show what went with this folder">
              <bdi>{name}</bdi>
            </Link>
          ) : (
            <bdi className="truncate trashed-title" title={location}>
              {name}
            </bdi>
          )}
          {type === 'folder' && <Badge>folder</Badge>}
          {occupant !== null && (
            <Badge tone="warning" icon={TriangleAlert} title={`Another ${occupant} is at this place now.`}>
              place taken
            </Badge>
          )}
          {isReadOnly && (
            <Badge tone="connector" icon={Plug} title="A connector writes at this place now.">
              mirror
            </Badge>
          )}
        </div>
        <div className="trashed-line soft small">
          {place !== '' && place !== folder && (
            <>
              <span>in</span>
              <Link href={below(place)} className="truncate trashed-place" title="Show only what was deleted here">
                <bdi>{place}</bdi>
              </Link>
            </>
          )}
          <span className="trashed-who">
            <span>deleted by</span>
            <Who name={by.display_name} kind={by.kind} />
          </span>
          <Time at={at} />
        </div>
      </div>
      {item.document?.may_erase === true && (
        <Link
          href={addressOf.erase(workspace, location, item.document.id)}
          className="icon-button"
          aria-label={`Erase ${location}`}
          title="Erase for good"
        >
          <Flame aria-hidden />
        </Link>
      )}
      {!isReadOnly && (
        <Button
          size="small"
          icon={Undo2}
          isPending={isPending}
          onClick={onBringBack}
          aria-label={`Bring back ${location}`}
        >
          Bring back
        </Button>
      )}
    </li>
  );
}
