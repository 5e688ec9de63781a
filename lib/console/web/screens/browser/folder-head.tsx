import {
  Ellipsis,
  Eye,
  FileArchive,
  FilePlus,
  FolderInput,
  FolderPlus,
  FolderUp,
  Plug,
  TextCursorInput,
  Trash2,
  Undo2,
  Upload,
  UserPlus,
} from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Button, LinkButton } from '../../design/button.tsx';
import { Menu } from '../../design/menu.tsx';
import type { MenuAction } from '../../design/menu-list.tsx';
import type { Crumb } from '../../navigation/crumbs.ts';
import { addressOf } from '../../navigation/addresses.ts';
import { filesOf, type PickedFile } from '../upload/collect-files.ts';
import { exportFolder } from './download.ts';
import { mayEdit } from './may.ts';
import type { Asked } from './dialogs.tsx';
import type { BrowsedFolder, FolderEntry } from './browser-queries.ts';

/** The first crumb: everything that the person reaches begins there. */
export const startName = 'Documents';

/** The way from the highest folder in the person's reach. */
export function crumbsOf(workspace: string, { folder, trail }: BrowsedFolder): readonly Crumb[] | undefined {
  if (folder === null || folder.location === '') return undefined;
  const [root] = trail;
  const below = root?.location === '' ? trail.slice(1) : trail;
  return [
    { name: startName, href: addressOf.folder(workspace, '') },
    ...below.map(({ location, name }, index) => ({
      // Folders above the first one are out of reach: its whole location says where it is.
      name: index === 0 ? location : name,
      ...(location !== folder.location && { href: addressOf.folder(workspace, location) }),
    })),
  ];
}

export interface FolderActionsProps {
  readonly workspace: string;
  readonly self: FolderEntry;
  readonly onFiles: (files: readonly PickedFile[]) => void;
  /** Opens a dialog. */
  readonly ask: (asked: Asked) => void;
}

/** What can be done in and with the folder. Only what works for the person is offered. */
export function FolderActions({ workspace, self, onFiles, ask }: FolderActionsProps): ReactNode {
  const { folder, role } = self;
  const [, navigate] = useLocation();
  const files = useRef<HTMLInputElement>(null);
  const folders = useRef<HTMLInputElement>(null);
  const isEditor = mayEdit(role, folder.read_only);
  const isBelow = folder.location !== '';
  const onNewFolder = (): void => ask({ about: 'new-folder' });
  const onShare = (): void => ask({ about: 'share', location: folder.location });
  const take = (input: HTMLInputElement): void => {
    if (input.files !== null && input.files.length > 0) onFiles(filesOf(input.files));
    input.value = '';
  };
  const actions: MenuAction[] = [
    ...(isEditor
      ? [
          { label: 'New folder', icon: FolderPlus, run: onNewFolder },
          { label: 'Upload files', icon: Upload, run: () => files.current?.click() },
          { label: 'Upload a folder', icon: FolderUp, run: () => folders.current?.click() },
        ]
      : []),
    { label: 'Share', icon: UserPlus, run: onShare },
    ...(role === 'approver'
      ? [
          {
            label: 'Who read this',
            icon: Eye,
            run: () => navigate(addressOf.whoRead(workspace, { location: folder.location })),
          },
        ]
      : []),
    ...(role === 'approver' && !folder.read_only
      ? [
          {
            label: 'Mirror a source here',
            icon: Plug,
            run: () => navigate(addressOf.newConnector(workspace, folder.location)),
          },
        ]
      : []),
    { label: 'Export as zip', icon: FileArchive, run: () => exportFolder(workspace, folder.location) },
    ...(isEditor
      ? [
          {
            label: 'Undo somebody’s changes…',
            icon: Undo2,
            run: () => navigate(addressOf.undo(workspace, { folder: folder.location })),
          },
        ]
      : []),
    ...(isEditor && isBelow
      ? [
          {
            label: 'Move this folder',
            icon: FolderInput,
            run: () => ask({ about: 'move', entries: [self] }),
            startsGroup: true,
          },
          { label: 'Rename this folder', icon: TextCursorInput, run: () => ask({ about: 'rename', entry: self }) },
          {
            label: 'Delete this folder',
            icon: Trash2,
            run: () => ask({ about: 'delete', entries: [self], isPartial: false }),
            isDangerous: true,
            startsGroup: true,
          },
        ]
      : []),
  ];
  return (
    <>
      <Menu label={!isBelow ? 'Actions for all documents' : `Actions for the folder ${folder.name}`} actions={actions}>
        <Ellipsis aria-hidden />
      </Menu>
      <span className="wide-only">
        <Button look="quiet" icon={UserPlus} onClick={onShare}>
          Share
        </Button>
      </span>
      {isEditor && (
        <>
          <span className="wide-only">
            <Button look="quiet" icon={FolderPlus} onClick={onNewFolder}>
              New folder
            </Button>
          </span>
          <span className="wide-only">
            <Button icon={Upload} onClick={() => files.current?.click()}>
              Upload files
            </Button>
          </span>
          <LinkButton look="primary" icon={FilePlus} href={addressOf.newDocument(workspace, folder.location)}>
            New document
          </LinkButton>
          <input
            ref={files}
            type="file"
            multiple
            hidden
            aria-label="Files to upload"
            onChange={({ target }) => take(target)}
          />
          <input
            ref={folders}
            type="file"
            hidden
            aria-label="Folder to upload"
            {...{ webkitdirectory: '' }}
            onChange={({ target }) => take(target)}
          />
        </>
      )}
    </>
  );
}
