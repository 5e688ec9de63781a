import type { Subject } from '../domain/grant.js';
import { rootLocation } from '../domain/location.js';
import type { Page } from '../domain/page.js';
import { roles } from '../domain/role.js';
import { interfaces, type Interface } from '../domain/credential.js';
import { createGrant, revokeGrant, type GrantInput, type NamedGrant } from '../operations/grants/change-grant.js';
import { mintCredential, revokeCredential, rotateCredential } from '../operations/credentials/change-credential.js';
import { listCredentials } from '../operations/credentials/list-credentials.js';
import { findScopeType } from '../operations/grants/find-scope-type.js';
import { listReach } from '../operations/grants/list-reach.js';
import { listGrants } from '../operations/grants/list-grants.js';
import { parseDisplayName } from '../operations/principals/parse-name.js';
import { toGrantRecord } from '../records/grant-record.js';
import { toKeyRecord } from '../records/key-record.js';
import { inWorkspace, type Command, type WorkspaceContext } from './command.js';
import { badField, parseFutureTime, type Fields } from './fields.js';
import { noPrincipal } from './principal-commands.js';
import { listPages, longPage, type AskedPage } from './read-pages.js';
import type { Presented } from './result.js';
import { readPrincipal, readPrincipalOrNone, readSubject } from './read-subject.js';

const noScope =
  'There is no such document, or no such principal or group. A role may be given on a folder that is not there yet, but not on such a document.';
const noGrant = 'There is no such grant. `cartulary grant list` shows those on a scope.';
const noKey = 'There is no such key. `cartulary key list` shows those there are.';

type Scope = Pick<GrantInput, 'scopeType' | 'location'>;

/**
 * A folder or document: by its type and place, or by its place alone. Then a slash behind it means a folder, and without
 * one it is the document or the folder that is there.
 * @throws Refusal INVALID_REQUEST `bad_field` where neither is there
 */
async function readScope({ perform }: WorkspaceContext, fields: Fields): Promise<Scope> {
  const place = fields.optionalText('location');
  if (place === undefined) {
    if (fields.optionalText('scope_type') === undefined) {
      throw badField('location', 'is missing: name a document, or a folder with a slash behind it; / is the workspace');
    }
    const scopeType = fields.choice('scope_type', ['folder', 'document']);
    return { scopeType, location: fields.folder('scope_id') };
  }
  const location = fields.folder('location');
  if (location === rootLocation || place.endsWith('/')) return { scopeType: 'folder', location };
  const scopeType = await perform(findScopeType, { location });
  if (scopeType !== null) return { scopeType, location };
  throw badField(
    'location',
    `names nothing: there is no document and no folder "${location}". For a new folder, write ${location}/`,
  );
}

async function readGrant(context: WorkspaceContext, fields: Fields): Promise<GrantInput> {
  // Before what has to be looked up: a wrong role is reported as such, whatever else there is.
  const role = fields.choice('role', roles);
  return { ...(await readScope(context, fields)), subject: await readSubject(context, fields, 'subject'), role };
}

/** The grants at a page of the places that a principal or group reaches, also through its groups. */
async function listGrantsOf(
  { perform }: WorkspaceContext,
  subject: Subject,
  page: AskedPage,
): Promise<Page<NamedGrant>> {
  const { items: places, next } = await perform(listReach, { subject, own: false, ...page });
  const items = places.flatMap(({ scopeType, location, grants }) =>
    grants.map((grant) => ({ ...grant, scopeType, location })),
  );
  return { items, next };
}

async function listAllGrants(context: WorkspaceContext, fields: Fields): Promise<Presented> {
  const { perform } = context;
  if (fields.optionalText('subject') !== undefined) {
    const subject = await readSubject(context, fields, 'subject');
    return listPages((page) => listGrantsOf(context, subject, page), toGrantRecord, longPage);
  }
  const scope = await readScope(context, fields);
  const inherited = fields.flag('inherited');
  return listPages((page) => perform(listGrants, { ...scope, inherited, ...page }), toGrantRecord, longPage);
}

/**
 * Where git clients find a workspace. Its name stands as the user name too: credential helpers keep one password for each
 * user of a host, and each workspace has keys of its own.
 * @param address the service's, without a slash at the end
 */
export function formatRemote(address: string, workspace: string): string {
  const remote = new URL(`${address}/git/${workspace}`);
  remote.username = workspace;
  return remote.href;
}

/** The faces a new key opens: MCP unless they are named. */
function readInterfaces(fields: Fields): Interface[] {
  const chosen = interfaces.filter((face) => fields.flag(face));
  return chosen.length === 0 ? ['mcp'] : chosen;
}

/** Left out it is the policy's default, `never` is never. */
function readExpiry(fields: Fields, now: number): number | null | undefined {
  const text = fields.optionalText('expires');
  if (text === undefined) return undefined;
  return text === 'never' ? null : parseFutureTime('expires', text, now);
}

export const accessCommands: Readonly<Record<string, Command>> = {
  'grant.add': inWorkspace(async (context, fields) => {
    const { grant, created } = await context.perform(createGrant, await readGrant(context, fields));
    return { ...toGrantRecord(grant), created };
  }, noScope),
  'grant.remove': inWorkspace(
    async (context, fields) => ({
      ...toGrantRecord(await context.perform(revokeGrant, await readGrant(context, fields))),
      revoked: true,
    }),
    noGrant,
  ),
  'grant.list': inWorkspace(listAllGrants, 'There is no such document, or no such principal or group.'),
  'key.mint': inWorkspace(async (context, fields) => {
    const { perform, host, address, workspace } = context;
    const now = host.clock.now();
    const { credential, secret } = await perform(mintCredential, {
      principalId: await readPrincipal(context, fields, 'principal'),
      name: parseDisplayName(fields.optionalText('name') ?? 'Minted by the command line'),
      interfaces: readInterfaces(fields),
      expiresAt: readExpiry(fields, now),
      requestsPerMinute: fields.optionalCount('rate_limit') ?? null,
    });
    const remote = credential.interfaces.includes('git') && { git_address: formatRemote(address, workspace.name) };
    return { ...toKeyRecord(credential, now), key: secret, ...remote };
  }, 'There is no such person or agent. `cartulary principal list` shows those there are.'),
  'key.list': inWorkspace(async (context, fields) => {
    const principalId = await readPrincipalOrNone(context, fields, 'principal');
    const now = context.host.clock.now();
    const read = (page: AskedPage) => context.perform(listCredentials, { principalId, ...page });
    return listPages(read, (key) => toKeyRecord(key, now), longPage);
  }, noPrincipal),
  'key.rotate': inWorkspace(async ({ perform, host }, fields) => {
    const { credential, secret } = await perform(rotateCredential, { credentialId: fields.text('key') });
    return { ...toKeyRecord(credential, host.clock.now()), key: secret };
  }, noKey),
  'key.revoke': inWorkspace(
    async ({ perform, host }, fields) =>
      toKeyRecord(await perform(revokeCredential, { credentialId: fields.text('key') }), host.clock.now()),
    noKey,
  ),
};
