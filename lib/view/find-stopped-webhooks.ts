import type { WebhookStop } from '../domain/webhook.js';
import type { Tables } from '../sidecar/tables.js';

const reasons: ReadonlyMap<WebhookStop, string> = new Map([
  ['failed', 'every attempt failed for a day. Look at its deliveries, and enable it when its receiver works'],
  ['gone', 'its receiver answered 410 Gone. Remove it, or give it another address and enable it'],
  ['owner', 'its owner is disabled, or no approver of its folder any more. Remove it, and make another'],
  [
    'position_lost',
    'what comes next is not known, as after a rebuild, or its archive cannot be read. Enable it, and it begins with now',
  ],
  ['secret_lost', 'its secret cannot be opened. Rotate it, and enable it'],
  ['restored', 'the workspace was restored from a backup. Enable it if its receiver should be told by this one'],
]);

/** The webhooks that stopped by themselves, each in a sentence with the remedy. It names no address. */
export function describeStoppedWebhooks({ webhooks }: Pick<Tables, 'webhooks'>): string[] {
  return webhooks.troubled().flatMap(({ id, name, stopped }) => {
    const reason = stopped === null ? undefined : reasons.get(stopped);
    return reason === undefined ? [] : [`The webhook ${name} (${id}) is disabled: ${reason}.`];
  });
}
