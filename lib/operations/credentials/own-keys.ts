import { isInForce, isSelfMade, type Interface } from '../../domain/credential.js';
import { makePage, type Page } from '../../domain/page.js';
import { conflict, invalidRequest, notFound } from '../../domain/refusal.js';
import type { Caller } from '../../domain/caller.js';
import type { WriteContext } from '../../changes/write-context.js';
import type { StoredCredential } from '../../sidecar/tables/credential-table.js';
import type { Tables } from '../../sidecar/tables.js';
import type { ReadOperation, WriteOperation } from '../operation.js';
import { adminsOf, requireAdmin } from '../principals/set-principal-state.js';
import { requireRecentProof } from '../require-recent-proof.js';
import {
  parsePosition,
  positionOf,
  showCredential,
  type ListCredentialsInput,
  type ShownCredential,
} from './list-credentials.js';
import { makeKey, noteMinted, replaceSecret, storedWithoutSecret, type MintedCredential } from './make-key.js';

/*
 * The keys of whoever asks. A person does all of it in the console. A program does it with one of these keys, and comes
 * by none that reaches further, lasts longer, or outlives the one that it has (decision 0355).
 */

export interface MintOwnInput {
  readonly name: string;
  readonly interfaces: readonly Interface[];
  /** Milliseconds since 1970; null never expires; left out takes the workspace's policy. */
  readonly expiresAt?: number | null | undefined;
}

export interface OwnKeyInput {
  readonly credentialId: string;
}

/** Keys in force that a principal may have made itself, and those kept that open nothing any more. */
export const maxOwnKeys = 20;
const maxOver = 100;

/** The caller's keys, the newest first, whoever made them. */
export const listOwnKeys: ReadOperation<Omit<ListCredentialsInput, 'principalId'>, Page<ShownCredential>> = {
  kind: 'read',
  name: 'credential.list_own',
  needs: () => [],
  note: () => ({}),
  run({ workspace, caller, view: { tables } }, { after, limit }) {
    const found = tables.credentials.pageOf(caller.principalId, parsePosition(after), limit + 1);
    const { items, next } = makePage(found, limit, positionOf);
    return { items: items.map((credential) => showCredential(tables, workspace.name, credential)), next };
  },
};

/**
 * Makes the caller a key. A person in a browser signed in within the last minutes. A key makes one that opens no more
 * than itself, lasts no longer, counts towards the same allowance, and ends with it.
 * @throws Refusal INVALID_REQUEST `bad_field`, `too_many_keys`; CONFLICT `sign_in_again`, `not_with_this_key`
 */
export const mintOwnKey: WriteOperation<MintOwnInput, MintedCredential> = {
  kind: 'write',
  name: 'credential.mint',
  needs: () => [],
  note: ({ interfaces }) => ({ detail: { interfaces } }),
  run(context, input) {
    const { transaction, caller } = context;
    const { tables, now } = transaction;
    const { principalId } = caller;
    requireRecentProof(caller, now);
    const maker = findPresented(tables, caller);
    const own = tables.credentials
      .list(principalId)
      .filter((key) => (isSelfMade(key) || key.madeWith !== null) && isInForce(key, now));
    if (own.length >= maxOwnKeys) {
      throw invalidRequest('too_many_keys', `There are ${maxOwnKeys} such keys. End one that is not needed any more.`);
    }
    tables.credentials.dropOver(principalId, now, maxOver);
    return maker === undefined
      ? makeKey(context, { ...input, principalId, requestsPerMinute: null, createdBy: principalId, madeWith: null })
      : makeKey(context, { ...input, ...within(context, maker, input), principalId });
  },
  stored: storedWithoutSecret,
  noteResult: ({ credential }) => noteMinted(credential),
};

/** The key of a request; undefined for a person in the console. @throws Refusal NOT_FOUND for every other caller */
function findPresented(tables: Tables, { credentialId, interface: face }: Caller): StoredCredential | undefined {
  if (face === 'console') return undefined;
  const presented = tables.credentials.find(credentialId ?? '');
  if (presented === undefined) throw notFound();
  return presented;
}

