import { answerJson, noContent, type Answer } from '../api/answers/api-answer.js';
import type { Arrival } from '../api/requests/checked-request.js';
import type { OpenRoute } from '../api/route.js';
import { formatTime } from '../domain/clock.js';
import { rootLocation } from '../domain/location.js';
import type { Membership, SignedIn } from '../domain/signed-in.js';
import type { ConsoleDependencies, ConsoleOptions } from './console-dependencies.js';
import type { PersonReader } from './recognise-person.js';

const path = '/console/api/session';
const describedAs = '/session';

/** The signed-in person and their workspaces, and the way out. They belong to no single workspace. */
export function makeSessionRoutes(
  dependencies: ConsoleDependencies,
  options: ConsoleOptions,
  people: PersonReader,
): readonly OpenRoute[] {
  const read = (arrival: Arrival): SignedIn => people.readWithinRate(arrival);
  return [
    {
      method: 'GET',
      path,
      describedAs,
      answerOpenly: (arrival) => answerJson(200, presentSession(dependencies, read(arrival), arrival.id)),
    },
    {
      method: 'DELETE',
      path,
      describedAs,
      answerOpenly: async (arrival) => signOut(options, read(arrival), arrival),
    },
  ];
}

/** 204, and the browser forgets its cookie. */
async function signOut(options: ConsoleOptions, signedIn: SignedIn, { id }: Arrival): Promise<Answer> {
  return { ...noContent, headers: { 'Set-Cookie': await options.endSession(signedIn, id) } };
}

/** The description's `Session`. */
function presentSession(dependencies: ConsoleDependencies, signedIn: SignedIn, requestId: string): object {
  const { identityId, memberships, signInName, method, startedAt, vouchedFor } = signedIn;
  const readable = new Set(memberships.map(({ workspace }) => workspace));
  return {
    sign_in_name: signInName,
    display_name: memberships[0]?.displayName ?? signInName,
    method,
    started_at: formatTime(startedAt),
    workspaces: memberships.map((membership) => presentMembership(dependencies, membership, requestId)),
    unavailable_workspaces: dependencies.people.identities
      .membershipsOf(identityId, vouchedFor)
      .map(({ workspace }) => workspace)
      .filter((name) => !readable.has(name) && cannotBeRead(dependencies, name)),
  };
}

function presentMembership(
  dependencies: ConsoleDependencies,
  { workspace: name, title, principalId, displayName }: Membership,
  requestId: string,
): object {
  const caller = { principalId, kind: 'person', credentialId: null, interface: 'console', requestId } as const;
  const workspace = dependencies.find(name);
  const reach = workspace?.view(caller).reach;
  return {
    name,
    title,
    display_name: displayName,
    principal_id: principalId,
    is_admin: reach?.holds('approver', rootLocation) ?? false,
    may_connect: reach?.holdsInFolder('approver') ?? false,
    keys_by_others: workspace?.journal.reader.credentials.countUnacknowledged(principalId) ?? 0,
  };
}

/** Whether it is there, and cannot be opened or read at the moment. */
function cannotBeRead(dependencies: ConsoleDependencies, name: string): boolean {
  try {
    dependencies.find(name)?.journal.reader.principals.find('');
    return false;
  } catch {
    return true;
  }
}
