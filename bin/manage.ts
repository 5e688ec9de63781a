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

/** Commands that are one question to the owner of the data and one answer. The fields are the options' names. */
const table: readonly Managing[] = [
  {
    words: 'init',
    description:
      'Make a workspace with its first admin, and print a key of theirs and a link to sign in with, shown this once.',
    example: 'cartulary init --workspace acme --admin "Ada"',
    required: { '--admin <name>': 'the name of the first admin' },
    optional: {
      '--sign-in <name>': 'the e-mail address or name that the admin signs in with (default: made from the name)',
    },
  },
  {
    words: 'principal add',
    arguments: ['name'],
    description: 'Add a person or an agent, who reaches nothing until they are given a role.',
    example: 'cartulary principal add "Ada" --kind person',
    required: { '--kind <kind>': 'person or agent' },
  },
  {
    words: 'principal list',
    description: 'List all people and agents, those who were shut out as well.',
    example: 'cartulary principal list',
  },
  {
    words: 'principal disable',
    arguments: ['principal'],
    description:
      'Shut out a person or agent. Sessions and applications end for good. Keys open nothing until it is enabled again. Principals are never deleted.',
    example: 'cartulary principal disable prn_13jrac9t4texfcfd685f',
  },
  {
    words: 'principal enable',
    arguments: ['principal'],
    description: 'Let in a principal that was disabled. Its keys work again; a person signs in again.',
    example: 'cartulary principal enable prn_13jrac9t4texfcfd685f',
  },
  {
    words: 'link',
    arguments: ['principal'],
    description:
      'Print a link by which a person chooses a password and signs in: the first time, or when it was forgotten. It works once, and for a day; earlier ones stop working.',
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
    description: 'List the applications that people let act for them, and the host that each has its answers sent to.',
    example: 'cartulary consent list --principal prn_13jrac9t4texfcfd685f',
    optional: { '--principal <id>': 'those of one person' },
  },
  {
    words: 'consent revoke',
    arguments: ['consent'],
    description: 'End what a person allowed an application; its tokens stop working at once.',
    example: 'cartulary consent revoke oag_2m8ks0vq4xw1u7c3f9dp',
  },
  {
    words: 'consent revoke-all',
    arguments: ['principal'],
    description: 'End everything that a person allowed applications.',
    example: 'cartulary consent revoke-all prn_13jrac9t4texfcfd685f',
  },
  {
    words: 'group add',
    arguments: ['name'],
    description: 'Add a group, without members at first.',
    example: 'cartulary group add "Human resources"',
  },
  { words: 'group list', description: 'List all groups with their members.', example: 'cartulary group list' },
  {
    words: 'group join',
    arguments: ['group'],
    description: 'Put a principal or a group into a group: what the group may do, it may do too.',
    example: 'cartulary group join grp_p7t5fb9d74w8nc7drvma --member prn_13jrac9t4texfcfd685f',
    required: { '--member <subject>': 'the id of a principal or a group: prn_… or grp_…' },
  },
  {
    words: 'group leave',
    arguments: ['group'],
    description: 'Take a principal or a group out of a group; what it had by the group alone ends at once.',
    example: 'cartulary group leave grp_p7t5fb9d74w8nc7drvma --member prn_13jrac9t4texfcfd685f',
    required: { '--member <subject>': 'the id of a principal or a group: prn_… or grp_…' },
  },
  {
    words: 'grant add',
    description: 'Give a role to a principal or a group on a folder, with all below it, or on one document.',
    example:
      'cartulary grant add --scope-type folder --scope-id handbook --subject grp_p7t5fb9d74w8nc7drvma --role reader',
    required: grant,
  },
  {
    words: 'grant remove',
    description: 'Take a grant away, in force at the next request.',
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
    description: 'Make a key for a person or an agent and print it, this once. It opens MCP unless --rest is given.',
    example: 'cartulary key mint --principal prn_13jrac9t4texfcfd685f --rest --expires 30d',
    required: { '--principal <id>': 'whom it stands for' },
    optional: {
      '--rest': 'it opens the REST API',
      '--mcp': 'it opens MCP (also with --rest)',
      '--name <name>': 'to know it again in a list',
      '--expires <time>': 'when it ends: RFC 3339, a duration such as 30d, or never (default: as the policy says)',
      '--rate-limit <requests>': 'requests a minute for this key alone',
    },
  },
  {
    words: 'key list',
    description: 'List the keys, never with their secrets.',
    example: 'cartulary key list --principal prn_13jrac9t4texfcfd685f',
    optional: { '--principal <id>': 'only those of this principal' },
  },
  {
    words: 'key rotate',
    arguments: ['key'],
    description: "Replace a key's secret and nothing else, and print the new key, this once.",
    example: 'cartulary key rotate 4k1m9s0c7t2e6h8d',
  },
  {
    words: 'key revoke',
    arguments: ['key'],
    description: 'End a key for good, in force at the next request.',
    example: 'cartulary key revoke 4k1m9s0c7t2e6h8d',
  },
  {
    words: 'audit key',
    description: 'Print the public key that the audit log is signed with; an auditor checks exports with it.',
    example: 'cartulary audit key > audit-key.pem',
  },
  { words: 'policy show', description: 'Show what holds for the whole workspace.', example: 'cartulary policy show' },
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
      managing.words === 'init' ? 'what it is to be called (required)' : 'may be left out where there is only one',
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

/** The owner of the data knows fields; whoever called knows them as options. */
function nameOption(error: CommandError, options: CalledWith): CommandError {
  const field = String(error.details?.['field']);
  const option = field.replaceAll('_', '-');
  const isOption = field === 'workspace' || option.replace(/-[a-z]/g, (part) => part.slice(1).toUpperCase()) in options;
  if (!isOption || !error.message.startsWith(`${field} `)) return error;
  return { ...error, message: `--${option}${error.message.slice(field.length)}` };
}

/** The diff alone, byte for byte where it goes into a pipe or a file, so that it can be applied; or why there is none. */
async function printDiff(result: unknown): Promise<void> {
  const { diff, not_compared_because: why } = result as {
    readonly diff: string | null;
    readonly not_compared_because?: string;
  };
  if (diff !== null) await writeContent(diff);
  else note(`Not compared line by line: ${why === 'binary' ? 'it is no text' : 'it is too large'}.`);
}
