import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findAccountDataFolder } from './disk/account-data-folder.js';
import { findClosedFolder } from './disk/obstacle.js';
import { secretVariables, type Environment } from './config/environment.js';
import { ForeignFile, readOwn, requireOwn } from './disk/read-own.js';
import { dropTrailing } from './domain/drop-trailing.js';
import { isHostAndPort, isProxyAddress, isWebAddress } from './http/address-forms.js';
import { isBucketAddress } from './stored/bucket-address.js';
import { findWorkspaceFolders } from './integrity/find-workspace-folders.js';

/** All settings, checked, with the defaults filled in. Frozen. */
export interface Config {
  /** Absolute path of the data folder. */
  readonly data: string;
  readonly workspace: string | null;
  readonly host: string;
  readonly port: number;
  /** Without a slash at the end. */
  readonly publicUrl: string | null;
  /** Proxies in front that may set the client's address: their number, or their addresses. */
  readonly trustProxy: number | readonly string[];
  readonly corsOrigins: readonly string[];
  /** Bytes of the data folder's disk that stay free. */
  readonly diskReserve: number;
  /** Bytes that a workspace's derived repositories may take. */
  readonly derivedBudget: number;
  /** Bytes and seconds of a processor that reading one file may take, and how many files are read at once. */
  readonly extraction: { readonly memory: number; readonly seconds: number; readonly processes: number };
  readonly git: 'auto' | 'never';
  /** Whether `serve` and `start` upgrade a data folder of an earlier format, or refuse it. */
  readonly upgrade: 'auto' | 'never';
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  readonly validateResponses: boolean;
  /** `host:port` at addresses that are not public, which connectors may reach. */
  readonly connectorHosts: readonly string[];
  /** Absolute paths of folders that connectors may mirror, with all below. */
  readonly connectorFolders: readonly string[];
  /** Outside programs that connectors may run, by name: the absolute path of each, and its arguments. */
  readonly connectorPrograms: Readonly<Record<string, readonly string[]>>;
  /** `host:port` at addresses that are not public, to which webhooks may be sent, also over http. */
  readonly webhookHosts: readonly string[];
  /** Where metrics are served, and the token that a scraper has to show; null for nowhere. */
  readonly metrics: { readonly host: string; readonly port: number; readonly token: string | null } | null;
  /** Another OpenID Connect provider for people's sign-ins. */
  readonly upstream: UpstreamConfig | null;
  /** Where a copy is kept; null for nowhere. */
  readonly follow: FollowConfig | null;
  /** The store of buckets: the address of its service, and its region; null for the usual ones. */
  readonly objects: { readonly endpoint: string | null; readonly region: string | null };
}

export interface FollowConfig {
  /** `s3://bucket/prefix` */
  readonly address: string;
  /** age recipients: who can restore. */
  readonly recipients: readonly string[];
  /** Milliseconds between two looks at what was changed. */
  readonly interval: number;
  /** Whether the operator knows that the bucket keeps what is deleted. */
  readonly isVersioned: boolean;
}

export interface UpstreamConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The text of its button after “Sign in with”. */
  readonly name: string;
}

/** Settings as the command line gave them, by their names in the schema; undefined where an option was not used. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>;

export interface ConfigSources {
  readonly flags: Flags;
  /** Settings of one command where nobody sets them, in place of the schema's defaults. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** A file named by `--config`; `cartulary.json` in the current folder is read where it exists. */
  readonly file?: string | undefined;
  readonly environment?: Environment;
}

/** A wrong setting. The message names it, its source, and its permitted values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The part of JSON Schema that `schema/config.json` uses. Every command reads it, so no library is loaded for it. */
interface Rule {
  readonly type?: 'string' | 'integer' | 'boolean' | 'array';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly items?: Rule;
  readonly anyOf?: readonly Rule[];
  readonly default?: unknown;
}

interface Schema {
  readonly properties: Readonly<Record<string, Rule>>;
}

/** A value with the place it came from, for messages. */
interface Setting {
  readonly value: unknown;
  readonly source: string;
}

const usualFile = 'cartulary.json';

const upstreamSettings = ['oidc_issuer', 'oidc_client_id', 'oidc_client_secret'] as const;

