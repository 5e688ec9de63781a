/** Cumulative: approver contains editor, and editor contains reader. There is no fourth (specification, Grant). */
export const roles = ['reader', 'editor', 'approver'] as const;

export type Role = (typeof roles)[number];

const rank: Readonly<Record<Role, number>> = { reader: 1, editor: 2, approver: 3 };

/** Whether the role `held` suffices where `needed` is required. */
export function roleContains(held: Role | undefined, needed: Role): boolean {
  return held !== undefined && rank[held] >= rank[needed];
}

/** The higher of two roles; either may be missing. */
export function higherRole(a: Role | undefined, b: Role | undefined): Role | undefined {
  if (a === undefined) return b;
  if (b === undefined) return a;
  return rank[a] >= rank[b] ? a : b;
}
