import type { Sent } from '../domain/webhook.js';
import type { WebhookSender } from '../workspace/webhook-schedule.js';
import type { SenderMeans } from './sender.js';

/** A sender that says what became of each message. */
export function observeSending(sender: WebhookSender, onSent: ((sent: Sent) => void) | undefined): WebhookSender {
  if (onSent === undefined) return sender;
  return {
    parse: (url) => sender.parse(url),
    async send(message, signal) {
      const sent = await sender.send(message, signal);
      onSent(sent);
      return sent;
    },
  };
}

/** The sender, which is loaded at its first use: every command should be quick. */
export function openSender(means: SenderMeans): WebhookSender {
  let made: Promise<WebhookSender> | undefined;
  const sender = (): Promise<WebhookSender> =>
    (made ??= import('./sender.js').then(({ makeSender }) => makeSender(means)));
  return {
    parse: async (url) => (await sender()).parse(url),
    send: async (message, signal) => (await sender()).send(message, signal),
  };
}
