import type { Entry } from './queries.ts';

/** Whether a role lets its holder change things. */
export function mayEdit(role: string | null | undefined, isReadOnly: boolean): boolean {
  return (role === 'editor' || role === 'approver') && !isReadOnly;
}

/** Whether the person may give the entry labels. */
export function mayLabel(entry: Entry): boolean {
  return entry.type === 'document' && mayEdit(entry.role, entry.document.read_only);
}

/** Whether a delete by the person works: with the role, outside of mirrors, and without a claim by someone else. */
export function mayDelete(entry: Entry, principalId: string): boolean {
  if (entry.type === 'folder') return mayEdit(entry.role, entry.folder.read_only);
  const { claim, read_only: isReadOnly } = entry.document;
  return mayEdit(entry.role, isReadOnly) && (claim === null || claim.holder.id === principalId);
}