/** A path inside the package, from the sources as from the built program. */
export function packagePath(...parts: string[]): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'schema')) && dirname(folder) !== folder) folder = dirname(folder);
  return join(folder, ...parts);
}

/**
 * Gathers the settings: options over environment (`CARTULARY_*`) over file over defaults.
 * @throws ConfigError naming every wrong setting
 */
export function loadConfig({ flags, defaults = {}, file, environment = process.env }: ConfigSources): Config {
  const schema = JSON.parse(readFileSync(packagePath('schema', 'config.json'), 'utf8')) as Schema;
  const settings = new Map<string, Setting>();
  for (const [name, value] of Object.entries(defaults)) settings.set(name, { value, source: 'default' });
  for (const [name, setting] of readSettingsFile(file ?? environment['CARTULARY_CONFIG'])) settings.set(name, setting);
  for (const [name, rule] of Object.entries(schema.properties)) {
    const variable = `CARTULARY_${name.toUpperCase()}`;
    const text = environment[variable];
    if (text !== undefined && text !== '') {
      settings.set(name, { value: readText(text, rule), source: `environment variable ${variable}` });
    }
    const flag = flags[name];
    if (flag !== undefined) {
      const value = typeof flag === 'string' ? readText(flag, rule) : flag;
      settings.set(name, { value, source: `option --${name.replaceAll('_', '-')}` });
    }
  }
  const values = validate(schema, settings);
  return toConfig('data' in values ? values : { ...values, data: findUsualData(environment) });
}

/**
 * The data folder where no setting names one: `repos` of a checkout of this program, where that is the current folder;
 * `repos` of another folder, where it holds data; and otherwise the folder of this account (decision 0380).
 * @throws ConfigError where another account may have put that data there
 */
export function findUsualData(environment: Environment = process.env): string {
  const here = resolve('repos');
  if (existsSync(packagePath('lib', 'config.ts')) && realpathSync('.') === realpathSync(packagePath())) return here;
  // A closed one is taken, so that commands say whom to ask.
  if (findClosedFolder(here) !== undefined) return here;
  const found = statSync(here, { throwIfNoEntry: false });
  const isData =
    found?.isDirectory() === true &&
    (existsSync(join(here, 'service.sqlite')) || findWorkspaceFolders(here).length > 0);
  if (!isData) return findAccountDataFolder({ plain: 'cartulary', shown: 'Cartulary' }, { environment });
  refuseForeign(() => requireOwn(here, found), '--data');
  return here;
}

/** Unknown variables that look like settings: most likely misspelt. */
export function listUnknownVariables(environment: Environment = process.env): string[] {
  const schema = JSON.parse(readFileSync(packagePath('schema', 'config.json'), 'utf8')) as Schema;
  const known = new Set([
    'CARTULARY_CONFIG',
    ...secretVariables,
    ...Object.keys(schema.properties).map((n) => `CARTULARY_${n.toUpperCase()}`),
  ]);
  return Object.keys(environment).filter((name) => name.startsWith('CARTULARY_') && !known.has(name));
}

/** @throws ConfigError that names the option, where another account may have put there what is read */
function refuseForeign<Result>(read: () => Result, option: string): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ForeignFile)) throw error;
    throw new ConfigError(`${error.message} Name it with ${option} where it is meant.`);
  }
}

function readSettingsFile(named: string | undefined): [string, Setting][] {
  const file = resolve(named ?? usualFile);
  let text: string;
  try {
    text = named === undefined ? refuseForeign(() => readOwn(file), '--config') : readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if (named === undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new ConfigError(`${file} cannot be read: ${(error as Error).message}`);
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`${file} is not JSON: ${(error as Error).message}`);
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new ConfigError(`${file} must hold one JSON object with settings.`);
  }
  return Object.entries(content).map(([name, value]: [string, unknown]) => {
    const isPath = name === 'data' && typeof value === 'string' && value !== '';
    return [name, { value: isPath ? resolve(dirname(file), value) : value, source: file }];
  });
}

/** Text from an option or the environment in the type of the schema; left as it is where it does not fit. */
function readText(text: string, rule: Rule): unknown {
  const isList = rule.type === 'array' || rule.anyOf !== undefined;
  if ((rule.type === 'integer' || rule.anyOf !== undefined) && /^\d{1,9}$/.test(text)) return Number(text);
  if (rule.type === 'boolean' && /^(?:true|false)$/.test(text)) return text === 'true';
  if (isList) return text.split(',').map((part) => part.trim());
  return text;
}

