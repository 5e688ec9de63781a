import type { Command } from 'commander';
import { annotationTable } from './annotate.js';
import { contentTable } from './content.js';
import type { Managing } from './managing.js';
import { messageTable } from './messages.js';
import { addCommand, readConfig, type CalledWith } from './options.js';
import { askOwner } from './owner.js';
import { fail, note, printResult, writeContent } from './print.js';
import type { CommandError } from '../lib/socket/command.js';

const scope = {
  '--scope-type <type>': 'folder or document',
  '--scope-id <location>': 'where; "" is the root of the workspace',
};
const grant = {
  ...scope,
  '--subject <subject>': 'the id of a principal or a group: prn_… or grp_…',
  '--role <role>': 'reader, editor or approver',
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
    optional: { '--principal <id>': 'those of one person' },
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
  { words: 'group list', description: 'List all groups with their members.', example: 'cartulary group list' },
  {
    words: 'group join',
    arguments: ['group'],
    description: 'Add a principal or a group to a group. It gets the access of that group.',
    example: 'cartulary group join grp_p7t5fb9d74w8nc7drvma --member prn_13jrac9t4texfcfd685f',
    required: { '--member <subject>': 'the id of a principal or a group: prn_… or grp_…' },
  },
  {
    words: 'group leave',
    arguments: ['group'],
    description: 'Remove a principal or a group from a group. It loses the access of that group at once.',
    example: 'cartulary group leave grp_p7t5fb9d74w8nc7drvma --member prn_13jrac9t4texfcfd685f',
    required: { '--member <subject>': 'the id of a principal or a group: prn_… or grp_…' },
  },
  {
    words: 'grant add',
    description: 'Give a principal or group a role on a document, or on a folder and everything below it.',
    example:
      'cartulary grant add --scope-type folder --scope-id handbook --subject grp_p7t5fb9d74w8nc7drvma --role reader',
    required: grant,
  },
  {
    words: 'grant remove',
    description: 'Remove a grant. It ends at the next request.',
    example:
      'cartulary grant remove --scope-type folder --scope-id handbook --subject grp_p7t5fb9d74w8nc7drvma --role reader',
    required: grant,
  },
  {
    words: 'grant list',
    description: 'List the grants on a folder or document.',
    example: 'cartulary grant list --scope-type folder --scope-id handbook --inherited',
    required: scope,
    optional: { '--inherited': 'also those on the folders above' },
  },
  {
    words: 'key mint',
    description: 'Create a key for a person or an agent and print it, once. It opens MCP, unless you pass --rest.',
    example: 'cartulary key mint --principal prn_13jrac9t4texfcfd685f --rest --expires 30d',
    required: { '--principal <id>': 'the person or agent' },
    optional: {
      '--rest': 'opens the REST API',
      '--mcp': 'opens MCP, also together with --rest',
      '--name <name>': 'a name for lists',
      '--expires <time>': 'when it expires: RFC 3339, a duration such as 30d, or never (default: the policy)',
      '--rate-limit <requests>': 'requests a minute for this key alone',
    },
  },
  {
    words: 'key list',
    description: 'List the keys, without their secrets.',
    example: 'cartulary key list --principal prn_13jrac9t4texfcfd685f',
    optional: { '--principal <id>': 'only those of this principal' },
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
      'Change one setting of the policy: requests_per_minute, burst, storage_quota, discussion_per_day, largest_text, largest_blob (bytes), credential_lifetime (such as 90d, or none), search_by_meaning (on or off) or search_languages (such as en,de).',
    example: 'cartulary policy set requests_per_minute 1200',
  },
];

/** init, principal, group, grant, key, policy, audit key; document, folder, claim, comment, label, readers, brief, message. */
export function addManageCommands(program: Command): void {
  for (const managing of [...table, ...contentTable, ...annotationTable, ...messageTable]) {
    const command = addCommand(program, managing).option(
      '--workspace <name>',
      managing.words === 'init' ? 'the name of the workspace (required)' : 'may be left out where there is only one',
    );
    for (const name of managing.arguments ?? []) command.argument(`<${name}>`);
    for (const [flags, description] of Object.entries(managing.required ?? {}))
      command.requiredOption(flags, `${description} (required)`);
    for (const [flags, description] of Object.entries(managing.optional ?? {})) command.option(flags, description);
    command.action(async () => manage(managing, command.opts<CalledWith>(), command.args));
  }
}

async function manage(
  { words, arguments: names = [] }: Managing,
  options: CalledWith,
  values: readonly string[],
): Promise<void> {
  const config = readConfig(options);
  const { data: _data, config: _config, json, workspace: _workspace, ...own } = options;
  const fields = Object.fromEntries([
    ...names.map((name, index) => [name, values[index]]),
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
  else printResult(answer.result, json === true);
}

/** Names the option in place of the refused field. */
function nameOption(error: CommandError, options: CalledWith): CommandError {
  const field = String(error.details?.['field']);
  const option = field.replaceAll('_', '-');
  const isOption = field === 'workspace' || option.replace(/-[a-z]/g, (part) => part.slice(1).toUpperCase()) in options;
  if (!isOption || !error.message.startsWith(`${field} `)) return error;
  return { ...error, message: `--${option}${error.message.slice(field.length)}` };
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
