/** The coarsest classes of refusals. There are seven codes and no other (specification, Errors). */
export const codes = [
  'NOT_FOUND',
  'INVALID_REQUEST',
  'CONFLICT',
  'RATE_LIMITED',
  'INTERNAL',
  'UNAVAILABLE',
  'UNAUTHENTICATED',
] as const;

export type Code = (typeof codes)[number];
