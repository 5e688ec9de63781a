import type { Command } from 'commander';
import { annotationTable } from './annotate.js';
import { contentTable } from './content.js';
import type { Managing } from './managing.js';
import { messageTable } from './messages.js';
import { addCommand, readConfig, type CalledWith } from './options.js';
import { askOwner } from './owner.js';
import { webhookTable } from './webhooks.js';
import { fail, note, printIds, printResult, refused, writeContent } from './print.js';
import { quoteWord } from './quote-word.js';
import type { CommandError } from '../lib/commands/command.js';

/** How principals and groups are named everywhere. */
const who = 'id, name, or e-mail address';

const scope = {
  '--scope-type <type>': 'folder or document, with --scope-id in place of the location',
  '--scope-id <location>': 'where; "" is the root of the workspace',
};
const grant = {
  '--role <role>': 'the role, in place of the argument',
  '--subject <subject>': `the principal or group, in place of the argument: ${who}`,
  ...scope,
};

/** Commands that send one request to the owner of the data and print its answer. The fields are the options' names. */
const table: readonly Managing[] = [
  {
    words: 'init',
    description: "Create a workspace with its first admin. Print the admin's key and sign-in link, once.",
    example: 'cartulary init --workspace acme --admin "Ada"',
    required: { '--admin <name>': 'the name of the first admin' },
    optional: {
      '--sign-in <name>': 'the e-mail address or name that the admin signs in with (default: made from the name)',
    },
  },
  {
    words: 'workspace list',
    description: 'List all workspaces, also those that cannot be served.',
    example: 'cartulary workspace list',
  },
  {
    words: 'workspace rename',
    arguments: ['name', 'title'],
    description:
      'Give a workspace a title, which people and agents see. Its name stays in addresses, keys, clones, backups and the audit log, so nothing has to be changed. The name as title takes the title away.',
    example: 'cartulary workspace rename acme "Acme handbook"',
  },
  {
    words: 'workspace remove',
    arguments: ['name'],
    description:
      'Remove a workspace for good: its documents, keys, people and audit log. Without --yes, say what would go. A receipt stays in the data folder.',
    example: 'cartulary workspace remove acme --yes acme',
    optional: { '--yes <name>': 'the name again' },
  },
  {
    words: 'principal add',
    arguments: ['name'],
    description: 'Add a person or an agent. A new principal has no access until you grant a role.',
    example: 'cartulary principal add "Ada" --kind person',
    required: { '--kind <kind>': 'person or agent' },
  },
  {
    words: 'principal list',
    description: 'List all people and agents, including disabled ones.',
    example: 'cartulary principal list',
    columns: ['id', 'kind', 'display_name', 'sign_in_name', 'last_seen_at', 'is_admin', 'disabled_at'],
  },
  {
    words: 'principal show',
    arguments: ['principal'],
    description: 'Show a person or agent, with its sign-in name and its groups.',
    example: 'cartulary principal show ada@example.org',
  },
  {
    words: 'principal disable',
    arguments: ['principal'],
    description:
      'Disable a person or agent. Its sessions and applications end for good. Its keys stop working until it is enabled again. Principals are never deleted.',
    example: 'cartulary principal disable prn_13jrac9t4texfcfd685f',
  },
  {
    words: 'principal enable',
    arguments: ['principal'],
    description: 'Enable a disabled principal. Its keys work again. A person has to sign in again.',
    example: 'cartulary principal enable prn_13jrac9t4texfcfd685f',
  },
  {
    words: 'link',
    arguments: ['principal'],
    description:
      'Print a sign-in link, with which a person chooses a password. It works once, for a day, and replaces earlier links.',
    example: 'cartulary link prn_13jrac9t4texfcfd685f --sign-in ada@example.org',
    optional: {
      '--sign-in <name>': 'the e-mail address or name to sign in with (default: as it is, or made from their name)',
    },
  },
  {
    words: 'sessions',
    arguments: ['principal'],
    description: 'List the browsers where a person is signed in; with --end, sign them out everywhere.',
    example: 'cartulary sessions prn_13jrac9t4texfcfd685f --end',
    optional: { '--end': 'end all of them' },
  },
  {
    words: 'consent list',
    description: 'List the applications that act for people, with the host that each redirects to.',
    example: 'cartulary consent list --principal prn_13jrac9t4texfcfd685f',
    optional: { '--principal <principal>': `those of one person: ${who}` },
  },
  {
    words: 'consent revoke',
    arguments: ['consent'],
    description: "End a person's consent to an application. Its tokens stop working at once.",
    example: 'cartulary consent revoke oag_2m8ks0vq4xw1u7c3f9dp',
  },
  {
    words: 'consent revoke-all',
    arguments: ['principal'],
    description: 'End all consents of a person to applications.',
    example: 'cartulary consent revoke-all prn_13jrac9t4texfcfd685f',
  },
  {
    words: 'group add',
    arguments: ['name'],
    description: 'Add an empty group.',
    example: 'cartulary group add "Human resources"',
  },
  {
    words: 'group list',
    description: 'List all groups with their members.',
    example: 'cartulary group list',
    columns: ['id', 'display_name', 'members'],
  },
  {
    words: 'group show',
    arguments: ['group'],
    description: 'List the members of a group.',
    columns: ['type', 'id', 'kind', 'display_name', 'disabled_at'],
    example: 'cartulary group show "Human resources"',
  },
  {
    words: 'group join',
    arguments: ['group'],
    description: 'Add a principal or a group to a group. It gets the access of that group.',
    example: 'cartulary group join "Human resources" --member ada@example.org',
    required: { '--member <subject>': `the principal or group: ${who}` },
  },
  {
    words: 'group leave',
    arguments: ['group'],
    description: 'Remove a principal or a group from a group. It loses the access of that group at once.',
    example: 'cartulary group leave "Human resources" --member ada@example.org',
    required: { '--member <subject>': `the principal or group: ${who}` },
  },
  {
    words: 'grant add',
    description:
      'Give a principal or group a role (reader, editor or approver) on a document, or on a folder and everything below it. Write / after a folder; / alone is the root.',
    example: 'cartulary grant add handbook/ editor ada@example.org',
    optionalArguments: ['location', 'role', 'subject'],
    optional: grant,
  },
  {
    words: 'grant remove',
    description: 'Remove a grant. It ends at the next request.',
    example: 'cartulary grant remove handbook/ editor ada@example.org',
    optionalArguments: ['location', 'role', 'subject'],
    optional: grant,
  },
  {
    words: 'grant list',
    description:
      'List the grants on a folder or document, or with --subject all grants that reach a principal or group, also through its groups.',
    example: 'cartulary grant list handbook/ --inherited\n  $ cartulary grant list --subject ada@example.org',
    optionalArguments: ['location'],
    optional: {
      '--inherited': 'also those on the folders above',
      '--subject <subject>': `those of a principal or group: ${who}`,
      ...scope,
    },
  },
  {
    words: 'key mint',
    description:
      'Create a key for a person or an agent and print it, once. It opens MCP, unless you name what it opens.',
    example: 'cartulary key mint --principal ada@example.org --rest --expires 30d',
    required: { '--principal <principal>': `the person or agent: ${who}` },
    optional: {
      '--rest': 'opens the REST API',
      '--mcp': 'opens MCP; the three can be given together',
      '--git': 'opens /git, as the password of a git client',
      '--name <name>': 'a name for lists',
      '--expires <time>': 'when it expires: RFC 3339, a duration such as 30d, or never (default: the policy)',
      '--rate-limit <requests>': 'requests a minute for this key alone',
    },
  },
  {
    words: 'key list',
    description: 'List the keys, without their secrets.',
    example: 'cartulary key list --principal prn_13jrac9t4texfcfd685f',
    columns: [
      'id',
      'principal',
      'name',
      'interfaces',
      'state',
      'last_four',
      'created_at',
      'expires_at',
      'last_used_at',
    ],
    optional: { '--principal <principal>': `only those of this principal: ${who}` },
  },
  {
    words: 'key rotate',
    arguments: ['key'],
    description: 'Replace the secret of a key, and print the new key, once.',
    example: 'cartulary key rotate 4k1m9s0c7t2e6h8d',
  },
  {
    words: 'key revoke',
    arguments: ['key'],
    description: 'Revoke a key for good. It ends at the next request.',
    example: 'cartulary key revoke 4k1m9s0c7t2e6h8d',
  },
  {
    words: 'audit key',
    description: 'Print the public key of the audit log. Auditors verify exports with it.',
    example: 'cartulary audit key > audit-key.pem',
  },
  { words: 'policy show', description: 'Show the policy of a workspace.', example: 'cartulary policy show' },
  {
    words: 'policy set',
    arguments: ['name', 'value'],
    description:
      'Change one setting of the policy: requests_per_minute, burst, storage_quota, discussion_per_day, largest_text, largest_blob (bytes), credential_lifetime (such as 90d, or none), search_by_meaning (on or off), search_languages (such as en,de), extract_text (on or off), text_charset (such as windows-1252, or none), largest_extracted (bytes, up to 64 MiB), portable_names (on or off) or workspace_title.',
    example: 'cartulary policy set requests_per_minute 1200',
  },
];

