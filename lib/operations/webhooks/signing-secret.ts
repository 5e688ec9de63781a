import type { Workspace } from '../../workspace/workspace.js';
import { openSealed, sealSecret } from '../connectors/seal-secret.js';

/** A secret as its owner sees it once, and as it is stored. */
export interface SigningSecret {
  /** `whsec_` and 24 to 64 bytes in base64, by the convention of Standard Webhooks. */
  readonly text: string;
  readonly sealed: Uint8Array;
}

/** Bytes of a new secret. */
const secretBytes = 32;

/** @throws Refusal UNAVAILABLE where there is no key that seals */
export function makeSigningSecret(workspace: Workspace, webhookId: string): SigningSecret {
  const text = `whsec_${Buffer.from(workspace.randomness.bytes(secretBytes)).toString('base64')}`;
  return { text, sealed: sealSecret(workspace, webhookId, text, 'signing') };
}

/**
 * The secrets that sign a webhook's messages now, the present one first.
 * @throws SecretLost
 */
export function openSigningSecrets(workspace: Workspace, webhookId: string): string[] {
  const secrets = workspace.journal.reader.webhooks.secretsOf(webhookId);
  if (secrets === undefined) return [];
  const { secret, former, formerUntil } = secrets;
  const isRotating = former !== null && formerUntil !== null && workspace.clock.now() < formerUntil;
  return [secret, ...(isRotating ? [former] : [])].flatMap(
    (sealed) => openSealed(workspace, webhookId, sealed, 'signing') ?? [],
  );
}
