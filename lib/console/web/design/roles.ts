export type Role = 'reader' | 'editor' | 'approver';

/** From the least to the most. Each contains the one before. */
export const roles: readonly Role[] = ['reader', 'editor', 'approver'];

export const nameOfRole: Readonly<Record<Role, string>> = { reader: 'Reader', editor: 'Editor', approver: 'Approver' };

/** What a role allows, in a sentence. */
export const meaningOfRole: Readonly<Record<Role, string>> = {
  reader: 'Reads, searches and comments.',
  editor: 'Also creates, changes, moves and deletes.',
  approver: 'Also shares it with others, and erases documents.',
};

/** Whether a role allows everything that another one does. */
export const contains = (role: Role, other: Role): boolean => roles.indexOf(role) >= roles.indexOf(other);