/** init, principal, group, grant, key, policy, audit key; document, folder, claim, comment, label, readers, brief, message, webhook. */
export function addManageCommands(program: Command): void {
  for (const managing of [...table, ...contentTable, ...annotationTable, ...messageTable, ...webhookTable]) {
    const command = addCommand(program, managing).option(
      '--workspace <name>',
      managing.words === 'init' ? 'the name of the workspace (required)' : 'may be left out where there is only one',
    );
    command.option('-q, --quiet', 'print only the id, the key, the link or the secret');
    for (const name of managing.arguments ?? []) command.argument(`<${name}>`);
    for (const name of managing.optionalArguments ?? []) command.argument(`[${name}]`);
    for (const [flags, description] of Object.entries(managing.required ?? {}))
      command.requiredOption(flags, `${description} (required)`);
    for (const [flags, description] of Object.entries(managing.optional ?? {})) command.option(flags, description);
    command.action(async () => manage(managing, command.opts<CalledWith>(), command.args));
  }
}

async function manage(managing: Managing, options: CalledWith, values: readonly string[]): Promise<void> {
  const { words, arguments: needed = [], optionalArguments = [] } = managing;
  const config = readConfig(options);
  const { data: _data, config: _config, json, quiet, workspace: _workspace, ...own } = options;
  const names = [...needed, ...optionalArguments];
  const fields = Object.fromEntries([
    // Left out, it is no field.
    ...names.flatMap((name, index) => (values[index] === undefined ? [] : [[name, values[index]]])),
    ...Object.entries(own).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
    ...(words === 'init' ? [['workspace', config.workspace]] : []),
  ]) as Record<string, unknown>;
  const workspace = words === 'init' ? undefined : (config.workspace ?? undefined);
  const answer = await askOwner(config, { command: words.replace(' ', '.'), workspace, fields });
  if ('error' in answer) {
    fail(nameOption(answer.error, own), json === true);
  } else if (words === 'audit key' && json !== true) {
    await writeContent((answer.result as { public_key: string }).public_key);
  } else if (words === 'document diff' && json !== true) await printDiff(answer.result);
  else if (quiet === true)
    printIds(managing.toRows === undefined ? answer.result : shapeForPeople(answer.result, managing));
  else if (words === 'folder revert' && json !== true && !('apply' in own)) printPreview(answer.result, fields);
  else printResult(json === true ? answer.result : shapeForPeople(answer.result, managing), json === true);
  if ('result' in answer && words === 'webhook test') reportTest(answer.result);
}

