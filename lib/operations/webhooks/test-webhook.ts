import { sourceOf } from '../../limits/work-limits.js';
import { formatTime } from '../../domain/clock.js';
import { makeIdentifier } from '../../domain/identifier.js';
import type { Sent } from '../../domain/webhook.js';
import { SecretLost } from '../connectors/seal-secret.js';
import type { ReadOperation } from '../operation.js';
import type { WebhookInput } from './change-webhook.js';
import { requireWebhook } from './find-webhook.js';
import { openSigningSecrets } from './signing-secret.js';

/** Milliseconds. A person waits for it. */
const timeout = 20_000;

/**
 * Sends a message of the type `webhook.test` at once, signed like every other. It is no delivery and changes nothing.
 * A receiver that fails is an answer, not a refusal. Approver of its folder.
 * @throws Refusal NOT_FOUND; RATE_LIMITED, UNAVAILABLE when too many tests are under way
 */
export const testWebhook: ReadOperation<WebhookInput, Sent> = {
  kind: 'read',
  name: 'webhook.test',
  needs: () => [],
  note: ({ webhookId }) => ({ target: webhookId }),
  async run({ workspace, caller, view }, { webhookId }) {
    const { id, name, url, location } = requireWebhook(view, webhookId);
    let secrets: string[];
    try {
      secrets = openSigningSecrets(workspace, id);
    } catch (error) {
      if (!(error instanceof SecretLost)) throw error;
      const answer = 'The secret of this webhook cannot be opened any more. Rotate it.';
      return { outcome: 'failed', status: null, answer, duration: 0, retryAfter: undefined };
    }
    const body = JSON.stringify({
      type: 'webhook.test',
      timestamp: formatTime(workspace.clock.now()),
      data: { webhook: { id, name }, workspace: workspace.name, location },
    });
    const release = await workspace.workLimits.probes.take(sourceOf(workspace.name, caller));
    try {
      const message = { url, id: makeIdentifier('msg', workspace.randomness), secrets, body };
      return await workspace.webhooks.sender.send(message, AbortSignal.timeout(timeout));
    } finally {
      release();
    }
  },
  noteResult: ({ outcome, status }) => ({ detail: { outcome, status } }),
};
