import type { Command, Option } from 'commander';
import { loadConfig, type Config, type Flags } from '../lib/config.js';

/** A command's options: its own, and those of every command. */
export type CalledWith = Readonly<Record<string, string | boolean | undefined>>;

export interface Description {
  readonly words: string;
  readonly description: string;
  /** A call that works without changes. */
  readonly example: string;
}

/**
 * Adds a command with the options that all have in common.
 * @param words its name, e.g. `principal add`; a missing group before it is made
 */
export function addCommand(program: Command, { words, description, example }: Description): Command {
  const names = words.split(' ');
  const last = names.pop() ?? words;
  let parent = program;
  for (const name of names) {
    parent = parent.commands.find((command) => command.name() === name) ?? addGroup(parent, name);
  }
  return parent
    .command(last)
    .helpGroup(names.length === 0 ? partOf(last) : 'Commands:')
    .description(description)
    .addHelpText('after', `\nExample:\n  $ ${example}`)
    .option('--data <folder>', 'the data folder (default: repos here, or the one of this account)')
    .option('--config <file>', 'settings file (default: cartulary.json here)')
    .option('--json', 'print JSON for machines');
}

/** The parts of the overview of all commands. */
const overview: Readonly<Record<string, readonly string[]>> = {
  'Run it:': ['init', 'start', 'serve', 'mcp', 'status', 'ready', 'completion'],
  'People and access:': [
    'principal',
    'group',
    'grant',
    'readers',
    'key',
    'link',
    'sessions',
    'consent',
    'policy',
    'workspace',
  ],
  'Documents:': [
    'ls',
    'cat',
    'put',
    'search',
    'mv',
    'rm',
    'import',
    'document',
    'folder',
    'claim',
    'comment',
    'label',
    'brief',
    'changes',
    'message',
    'erase',
    'erasures',
  ],
  'Outside:': ['connector', 'webhook'],
  'Checks and backups:': ['verify', 'doctor', 'audit', 'who', 'backup', 'restore', 'rebuild', 'follow'],
};

/** The part of the overview with the command. */
const partOf = (name: string): string =>
  Object.entries(overview).find(([, names]) => names.includes(name))?.[0] ?? 'Commands:';

/** Options that many commands have. A command's help has its own ones before them. */
const sharedOptions: ReadonlySet<string> = new Set(['data', 'config', 'workspace', 'json', 'quiet', 'help']);

/** Sorts the options of a help. */
export function ownOptionsFirst(options: readonly Option[]): Option[] {
  const isShared = (option: Option): boolean => sharedOptions.has(option.attributeName());
  return [...options.filter((option) => !isShared(option)), ...options.filter(isShared)];
}

const groupDescriptions: Readonly<Record<string, string>> = {
  workspace: 'The workspaces of the data folder.',
  principal: 'People and agents.',
  group: 'Groups of people, agents and other groups.',
  grant: 'Roles of principals and groups on folders and documents.',
  document: 'One document: history, diff, restore, undelete, retry-text.',
  folder: 'Whole folders: delete, undelete, and revert the changes of one principal.',
  claim: 'Claims: a claim reserves a document or section, so that writes of others are refused.',
  comment: 'Comments on a document.',
  label: 'Labels of a document, to filter and search by.',
  connector: 'Connectors: each mirrors an outside source into a read-only folder.',
  changes: 'What changed, in order.',
  follow: 'A copy of everything in a bucket, about a second behind.',
  webhook: 'Webhooks: each tells an address what changes.',
  message: 'Messages to and from the operator.',
  key: 'API keys of people and agents.',
  consent: 'Applications that act for people.',
  policy: 'Settings of a workspace: limits, lifetime of keys, search.',
  audit: 'The audit log.',
  who: 'Who read or changed what lies at a place, by the audit log.',
};

function addGroup(parent: Command, name: string): Command {
  const description = groupDescriptions[name];
  if (description === undefined) throw new Error(`The group ${name} needs a description.`);
  return parent.command(name).helpGroup(partOf(name)).description(description);
}

/** Options that are settings, by their names there. */
const settings: Readonly<Record<string, string>> = {
  data: 'data',
  workspace: 'workspace',
  host: 'host',
  port: 'port',
  publicUrl: 'public_url',
  trustProxy: 'trust_proxy',
  follow: 'follow',
  followRecipients: 'follow_recipients',
  upgrade: 'upgrade',
  metricsHost: 'metrics_host',
  metricsPort: 'metrics_port',
  logLevel: 'log_level',
};

/**
 * @param defaults settings of this command where nobody sets them
 * @throws ConfigError
 */
export function readConfig(options: CalledWith, defaults: Readonly<Record<string, unknown>> = {}): Config {
  // A setting takes a value. `audit list --follow` has another meaning, and none.
  const flags: Flags = Object.fromEntries(
    Object.entries(settings).flatMap(([option, name]) => {
      const value = options[option];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
  const { config } = options;
  return loadConfig({ flags, defaults, file: typeof config === 'string' ? config : undefined });
}
