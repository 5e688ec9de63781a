import type { Webhook } from '../../domain/webhook.js';
import type { Workspace } from '../../workspace/workspace.js';

/** How far a webhook has looked without a message. */
export interface Passed {
  /** As it was when it looked. */
  readonly webhook: Pick<Webhook, 'id' | 'position' | 'generation'>;
  readonly reached: string;
  /** Whether nothing is left to be sent: the message that failed has gone out of reach. */
  readonly endsFailures: boolean;
}

/** Notes how far webhooks have looked. Nothing of it concerned them, so there is no record in the audit log. */
export async function notePassed({ journal }: Workspace, passed: readonly Passed[]): Promise<void> {
  await journal.write({
    isRecordOnly: true,
    run({ tables: { webhooks } }) {
      for (const { webhook, reached, endsFailures } of passed) {
        const current = webhooks.byId(webhook.id);
        const isAsBefore = current?.position === webhook.position && current.generation === webhook.generation;
        if (current === undefined || !isAsBefore) continue;
        webhooks.setPosition(current.id, reached);
        if (endsFailures) webhooks.setFailures(current.id, 0, null);
      }
    },
  });
}
