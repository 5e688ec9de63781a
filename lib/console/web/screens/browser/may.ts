import type { Entry } from './browser-queries.ts';

/** Whether a role lets its holder change things. */
export function mayEdit(role: string | null | undefined, isReadOnly: boolean): boolean {
  return (role === 'editor' || role === 'approver') && !isReadOnly;
}

/** Whether the person may change the entry: move it, and give a document labels. */
export function mayEditEntry(entry: Entry): boolean {
  return mayEdit(entry.role, entry.type === 'folder' ? entry.folder.read_only : entry.document.read_only);
}

/** Whether the person may give the entry labels. */
export function mayLabel(entry: Entry): boolean {
  return entry.type === 'document' && mayEditEntry(entry);
}

/** Whether a delete by the person works: with the role, outside of mirrors, and without a claim by someone else. */
export function mayDelete(entry: Entry, principalId: string): boolean {
  if (entry.type === 'folder') return mayEditEntry(entry);
  const { claim } = entry.document;
  return mayEditEntry(entry) && (claim === null || claim.holder.id === principalId);
}
