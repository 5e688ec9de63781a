import { Copy, Download, FileArchive, History, Pencil, Tags, Trash2 } from 'lucide-react';
import { announce } from '../../design/announce.tsx';
import { copyText } from '../../design/copy-button.tsx';
import type { MenuAction } from '../../design/menu.tsx';
import { addressOf } from '../../shell/addresses.ts';
import { downloadDocument, exportFolder } from './download.ts';
import { mayDelete, mayEdit, mayLabel } from './may.ts';
import { locationOf, type DocumentEntry, type Entry } from './queries.ts';

export interface EntryCommands {
  readonly workspace: string;
  readonly principalId: string;
  readonly navigate: (address: string) => void;
  readonly onLabels: (entries: readonly DocumentEntry[]) => void;
  readonly onDelete: (entries: readonly Entry[]) => void;
}

async function copyLocation(location: string): Promise<void> {
  await copyText(location);
  announce('The location is copied.');
}

/** What can be done with one entry. Only what works for the person is offered. */
export function listActions(entry: Entry, commands: EntryCommands): MenuAction[] {
  const { workspace, principalId, navigate, onLabels, onDelete } = commands;
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
    if (mayLabel(entry)) actions.push({ label: 'Change labels', icon: Tags, run: () => onLabels([entry]) });
  }
  actions.push({ label: 'Copy location', icon: Copy, run: () => void copyLocation(location) });
  if (mayDelete(entry, principalId)) {
    actions.push({
      label: 'Delete',
      icon: Trash2,
      run: () => onDelete([entry]),
      isDangerous: true,
      shortcut: 'Del',
      startsGroup: true,
    });
  }
  return actions;
}
