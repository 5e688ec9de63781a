import type { Managing } from './managing.js';

const which = 'the id or name of the webhook';
const kinds = 'words separated by commas, such as created,updated or security.key_minted';
const ofWebhook = ['webhook'];

/** webhook: add, list, show, test, rotate, … */
export const webhookTable: readonly Managing[] = [
  {
    words: 'webhook add',
    arguments: ['url'],
    description:
      'Tell an address what changes at a folder, and print the secret that signs the messages, once. The messages have ids and locations, never content.',
    example: 'cartulary webhook add https://hooks.example.org/in --location handbook --kinds created,updated',
    optional: {
      '--location <folder>': 'the folder, with everything below (default: the root)',
      '--kinds <kinds>': `${kinds} (default: every change of a document)`,
      '--name <name>': 'what people know it by (default: the host of the address)',
    },
  },
  {
    words: 'webhook list',
    description: 'List the webhooks, with the reasons of those that are disabled.',
    example: 'cartulary webhook list --location handbook',
    columns: ['id', 'name', 'location', 'stopped', 'failures', 'owner', 'url'],
    optional: { '--location <folder>': 'only those of this folder and below' },
  },
  {
    words: 'webhook show',
    arguments: ofWebhook,
    description: `Show a webhook: ${which}.`,
    example: 'cartulary webhook show whk_5n2c8h0p4kq7w1x9t6bz',
  },
  {
    words: 'webhook change',
    arguments: ofWebhook,
    description: 'Change the name, the address or the kinds of a webhook.',
    example: 'cartulary webhook change index --kinds created,updated,deleted',
    optional: { '--name <name>': 'a new name', '--url <url>': 'a new address', '--kinds <kinds>': `${kinds}, or all` },
  },
  {
    words: 'webhook test',
    arguments: ofWebhook,
    description:
      'Send a test message at once, and show what the receiver answers. It exits with 1 if it was not delivered.',
    example: 'cartulary webhook test index',
  },
  {
    words: 'webhook rotate',
    arguments: ofWebhook,
    description: 'Make a new secret and print it, once. For 24 hours both secrets sign.',
    example: 'cartulary webhook rotate index',
    optional: { '--now': 'end the former secrets at once, as after a leak' },
  },
  {
    words: 'webhook enable',
    arguments: ofWebhook,
    description: 'Let a disabled webhook go on where it stopped.',
    example: 'cartulary webhook enable index',
  },
  {
    words: 'webhook disable',
    arguments: ofWebhook,
    description: 'Send nothing more until somebody enables it.',
    example: 'cartulary webhook disable index',
  },
  {
    words: 'webhook remove',
    arguments: ofWebhook,
    description: 'Remove a webhook with its secret and its deliveries.',
    example: 'cartulary webhook remove index',
  },
  {
    words: 'webhook deliveries',
    arguments: ofWebhook,
    description: 'List the last attempts, the newest first, with what the receiver answered.',
    example: 'cartulary webhook deliveries index',
    columns: ['number', 'at', 'type', 'status', 'answer', 'outcome', 'message_id'],
  },
  {
    words: 'webhook replay',
    arguments: [...ofWebhook, 'delivery'],
    description: 'Send again what a delivery told, and everything after it, under the same ids.',
    example: 'cartulary webhook replay index 41',
  },
];