/** What a key may give to one that it makes. @throws Refusal CONFLICT `not_with_this_key` */
function within(
  { transaction, policy }: WriteContext,
  maker: StoredCredential,
  { interfaces, expiresAt }: MintOwnInput,
) {
  if (maker.madeWith !== null) {
    throw conflict('not_with_this_key', 'This key was made with another key, and makes none itself.');
  }
  if (!isSelfMade(maker) && transaction.tables.principals.find(maker.principalId)?.kind === 'person') {
    throw conflict(
      'not_with_this_key',
      'Another principal made this key for a person, so it cannot make keys. Make one in the console.',
    );
  }
  if (interfaces.some((each) => !maker.interfaces.includes(each))) {
    throw conflict(
      'not_with_this_key',
      `This key opens ${maker.interfaces.join(', ')}. One made with it opens no more.`,
    );
  }
  const lifetime = policy.credentialLifetime;
  const asked = expiresAt === undefined ? (lifetime === null ? null : transaction.now + lifetime) : expiresAt;
  const isLonger = maker.expiresAt !== null && (asked === null || asked > maker.expiresAt);
  if (isLonger && typeof expiresAt === 'number') {
    throw conflict('not_with_this_key', 'A key cannot outlast the key that makes it. Choose an earlier expiry.');
  }
  return {
    expiresAt: isLonger ? maker.expiresAt : asked,
    requestsPerMinute: maker.requestsPerMinute,
    createdBy: maker.createdBy,
    madeWith: maker.id,
  };
}

/**
 * Gives one of the caller's keys a new secret. A person in a browser signed in within the last minutes. With a key, only
 * that key itself, or one that was made with it.
 * @throws Refusal CONFLICT `credential_revoked`, `credential_expired`, `not_with_this_key`, `sign_in_again`; NOT_FOUND
 */
export const rotateOwnKey: WriteOperation<OwnKeyInput, MintedCredential> = {
  kind: 'write',
  name: 'credential.rotate',
  needs: () => [],
  note: ({ credentialId }) => ({ target: credentialId }),
  run(context, { credentialId }) {
    const { transaction, caller } = context;
    const credential = findOwn(transaction.tables, caller, credentialId);
    requireRecentProof(caller, transaction.now);
    const presented = findPresented(transaction.tables, caller);
    if (presented !== undefined && ![credential.id, credential.madeWith].includes(presented.id)) {
      throw conflict(
        'not_with_this_key',
        'A key rotates itself and those that were made with it. Rotate this one in the console, or with itself.',
      );
    }
    return replaceSecret(context, credential);
  },
  stored: storedWithoutSecret,
};

/**
 * Ends one of the caller's keys, whoever made it, from the next request on, and with it the keys that were made with it.
 * Ending it again changes nothing.
 * @throws Refusal CONFLICT `last_approver` when no admin would have a way in; NOT_FOUND
 */
export const revokeOwnKey: WriteOperation<OwnKeyInput, ShownCredential> = {
  kind: 'write',
  name: 'credential.revoke',
  worksWhenLow: true,
  needs: () => [],
  note: ({ credentialId }) => ({ target: credentialId }),
  run(context, { credentialId }) {
    findOwn(context.transaction.tables, context.caller, credentialId);
    return endKey(context, credentialId);
  },
};

/** @throws Refusal CONFLICT `last_approver`; NOT_FOUND */
export function endKey(context: WriteContext, credentialId: string): ShownCredential {
  const { tables, now } = context.transaction;
  const before = adminsOf(context);
  tables.credentials.revoke(credentialId, now);
  requireAdmin(before, adminsOf(context));
  const ended = tables.credentials.find(credentialId);
  if (ended === undefined) throw notFound();
  return showCredential(tables, context.workspace, ended);
}

/** Another principal's key is like an absent one. @throws Refusal NOT_FOUND */
function findOwn(tables: Tables, { principalId }: Caller, credentialId: string): StoredCredential {
  const credential = tables.credentials.find(credentialId);
  if (credential?.principalId !== principalId) throw notFound();
  return credential;
}

/** Keys in one notice. */
const maxNotices = 50;

/** Keys of a person that another principal made and that the person has not said to know of, also those that ended. */
export const listKeyNotices: ReadOperation<Record<string, never>, readonly ShownCredential[]> = {
  kind: 'read',
  name: 'credential.list_notices',
  needs: () => [],
  note: () => ({}),
  run: ({ workspace, caller, view: { tables } }) =>
    tables.credentials
      .madeByOthers(caller.principalId, maxNotices)
      .filter(({ acknowledgedAt }) => acknowledgedAt === null)
      .map((credential) => showCredential(tables, workspace.name, credential)),
};

/**
 * A person says that they know of keys that somebody else made for them. Only in the console: whoever has such a key
 * could say it for the person.
 */
export const acknowledgeKeys: WriteOperation<{ readonly credentialIds: readonly string[] }, { readonly left: number }> =
  {
    kind: 'write',
    name: 'credential.acknowledge',
    needs: () => [],
    note: ({ credentialIds }) => ({ detail: { keys: credentialIds } }),
    run({ transaction: { tables, now }, caller }, { credentialIds }) {
      if (caller.interface !== 'console') throw notFound();
      for (const id of credentialIds) tables.credentials.acknowledge(caller.principalId, id, now);
      return { left: tables.credentials.countUnacknowledged(caller.principalId) };
    },
  };
