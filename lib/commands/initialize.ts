import { parseSignInName } from '../access/identities.js';
import { workspaceNamePattern } from '../access/secret.js';
import type { Caller } from '../domain/caller.js';
import { makeIdentifier } from '../domain/identifier.js';
import { rootLocation } from '../domain/location.js';
import { operatorId } from '../domain/principal.js';
import { addPrincipal } from '../operations/principals/add-principal.js';
import { mintCredential } from '../operations/credentials/change-credential.js';
import { createGrant } from '../operations/grants/change-grant.js';
import { issueLink } from '../operations/principals/manage-sign-in.js';
import { parseDisplayName } from '../operations/principals/parse-name.js';
import { perform } from '../operations/perform.js';
import type { Randomness } from '../domain/clock.js';
import type { Command } from './command.js';
import { badField } from './fields.js';
import { explainElsewhere, presentLink } from './sign-in-commands.js';
import { toPrincipalRecord } from '../records/principal-record.js';

/** The built-in principal of commands. */
export function makeOperator(randomness: Randomness): Caller {
  return {
    principalId: operatorId,
    kind: 'operator',
    credentialId: null,
    interface: 'command',
    requestId: makeIdentifier('req', randomness),
  };
}

/**
 * A new workspace with its first admin, their key for REST and MCP, and a link for signing in. Key and link are shown
 * only once.
 */
export const initialize: Command = {
  scope: 'service',
  async run({ host, caller, address }, fields) {
    const name = fields.text('workspace');
    if (!workspaceNamePattern.test(name)) {
      throw badField('workspace', 'must be 1 to 39 characters of a-z, 0-9 and -, and not start with -');
    }
    const displayName = parseDisplayName(fields.text('admin'), 'admin');
    const signInName = fields.optionalText('sign_in');
    if (signInName !== undefined) parseSignInName(signInName);
    const workspace = await host.addWorkspace(name);
    const { result: admin } = await perform(workspace, caller, addPrincipal, { displayName, kind: 'person' });
    await perform(workspace, caller, createGrant, {
      scopeType: 'folder',
      location: rootLocation,
      subject: { type: 'principal', id: admin.id },
      role: 'approver',
    });
    const { result: minted } = await perform(workspace, caller, mintCredential, {
      principalId: admin.id,
      name: 'First key',
      interfaces: ['rest', 'mcp'],
      requestsPerMinute: null,
      isKnown: true,
    });
    const { result: issued } = await perform(workspace, caller, issueLink, {
      principalId: admin.id,
      signInName,
    });
    const [hint] = explainElsewhere(issued);
    const { sign_in_name, link } = presentLink({ address }, issued);
    return {
      workspace: name,
      admin: toPrincipalRecord(admin),
      key: minted.secret,
      sign_in_name,
      link,
      ...(hint !== undefined && { hint }),
    };
  },
};
