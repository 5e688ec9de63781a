import { seal, unseal } from '../../access/seal.js';
import { invalidRequest, unavailable } from '../../domain/refusal.js';
import type { Workspace } from '../../workspace/workspace.js';

/**
 * What a sealed text is for. One for another use, or of another connector or webhook, does not open. `webhook` is what a
 * source signs with, `signing` what we sign with.
 */
type Use = 'secret' | 'webhook' | 'signing';

/** The secret of a connector or webhook cannot be opened: the key is another one. */
export class SecretLost extends Error {
  override readonly name = 'SecretLost';

  constructor() {
    super('The secret of this connector cannot be opened any more. Set it again.');
  }
}

const boundTo = (use: Use, connectorId: string): Uint8Array => Buffer.from(`${use} of ${connectorId}`);

/** Bytes of a secret. A key for ssh takes some thousands. */
const maxSecretBytes = 16 * 1024;

/**
 * Seals a secret under the workspace's key, for one connector and one use (decision 0185).
 * @throws Refusal INVALID_REQUEST `bad_field`, without the secret; UNAVAILABLE where there is no key
 */
export function sealSecret(workspace: Workspace, connectorId: string, secret: string, use: Use = 'secret'): Buffer {
  if (secret === '' || Buffer.byteLength(secret) > maxSecretBytes) {
    throw invalidRequest('bad_field', `A secret has 1 to ${maxSecretBytes} bytes.`, { field: 'secret' });
  }
  const key = workspace.origin.findConnectorKey();
  if (key === null) throw unavailable(new Error('There is no key that seals secrets.'));
  return seal(key, Buffer.from(secret), workspace.randomness, boundTo(use, connectorId));
}

/** The text that was sealed; null for none. @throws SecretLost */
export function openSealed(
  workspace: Workspace,
  connectorId: string,
  sealed: Uint8Array | null,
  use: Use,
): string | null {
  if (sealed === null) return null;
  const key = workspace.origin.findConnectorKey();
  try {
    if (key !== null) return unseal(key, sealed, boundTo(use, connectorId)).toString('utf8');
  } catch {
    // The cause would say nothing more.
  }
  throw new SecretLost();
}

/** A connector's secret, for the connection to its source alone; null where it has none. @throws SecretLost */
export function openSecret(workspace: Workspace, connectorId: string): string | null {
  const { secret } = workspace.journal.reader.connectors.secretsOf(connectorId);
  return openSealed(workspace, connectorId, secret, 'secret');
}

/** The secret by which a connector's webhook is signed; null where it has none. @throws SecretLost */
export function openWebhookSecret(workspace: Workspace, connectorId: string): string | null {
  const { webhookSecret } = workspace.journal.reader.connectors.secretsOf(connectorId);
  return openSealed(workspace, connectorId, webhookSecret, 'webhook');
}
