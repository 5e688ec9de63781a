import type { Managing } from './managing.js';

const duration = { '--for <duration>': 'how long it lasts without renewal, from 60s to 24h (default: 30m)' };
const comment = { '--comment <id>': 'which one' };
const text = { '--text <text>': 'what it says' };
const mention = { '--mention <principals>': 'whom it is addressed to, by id, name or e-mail address, with commas' };
const labels = { '--labels <labels>': 'one or several, with commas between' };

/** Commands about claims, comments and labels. */
export const annotationTable: readonly Managing[] = [
  {
    words: 'claim list',
    description: 'List the claims in force.',
    example: 'cartulary claim list --location handbook',
    columns: ['location', 'section', 'holder', 'purpose', 'expires_at', 'id'],
    optional: { '--location <location>': 'on a document, or in a folder' },
  },
  {
    words: 'claim take',
    arguments: ['location'],
    description: 'Claim a document or a section of it for a time. Writes of others are then refused.',
    example: 'cartulary claim take handbook/travel.md --section hotels --for 10m --purpose "New rates"',
    optional: {
      '--section <heading>': 'the id of a heading: its words in lower case with hyphens between them',
      ...duration,
      '--purpose <text>': 'what for; others see it',
    },
  },
  {
    words: 'claim renew',
    arguments: ['claim'],
    description: "Extend one of the operator's claims.",
    example: 'cartulary claim renew clm_13jrac9t4texfcfd685f --for 1h',
    optional: duration,
  },
  {
    words: 'claim release',
    arguments: ['claim'],
    description: "Release one of the operator's claims.",
    example: 'cartulary claim release clm_13jrac9t4texfcfd685f',
  },
  {
    words: 'claim break',
    arguments: ['location'],
    description: 'End the claim of another principal on a document. Its holder then sees it as broken.',
    example: 'cartulary claim break handbook/travel.md --claim clm_13jrac9t4texfcfd685f',
    required: { '--claim <id>': 'which one' },
  },
  {
    words: 'comment list',
    arguments: ['location'],
    description: 'List the comments on a document, thread by thread.',
    example: 'cartulary comment list handbook/travel.md --open',
    columns: ['thread_id', 'id', 'author', 'created_at', 'anchor.line', 'resolved', 'text'],
    optional: { '--open': 'only threads that are not resolved' },
  },
  {
    words: 'comment add',
    arguments: ['location'],
    description: 'Comment on a document or on a passage of it, or answer in a thread.',
    example: 'cartulary comment add handbook/travel.md --text "Do buses count too?" --quote "Book trains"',
    required: text,
    optional: {
      '--quote <words>': 'the words it is about, exactly as they stand there',
      '--thread <id>': 'the thread it answers in',
      ...mention,
    },
  },
  {
    words: 'comment edit',
    arguments: ['location'],
    description: "Replace the text and mentions of one of the operator's comments.",
    example: 'cartulary comment edit handbook/travel.md --comment cmt_a4ff8n1kx3m3a0t0jq2r --text "And buses?"',
    required: { ...comment, ...text },
    optional: mention,
  },
  {
    words: 'comment resolve',
    arguments: ['location'],
    description: 'Resolve a thread.',
    example: 'cartulary comment resolve handbook/travel.md --thread thr_k8vt4gr0gt0d2fe0h3vr',
    required: { '--thread <id>': 'which one' },
    optional: { '--reopen': 'open it again instead' },
  },
  {
    words: 'comment delete',
    arguments: ['location'],
    description: 'Delete a comment of any author. Its text is destroyed.',
    example: 'cartulary comment delete handbook/travel.md --comment cmt_a4ff8n1kx3m3a0t0jq2r',
    required: comment,
  },
  {
    words: 'label list',
    arguments: ['location'],
    description: 'List the labels of a document.',
    example: 'cartulary label list handbook/travel.md',
  },
  {
    words: 'label add',
    arguments: ['location'],
    description: 'Add labels to a document. Labels never change who has access.',
    example: 'cartulary label add handbook/travel.md --labels policy,travel',
    required: labels,
  },
  {
    words: 'label remove',
    arguments: ['location'],
    description: 'Remove labels from a document.',
    example: 'cartulary label remove handbook/travel.md --labels travel',
    required: labels,
  },
  {
    words: 'label set',
    arguments: ['location'],
    description: 'Replace the labels of a document; "" removes all.',
    example: 'cartulary label set handbook/travel.md --labels policy',
    required: labels,
  },
];
