import { roles } from '../domain/role.js';
import type { Interface } from '../domain/credential.js';
import { createGrant, revokeGrant, type GrantInput } from '../operations/grants/change-grant.js';
import {
  listCredentials,
  mintCredential,
  revokeCredential,
  rotateCredential,
} from '../operations/credentials/change-credential.js';
import { listGrants, type ListedGrant } from '../operations/grants/list-grants.js';
import { parseDisplayName } from '../operations/principals/parse-name.js';
import { inWorkspace, type Command, type WorkspaceContext } from './command.js';
import { parseFutureTime, type Fields } from './fields.js';
import { readSubject } from './manage-principals.js';
import { presentCredential, presentGrant, type Presented } from './present.js';

const noScope =
  'There is no such document, or no such principal or group. A role may be given on a folder that is not there yet, but not on such a document.';
const noGrant = 'There is no such grant. `cartulary grant list` shows those on a scope.';
const noKey = 'There is no such key. `cartulary key list` shows those there are.';

function readScope(fields: Fields): Pick<GrantInput, 'scopeType' | 'location'> {
  return {
    scopeType: fields.choice('scope_type', ['folder', 'document']),
    location: fields.folder('scope_id'),
  };
}

const readGrant = (fields: Fields): GrantInput => ({
  ...readScope(fields),
  subject: readSubject(fields, 'subject'),
  role: fields.choice('role', roles),
});

const pageSize = 1000;

async function listAllGrants({ perform }: WorkspaceContext, fields: Fields): Promise<{ items: Presented[] }> {
  const scope = readScope(fields);
  const inherited = fields.flag('inherited');
  const items: ListedGrant[] = [];
  for (let after: string | null = ''; after !== null;) {
    const page: Awaited<ReturnType<typeof listGrants.run>> = await perform(listGrants, {
      ...scope,
      inherited,
      after,
      limit: pageSize,
    });
    items.push(...page.items);
    after = page.next;
  }
  return {
    items: items.map((grant) => ({
      ...presentGrant(grant),
      ...(grant.inheritedFrom === undefined ? {} : { inherited_from: grant.inheritedFrom }),
    })),
  };
}

/** The faces a new key opens: MCP unless they are named. */
function readInterfaces(fields: Fields): Interface[] {
  const chosen = (['rest', 'mcp'] as const).filter((face) => fields.flag(face));
  return chosen.length === 0 ? ['mcp'] : chosen;
}

/** Left out it is the policy's default, `never` is never. */
function readExpiry(fields: Fields, now: number): number | null | undefined {
  const text = fields.optionalText('expires');
  if (text === undefined) return undefined;
  return text === 'never' ? null : parseFutureTime('expires', text, now);
}

export const accessCommands: Readonly<Record<string, Command>> = {
  'grant.add': inWorkspace(async ({ perform }, fields) => {
    const { grant, created } = await perform(createGrant, readGrant(fields));
    return { ...presentGrant(grant), created };
  }, noScope),
  'grant.remove': inWorkspace(
    async ({ perform }, fields) => ({
      ...presentGrant(await perform(revokeGrant, readGrant(fields))),
      revoked: true,
    }),
    noGrant,
  ),
  'grant.list': inWorkspace(listAllGrants, 'There is no such document.'),
  'key.mint': inWorkspace(async ({ perform, host }, fields) => {
    const { credential, secret } = await perform(mintCredential, {
      principalId: fields.text('principal'),
      name: parseDisplayName(fields.optionalText('name') ?? 'Minted by the command line'),
      interfaces: readInterfaces(fields),
      expiresAt: readExpiry(fields, host.clock.now()),
      requestsPerMinute: fields.optionalCount('rate_limit') ?? null,
    });
    return { ...presentCredential(credential), secret };
  }, 'There is no such person or agent. `cartulary principal list` shows those there are.'),
  'key.list': inWorkspace(async ({ perform }, fields) => ({
    items: (await perform(listCredentials, { principalId: fields.optionalText('principal') })).map(presentCredential),
  })),
  'key.rotate': inWorkspace(async ({ perform }, fields) => {
    const { credential, secret } = await perform(rotateCredential, { credentialId: fields.text('key') });
    return { ...presentCredential(credential), secret };
  }, noKey),
  'key.revoke': inWorkspace(
    async ({ perform }, fields) =>
      presentCredential(await perform(revokeCredential, { credentialId: fields.text('key') })),
    noKey,
  ),
};
