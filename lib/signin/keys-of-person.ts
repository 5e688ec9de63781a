import { isInForce, isSelfMade, type Credential } from '../domain/credential.js';
import { Refusal } from '../domain/refusal.js';
import type { Seat } from '../domain/signed-in.js';
import { revokeCredential } from '../operations/credentials/change-credential.js';
import { revokeOwnKey } from '../operations/credentials/own-keys.js';
import { perform } from '../operations/perform.js';
import type { Tables } from '../sidecar/tables.js';
import type { SignInDependencies } from './sign-in-dependencies.js';
import type { ShownSessionKey } from './pages/sessions.js';
import { actorOf } from './record.js';
import type { Memberships } from './read-session.js';

/** Keys shown of one workspace, at most. */
const most = 50;

type Host = Pick<SignInDependencies, 'find' | 'clock'>;

/** Keys in force that another principal made for the person, in each workspace that can be read. */
export function listByOthers(host: Host, seats: Memberships): ShownSessionKey[] {
  return listIn(host, seats, ({ credentials }, { principalId }, now) =>
    credentials.list(principalId).filter((key) => !isSelfMade(key) && isInForce(key, now)),
  );
}

/** Keys in force that the person made since a moment, for themselves or others. @param since milliseconds since 1970 */
export function listMade(host: Host, seats: Memberships, since: number): ShownSessionKey[] {
  return listIn(host, seats, ({ credentials }, { principalId }, now) =>
    credentials.madeBy(principalId, since, now, most),
  );
}

function listIn(
  host: Host,
  { memberships }: Memberships,
  list: (tables: Tables, seat: Seat, now: number) => readonly Credential[],
): ShownSessionKey[] {
  return memberships.flatMap((seat) => {
    const tables = host.find(seat.workspace)?.journal.reader;
    if (tables === undefined) return [];
    const nameOf = (id: string): string => tables.principals.find(id)?.displayName ?? id;
    return list(tables, seat, host.clock.now())
      .slice(0, most)
      .map(({ id, principalId, createdBy, name, interfaces, createdAt, lastUsedAt }) => ({
        id: `${seat.workspace} ${id}`,
        workspace: seat.workspace,
        maker: nameOf(createdBy),
        owner: nameOf(principalId),
        name,
        interfaces,
        createdAt,
        lastUsedAt,
      }));
  });
}

/**
 * Ends a key of the person, or one that they made and may end as an admin. Of any other key, nothing is revealed.
 * @param named workspace and id
 */
export async function endNamed(host: Host, seats: Memberships, named: string, requestId: string): Promise<void> {
  const [workspace, credentialId = ''] = named.split(' ');
  const seat = seats.memberships.find((each) => each.workspace === workspace);
  const found = seat && host.find(seat.workspace);
  if (seat === undefined || found === undefined) return;
  const isOwn = found.journal.reader.credentials.find(credentialId)?.principalId === seat.principalId;
  const { caller } = actorOf(seat, requestId);
  await perform(found, caller, isOwn ? revokeOwnKey : revokeCredential, { credentialId }).catch(ignoreRefusal);
}

/** Ends all keys that another principal made for the person. The way in of a last admin stays. */
export async function endByOthers(host: Host, seats: Memberships, requestId: string): Promise<void> {
  for (const seat of seats.memberships) {
    const workspace = host.find(seat.workspace);
    const keys = workspace?.journal.reader.credentials.list(seat.principalId) ?? [];
    const { caller } = actorOf(seat, requestId);
    for (const key of keys) {
      if (workspace === undefined || isSelfMade(key) || !isInForce(key, host.clock.now())) continue;
      await perform(workspace, caller, revokeOwnKey, { credentialId: key.id }).catch(ignoreRefusal);
    }
  }
}

/** What is gone, or may not end, stays as it is: the page shows it. */
export function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Refusal) || (error.code !== 'NOT_FOUND' && error.code !== 'CONFLICT')) throw error;
}
