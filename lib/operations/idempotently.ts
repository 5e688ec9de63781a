import { timingSafeEqual } from 'node:crypto';
import type { Caller } from '../domain/caller.js';
import { conflict, notFound } from '../domain/refusal.js';
import type { StoredAnswer } from '../sidecar/tables/idempotency-table.js';
import type { Steps } from '../scheduling/in-steps.js';
import type { WriteContext } from '../changes/write-context.js';
import { requireRoomForAnswer } from '../changes/quota.js';
import type { AnyWrite, Need, Performed, Retry } from './operation.js';
import type { Tables } from '../sidecar/tables.js';

/** Milliseconds for which an answer is kept, by the workspace's time of answers. */
export const rememberedFor = 24 * 60 * 60 * 1000;

/** A request with a key at one moment. */
interface KeyedRequest {
  readonly retry: Retry;
  /** Milliseconds, by the workspace's time of answers. */
  readonly now: number;
}

function findAnswer(
  tables: Tables,
  { principalId }: Pick<Caller, 'principalId'>,
  route: string,
  key: string,
  now: number,
): StoredAnswer | undefined {
  const stored = tables.idempotency.find(principalId, route, key);
  return stored !== undefined && stored.createdAt + rememberedFor > now ? stored : undefined;
}

/**
 * Whether the caller's key has been used for the operation. Then the request gets the stored answer, or is refused for
 * its key, and its content is not kept.
 */
export function isAnswered(
  tables: Tables,
  caller: Pick<Caller, 'principalId'>,
  operation: { readonly name: string },
  key: string,
  now: number,
): boolean {
  return findAnswer(tables, caller, operation.name, key, now) !== undefined;
}

const isErased = (stored: StoredAnswer): boolean => stored.result === '';

const isSame = (stored: StoredAnswer, retry: Retry): boolean =>
  !isErased(stored) && timingSafeEqual(stored.fingerprint, retry.fingerprint);

/** The caller's needs: those of the first request, or those for repeating the stored answer. */
export function needsOf<Input, Result, Prepared>(
  tables: Tables,
  caller: Caller,
  operation: AnyWrite<Input, Result, Prepared>,
  input: Input,
  keyed: KeyedRequest | undefined,
): readonly Need[] {
  if (operation.needsAgain === undefined || keyed === undefined) return operation.needs(input);
  const { retry, now } = keyed;
  const stored = findAnswer(tables, caller, operation.name, retry.key, now);
  const isRepeated = stored !== undefined && isSame(stored, retry);
  return isRepeated ? operation.needsAgain(input) : operation.needs(input);
}

/**
 * Runs the write by `run`, or repeats the stored answer of the same request. One transaction looks, runs and stores. So
 * two requests at once cannot both run, and an answer is stored exactly when its write is. Refusals are not stored.
 * @throws Refusal CONFLICT `idempotency_key_reused` when the key belongs to another request; NOT_FOUND after an erase
 * of the first request's result: the retry must not make it again
 */
export function* runIdempotently<Input, Result, Prepared>(
  context: WriteContext,
  operation: AnyWrite<Input, Result, Prepared>,
  { retry, now }: KeyedRequest,
  run: () => Steps<Result>,
): Steps<Performed<Result>> {
  const { tables } = context.transaction;
  const stored = findAnswer(tables, context.caller, operation.name, retry.key, now);
  if (stored !== undefined) {
    if (isErased(stored)) throw notFound();
    if (!isSame(stored, retry)) {
      throw conflict('idempotency_key_reused', 'This Idempotency-Key was used for another request. Use a new one.');
    }
    const kept: unknown = JSON.parse(stored.result);
    return { result: operation.stored?.recall(context, kept) ?? (kept as Result), replayed: true };
  }
  requireRoomForAnswer(context);
  const result = yield* run();
  const kept = operation.stored === undefined ? result : operation.stored.keep(result);
  tables.idempotency.insert(
    context.caller.principalId,
    operation.name,
    retry.key,
    { fingerprint: retry.fingerprint, result: JSON.stringify(kept), createdAt: now },
    operation.documentNumber?.(result) ?? null,
  );
  return { result, replayed: false };
}