/** @throws ConfigError naming every wrong setting */
function validate({ properties }: Schema, settings: ReadonlyMap<string, Setting>): Record<string, unknown> {
  const known = Object.keys(properties).filter((name) => !name.startsWith('$'));
  const problems = [...settings].flatMap(([name, { value, source }]) => {
    const rule = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (rule === undefined) return [`${name} is no setting (${source}). The settings are ${known.join(', ')}.`];
    const wanted = findFault(rule, value);
    if (wanted === undefined) return [];
    const isSecret = /_(?:secret|token)$/.test(name) || /secret-key/i.test(JSON.stringify(value));
    const shown = isSecret ? 'something else' : JSON.stringify(value);
    return [`${name} must be ${wanted}, and is ${shown} (${source}).`];
  });
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  const values = Object.entries(properties).map(([name, rule]) => [name, settings.get(name)?.value ?? rule.default]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Record<string, unknown>;
}

const formats: Readonly<Record<string, { readonly means: string; readonly test: (text: string) => boolean }>> = {
  'web-address': {
    means: 'an http or https address without query, such as https://files.example.org',
    test: isWebAddress,
  },
  'web-origin': {
    means: 'a web origin such as https://app.example.org',
    test: (text) => isWebAddress(text) && new URL(text).origin === text,
  },
  'proxy-address': {
    means: 'an IP address, a CIDR range, or loopback, linklocal or uniquelocal',
    test: isProxyAddress,
  },
  'host-port': {
    means: 'a host and a port such as git.example.org:443 or [fd00::1]:9000',
    test: isHostAndPort,
  },
  'bucket-address': { means: 'the address of a bucket, such as s3://backups/cartulary', test: isBucketAddress },
  'age-recipient': {
    means: 'a recipient that begins with age1, as `cartulary follow key` prints it',
    test: (text) => /^age1[02-9ac-hj-np-z]{58}$/.test(text),
  },
  'absolute-path': { means: 'the absolute path of a folder below the root, without . and ..', test: isFolderPath },
  'connector-program': {
    means:
      'a name of lower-case letters, digits and hyphens, =, and an absolute path, such as drive=/opt/drive --quiet',
    test: (text) => readProgram(text) !== undefined,
  },
};

/** The values that a rule allows, in words, if this value is none of them. */
export function findFault(rule: Rule, value: unknown): string | undefined {
  const { anyOf, items } = rule;
  if (anyOf !== undefined)
    return anyOf.some((each) => findFault(each, value) === undefined) ? undefined : describe(rule);
  if (rule.enum !== undefined) return rule.enum.some((each) => each === value) ? undefined : describe(rule);
  const fits = {
    boolean: () => typeof value === 'boolean',
    integer: () => Number.isInteger(value) && isBetween(Number(value), rule.minimum, rule.maximum),
    array: () => Array.isArray(value) && value.every((each) => findFault(items ?? {}, each) === undefined),
    string: () =>
      typeof value === 'string' &&
      isBetween(Array.from(value).length, rule.minLength, rule.maxLength) &&
      (rule.pattern === undefined || isWorkspaceName(value)) &&
      (rule.format === undefined || formats[rule.format]?.test(value) === true),
  };
  return rule.type === undefined || fits[rule.type]() ? undefined : describe(rule);
}

const isBetween = (number: number, least = 0, most = Infinity): boolean => number >= least && number <= most;

/** The one pattern of the schema; a test compares them. */
const isWorkspaceName = (text: string): boolean => /^[a-z0-9][a-z0-9-]{0,38}$/.test(text);

function describe(rule: Rule): string {
  if (rule.anyOf !== undefined) return rule.anyOf.map(describe).join(', or ');
  if (rule.enum !== undefined) return `one of ${rule.enum.join(', ')}`;
  if (rule.type === 'boolean') return 'true or false';
  if (rule.type === 'integer') return `a whole number from ${rule.minimum ?? 0} to ${rule.maximum ?? 'any other'}`;
  if (rule.type === 'array') return `a list, and each entry ${describe(rule.items ?? {})}`;
  if (rule.pattern !== undefined)
    return 'up to 39 lower-case letters, digits and hyphens, without a hyphen at the start';
  if (rule.format !== undefined) return formats[rule.format]?.means ?? rule.format;
  return rule.maxLength === undefined ? 'a text that is not empty' : `a text of 1 to ${rule.maxLength} characters`;
}

function isFolderPath(text: string): boolean {
  return isAbsolute(text) && normalize(text) === text && dropTrailing(text, '/') === text;
}

/** `name=/path argument argument` as the name and the words after it. */
function readProgram(text: string): readonly [string, readonly string[]] | undefined {
  const split = text.indexOf('=');
  const name = text.slice(0, Math.max(0, split));
  const words = text
    .slice(split + 1)
    .split(' ')
    .filter((word) => word !== '');
  if (!isWorkspaceName(name) || !isFolderPath(words[0] ?? '')) return undefined;
  return [name, words];
}

/** @throws ConfigError where two have one name */
function toPrograms(texts: readonly string[]): Config['connectorPrograms'] {
  const programs = texts.map(readProgram).filter((each) => each !== undefined);
  const byName = Object.fromEntries(programs);
  if (Object.keys(byName).length < programs.length) {
    throw new ConfigError('connector_programs must give each program a name of its own.');
  }
  return byName;
}

/** @throws ConfigError where only a part of it is set */
function toUpstream(values: Readonly<Record<string, unknown>>): UpstreamConfig | null {
  const read = (name: string): string | undefined => values[name] as string | undefined;
  const [issuer, clientId, clientSecret] = upstreamSettings.map(read);
  const missing = upstreamSettings.filter((name) => read(name) === undefined);
  if (missing.length === upstreamSettings.length) return null;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) {
    throw new ConfigError(`To sign in with another provider, set ${missing.join(' and ')} too.`);
  }
  if (!/^https:|^http:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?(?:\/|$)/.test(issuer)) {
    throw new ConfigError('oidc_issuer must be an https address, or one of this machine.');
  }
  return { issuer, clientId, clientSecret, name: read('oidc_name') ?? new URL(issuer).hostname };
}

