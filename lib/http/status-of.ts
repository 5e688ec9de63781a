import type { Code } from '../domain/code.js';
import { Refusal } from '../domain/refusal.js';

/** The status of each code (the specification's Errors), for every face. There is no other table. */
export const statusOfCode: Readonly<Record<Code, number>> = {
  NOT_FOUND: 404,
  INVALID_REQUEST: 400,
  CONFLICT: 409,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  UNAUTHENTICATED: 401,
};

/** The status of an answer to a thrown value. */
export function statusOf(error: unknown): number {
  return error instanceof Refusal ? statusOfCode[error.code] : 500;
}
