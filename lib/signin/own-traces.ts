import { rootLocation } from '../domain/location.js';
import type { Membership, Seat } from '../domain/signed-in.js';
import { revokeGrant } from '../operations/grants/change-grant.js';
import type { Operation } from '../operations/operation.js';
import { perform } from '../operations/perform.js';
import { endLinks } from '../operations/principals/manage-sign-in.js';
import { removeWebhook } from '../operations/webhooks/change-webhook.js';
import type { Workspace } from '../workspace/workspace.js';
import type { SignInDependencies } from './sign-in-dependencies.js';
import { ignoreRefusal } from './keys-of-person.js';
import type { ShownTrace } from './pages/sessions.js';
import { actorOf } from './record.js';
import type { Memberships } from './read-session.js';

/** Traces of one kind shown of one workspace, at most. */
const most = 50;

type Host = Pick<SignInDependencies, 'find' | 'people'>;

/**
 * What else goes on after a new password and was made under the one before: sign-in links for people of a workspace
 * that the person administers, whoever made them; the person's grants at the root there; and their webhooks. Sessions
 * and consents to applications have ended with the old password. Keys are listed apart.
 * @param since milliseconds since 1970
 */
export function listTraces(host: Host, { memberships }: Memberships, since: number): ShownTrace[] {
  return memberships.flatMap((seat) => {
    const workspace = host.find(seat.workspace);
    return workspace === undefined ? [] : listIn(host, workspace, seat, since);
  });
}

function listIn({ people }: Host, workspace: Workspace, seat: Membership, since: number): ShownTrace[] {
  const tables = workspace.journal.reader;
  const nameOf = (id: string): string => (tables.principals.find(id) ?? tables.groups.find(id))?.displayName ?? id;
  const shown = (kind: ShownTrace['kind'], id: string, what: string, createdAt: number): ShownTrace => ({
    id: `${kind} ${seat.workspace} ${id}`,
    kind,
    what,
    workspace: seat.workspace,
    createdAt,
  });
  const webhooks = tables.webhooks
    .madeBy(seat.principalId, since, most)
    .map(({ id, name, url, createdAt }) => shown('webhook', id, `${name}, to ${new URL(url).host}`, createdAt));
  if (!workspace.view(actorOf(seat, '').caller).reach.holds('approver', rootLocation)) return webhooks;
  const links = people.links
    .openIn(seat.workspace, since, most)
    .map(({ principalId, createdAt }) => shown('link', principalId, nameOf(principalId), createdAt));
  const grants = tables.grants
    .on({ type: 'folder', location: rootLocation })
    .filter(({ grantedBy, createdAt }) => grantedBy === seat.principalId && createdAt >= since)
    .slice(0, most)
    .map(({ id, subject, role, createdAt }) => shown('grant', id, `${nameOf(subject.id)}, ${role}`, createdAt));
  return [...links, ...grants, ...webhooks];
}

/**
 * Ends one of them. Of any other, nothing is revealed.
 * @param named kind, workspace and id
 */
export async function endTrace(host: Host, seats: Memberships, named: string, requestId: string): Promise<void> {
  const [kind, name, id = ''] = named.split(' ');
  const seat = seats.memberships.find(({ workspace }) => workspace === name);
  const workspace = seat && host.find(seat.workspace);
  if (seat === undefined || workspace === undefined) return;
  if (kind === 'link') await end(workspace, seat, requestId, endLinks, { principalId: id });
  else if (kind === 'webhook') await end(workspace, seat, requestId, removeWebhook, { webhookId: id });
  else if (kind === 'grant') {
    const atRoot = workspace.journal.reader.grants.on({ type: 'folder', location: rootLocation });
    const grant = atRoot.find((each) => each.id === id);
    if (grant === undefined) return;
    const input = { scopeType: 'folder', location: rootLocation, subject: grant.subject, role: grant.role } as const;
    await end(workspace, seat, requestId, revokeGrant, input);
  }
}

async function end<Input, Result>(
  workspace: Workspace,
  seat: Seat,
  requestId: string,
  operation: Operation<Input, Result>,
  input: Input,
): Promise<void> {
  await perform(workspace, actorOf(seat, requestId).caller, operation, input).catch(ignoreRefusal);
}