function toMetrics({ metrics_host: host, metrics_port: port, metrics_token: token = null }: Record<string, unknown>) {
  return port === undefined ? null : ({ host, port, token } as Config['metrics']);
}

/** @throws ConfigError where nobody could restore */
function toFollow({ follow: address, follow_recipients: recipients, ...values }: Record<string, unknown>) {
  if (address === undefined) return null;
  if ((recipients as readonly string[]).length === 0) {
    throw new ConfigError(
      'Set follow_recipients too: who can open the copy. `cartulary follow key FILE` makes a key and prints its recipient.',
    );
  }
  const interval = (values['follow_interval'] as number) * 1000;
  return { address, recipients, interval, isVersioned: values['objects_versioned'] } as FollowConfig;
}

function toConfig(values: Readonly<Record<string, unknown>>): Config {
  const publicUrl = values['public_url'] as string | undefined;
  const config = {
    data: resolve(values['data'] as string),
    workspace: (values['workspace'] as string | undefined) ?? null,
    host: values['host'],
    port: values['port'],
    publicUrl: publicUrl === undefined ? null : dropTrailing(publicUrl, '/'),
    trustProxy: values['trust_proxy'],
    corsOrigins: values['cors_origins'],
    diskReserve: (values['disk_reserve'] as number) * 1024 ** 2,
    derivedBudget: (values['derived_budget'] as number) * 1024 ** 2,
    extraction: {
      memory: (values['extract_memory'] as number) * 1024 ** 2,
      seconds: values['extract_seconds'],
      processes: values['extract_processes'],
    },
    git: values['git'],
    upgrade: values['upgrade'],
    logLevel: values['log_level'],
    validateResponses: values['validate_responses'],
    connectorHosts: values['connector_hosts'],
    connectorFolders: values['connector_folders'],
    connectorPrograms: toPrograms(values['connector_programs'] as readonly string[]),
    webhookHosts: values['webhook_hosts'],
    metrics: toMetrics(values),
    upstream: toUpstream(values),
    follow: toFollow(values),
    objects: { endpoint: values['objects_endpoint'] ?? null, region: values['objects_region'] ?? null },
  } as Config;
  for (const value of Object.values(config)) Object.freeze(value);
  return Object.freeze(config);
}
