import { invalidRequest, tooMuchStored } from '../domain/refusal.js';
import type { Standing } from './location-guards.js';
import type { WriteContext } from './write-context.js';

const oneDay = 24 * 60 * 60 * 1000;
/** Bytes that a comment, message or delivery counts beside its text. The schema's triggers count the same. */
const rowBytes = 200;
const deliveryBytes = 100;
/** Maximum bytes of answers kept for one principal's retries. */
const maxAnswers = 256 * 1024 * 1024;
/** Seconds until room for more answers can be expected: they are kept for a day. */
const answersRetryAfter = 3600;

/**
 * Counts bytes of a new version against the workspace's quota. Comments and messages count towards it too.
 * @throws Refusal INVALID_REQUEST `storage_quota`
 */
export function takeRoom(context: WriteContext, bytes: number): void {
  const { transaction } = context;
  const storedBytes = transaction.state.storedBytes + bytes;
  requireRoom(context, storedBytes);
  transaction.state = { ...transaction.state, storedBytes };
}

/**
 * @param versions bytes of all versions, with the new ones
 * @throws Refusal INVALID_REQUEST `storage_quota`
 */
export function requireRoom(
  { policy, transaction }: Pick<Standing, 'policy' | 'transaction'>,
  versions: number,
  more = 0,
): void {
  const { storageQuota } = policy;
  if (versions + transaction.tables.storedBytes.beside() + more <= storageQuota) return;
  throw invalidRequest('storage_quota', 'The workspace has no room left for this. An admin can raise the quota.', {
    limit: storageQuota,
  });
}

/**
 * Counts a comment or message against its author's daily limit and the workspace's quota.
 * @param deliveries principals who get it
 * @throws Refusal RATE_LIMITED until the day is over; INVALID_REQUEST `storage_quota`
 */
export function takeDiscussionRoom(context: WriteContext, text: string, deliveries = 0): void {
  const { policy, transaction, author } = context;
  const { tables, now, state } = transaction;
  const bytes = rowBytes + Buffer.byteLength(text) + deliveries * deliveryBytes;
  const day = Math.floor(now / oneDay);
  if (tables.storedBytes.writtenOn(author.id, day) + bytes > policy.discussionPerDay) {
    throw tooMuchStored(Math.ceil(((day + 1) * oneDay - now) / 1000));
  }
  requireRoom(context, state.storedBytes, bytes);
  tables.storedBytes.noteWritten(author.id, day, bytes);
}

/** Requires room for one more answer kept for a retry. @throws Refusal RATE_LIMITED */
export function requireRoomForAnswer({ transaction, author }: WriteContext): void {
  if (transaction.tables.storedBytes.of('answer', author.id) > maxAnswers) throw tooMuchStored(answersRetryAfter);
}
