import {
  Copy,
  Download,
  Eye,
  FileArchive,
  Flame,
  FolderInput,
  History,
  Pencil,
  Tags,
  TextCursorInput,
  Trash2,
  UserPlus,
} from 'lucide-react';
import { announce } from '../../design/announce.tsx';
import { copyText } from '../../design/copy-button.tsx';
import type { MenuAction } from '../../design/menu-list.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { downloadDocument, exportFolder } from './download.ts';
import type { Asked } from './dialogs.tsx';
import { mayDelete, mayEdit, mayEditEntry, mayLabel } from './may.ts';
import { locationOf, type Entry } from './browser-queries.ts';

export interface EntryCommands {
  readonly workspace: string;
  readonly principalId: string;
  /** Whether the person may give names in the folder. */
  readonly mayRename: boolean;
  readonly navigate: (address: string) => void;
  /** Opens a dialog. */
  readonly ask: (asked: Asked) => void;
  readonly remove: (entries: readonly Entry[]) => Promise<void>;
}

async function copyLocation(location: string): Promise<void> {
  await copyText(location);
  announce('The location is copied.');
}

/** What can be done with one entry. Only what works for the person is offered. */
export function listActions(entry: Entry, commands: EntryCommands): MenuAction[] {
  const { workspace, principalId, mayRename, navigate, ask, remove } = commands;
  const location = locationOf(entry);
  const actions: MenuAction[] = [];
  if (entry.type === 'folder') {
    actions.push({ label: 'Export as zip', icon: FileArchive, run: () => exportFolder(workspace, location) });
  } else {
    const { kind, read_only: isReadOnly } = entry.document;
    if (kind === 'text' && mayEdit(entry.role, isReadOnly)) {
      actions.push({ label: 'Edit', icon: Pencil, run: () => navigate(addressOf.editor(workspace, location)) });
    }
    actions.push(
      { label: 'Show history', icon: History, run: () => navigate(addressOf.history(workspace, location)) },
      { label: 'Download', icon: Download, run: () => downloadDocument(workspace, location) },
    );
    if (mayLabel(entry))
      actions.push({ label: 'Change labels', icon: Tags, run: () => ask({ about: 'labels', entries: [entry] }) });
  }
  actions.push({ label: 'Copy location', icon: Copy, run: () => void copyLocation(location) });
  actions.push({ label: 'Share', icon: UserPlus, run: () => ask({ about: 'share', location }) });
  if (entry.role === 'approver') {
    const address = addressOf.whoRead(workspace, { location });
    actions.push({ label: 'Who read this', icon: Eye, run: () => navigate(address) });
  }
  if (mayEditEntry(entry)) {
    actions.push(
      { label: 'Move', icon: FolderInput, run: () => ask({ about: 'move', entries: [entry] }), startsGroup: true },
      ...(mayRename ? [{ label: 'Rename', icon: TextCursorInput, run: () => ask({ about: 'rename', entry }) }] : []),
    );
  }
  if (mayDelete(entry, principalId)) {
    actions.push({
      label: 'Delete',
      icon: Trash2,
      run: () => void remove([entry]),
      isDangerous: true,
      shortcut: 'Del',
      startsGroup: true,
    });
  }
  if (entry.type === 'document' && entry.role === 'approver') {
    const erase = addressOf.erase(workspace, location, entry.document.id);
    actions.push({ label: 'Erase…', icon: Flame, run: () => navigate(erase), isDangerous: true });
  }
  return actions;
}
