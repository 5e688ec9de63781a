import type { WebhookSender } from '../workspace/webhooks.js';
import type { SenderMeans } from './sender.js';

/** The sender, which is loaded when somebody needs it: every command should be quick. */
export function openSender(means: SenderMeans): WebhookSender {
  let made: Promise<WebhookSender> | undefined;
  const sender = (): Promise<WebhookSender> =>
    (made ??= import('./sender.js').then(({ makeSender }) => makeSender(means)));
  return {
    parse: async (url) => (await sender()).parse(url),
    send: async (message, signal) => (await sender()).send(message, signal),
  };
}