function shapeForPeople(result: unknown, { columns, toRows }: Managing): unknown {
  if (columns === undefined && toRows === undefined) return result;
  const { items, ...rest } = result as { readonly items: readonly Readonly<Record<string, unknown>>[] };
  if (columns === undefined) return { ...rest, items: toRows?.(items) };
  return { ...rest, items: items.map((item) => Object.fromEntries(columns.map((column) => cellOf(item, column)))) };
}

/** `anchor.line` is the line of the anchor, under the heading `line`; a member of nothing is nothing. */
function cellOf(item: Readonly<Record<string, unknown>>, column: string): [string, unknown] {
  const [name = '', inner] = column.split('.');
  if (inner === undefined) return [name, item[name]];
  return [inner, (item[name] as Readonly<Record<string, unknown>> | null | undefined)?.[inner]];
}

/** A message that was not delivered is a failure for a script. */
function reportTest(result: unknown): void {
  const { delivered, status } = result as { readonly delivered: boolean; readonly status: number | null };
  if (delivered) return;
  note(`cartulary: Not delivered: ${status === null ? 'no answer came' : `the receiver answered ${status}`}.`);
  process.exitCode = refused;
}

/** Names the option in place of the refused field. */
function nameOption(error: CommandError, options: CalledWith): CommandError {
  const field = String(error.details?.['field']);
  const option = field.replaceAll('_', '-');
  const isOption = field === 'workspace' || option.replace(/-[a-z]/g, (part) => part.slice(1).toUpperCase()) in options;
  if (!isOption || !error.message.startsWith(`${field} `)) return error;
  return { ...error, message: `--${option}${error.message.slice(field.length)}` };
}

/** The steps of a revert, and once the command that applies them. */
function printPreview(result: unknown, fields: Readonly<Record<string, unknown>>): void {
  const { items } = result as { readonly items: readonly Readonly<Record<string, string>>[] };
  printResult({ items: items.map(({ apply: _, ...step }) => step) }, false);
  const [digest] = items.map(({ apply }) => apply);
  const { location, principal, since } = fields;
  if (digest === undefined) return;
  const options = [
    `--principal ${quoteWord(String(principal))}`,
    `--since ${quoteWord(String(since))}`,
    `--apply ${digest}`,
  ];
  note(`Apply with: cartulary folder revert ${quoteWord(String(location))} ${options.join(' ')}`);
}

/** The diff alone, byte for byte into a pipe or a file, so that it can be applied. Or the reason why there is none. */
async function printDiff(result: unknown): Promise<void> {
  const { diff, not_compared_because: why } = result as {
    readonly diff: string | null;
    readonly not_compared_because?: string;
  };
  if (diff !== null) await writeContent(diff);
  else note(`Not compared line by line: ${why === 'binary' ? 'it is not text' : 'it is too large'}.`);
}
