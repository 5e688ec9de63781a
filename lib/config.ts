import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { dropTrailing } from './domain/drop-trailing.js';

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
  readonly git: 'auto' | 'never';
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  readonly validateResponses: boolean;
  /** Another OpenID Connect provider for people's sign-ins. */
  readonly upstream: UpstreamConfig | null;
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
  /** A file named by `--config`; `cartulary.json` in the current folder is read where it exists. */
  readonly file?: string | undefined;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** A wrong setting. The message names it, its source, and its permitted values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

interface Schema {
  readonly properties: Readonly<Record<string, { readonly type?: string; readonly anyOf?: unknown }>>;
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
export function loadConfig({ flags, file, environment = process.env }: ConfigSources): Config {
  const schema = JSON.parse(readFileSync(packagePath('schema', 'config.json'), 'utf8')) as Schema;
  const settings = new Map<string, Setting>();
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
  return toConfig(validate(schema, settings));
}

/** No setting, so it is in no file and no object that could be shown. */
const passphraseVariable = 'CARTULARY_PASSPHRASE';

/** The passphrase of a backup, if the environment has it. */
export function findPassphrase(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  const passphrase = environment[passphraseVariable];
  return passphrase === '' ? undefined : passphrase;
}

/** As the passphrase: the key of an agent on this machine, and the service's address unless the data folder has it. */
const keyVariable = 'CARTULARY_KEY';
const urlVariable = 'CARTULARY_URL';

/** The environment's key and address for a client of the service. */
export function findClientSettings(environment: Readonly<Record<string, string | undefined>> = process.env): {
  readonly key: string | undefined;
  readonly url: string | undefined;
} {
  const read = (name: string): string | undefined => (environment[name] === '' ? undefined : environment[name]);
  return { key: read(keyVariable), url: read(urlVariable) };
}

/** Unknown variables that look like settings: most likely misspelt. */
export function listUnknownVariables(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string[] {
  const schema = JSON.parse(readFileSync(packagePath('schema', 'config.json'), 'utf8')) as Schema;
  const known = new Set([
    'CARTULARY_CONFIG',
    passphraseVariable,
    keyVariable,
    urlVariable,
    ...Object.keys(schema.properties).map((n) => `CARTULARY_${n.toUpperCase()}`),
  ]);
  return Object.keys(environment).filter((name) => name.startsWith('CARTULARY_') && !known.has(name));
}

/**
 * A file that was not named decides only where this account, or root, put it there. Commands are given in any folder,
 * and another account's file would lead them to its own data folder.
 * @throws ConfigError; the system's error where it cannot be read
 */
function readOwn(file: string): string {
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const { uid, mode } = fstatSync(descriptor);
    const own = process.geteuid?.();
    const isWrittenByAll = (mode & 0o002) !== 0;
    if (own === undefined || ((uid === own || uid === 0) && !isWrittenByAll)) return readFileSync(descriptor, 'utf8');
    const whose = isWrittenByAll ? 'can be written by every account' : 'belongs to another account';
    throw new ConfigError(`${file} ${whose} of this machine. Name it with --config where it is meant.`);
  } finally {
    closeSync(descriptor);
  }
}

function readSettingsFile(named: string | undefined): [string, Setting][] {
  const file = resolve(named ?? usualFile);
  let text: string;
  try {
    text = named === undefined ? readOwn(file) : readFileSync(file, 'utf8');
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
function readText(text: string, rule: { readonly type?: string; readonly anyOf?: unknown }): unknown {
  const isList = rule.type === 'array' || rule.anyOf !== undefined;
  if ((rule.type === 'integer' || rule.anyOf !== undefined) && /^\d{1,9}$/.test(text)) return Number(text);
  if (rule.type === 'boolean' && /^(?:true|false)$/.test(text)) return text === 'true';
  if (isList) return text.split(',').map((part) => part.trim());
  return text;
}

function validate(schema: Schema, settings: ReadonlyMap<string, Setting>): Record<string, unknown> {
  const ajv = new Ajv2020({ allErrors: true, useDefaults: true, strict: true, allowUnionTypes: true });
  ajv.addFormat('web-address', isWebAddress);
  ajv.addFormat('web-origin', isWebOrigin);
  ajv.addFormat('proxy-address', isProxyAddress);
  const check = ajv.compile<Record<string, unknown>>(schema);
  const values: Record<string, unknown> = Object.fromEntries([...settings].map(([name, { value }]) => [name, value]));
  if (check(values)) return values;
  const errors = (check.errors ?? []).filter((error) => error.keyword !== 'anyOf');
  // Of a list's entry and the list itself, the entry says more.
  const saysMost = (error: ErrorObject): boolean =>
    error.instancePath === '' || !errors.some((other) => other.instancePath.startsWith(`${error.instancePath}/`));
  const lines = errors.filter(saysMost).map((error) => explain(error, settings));
  throw new ConfigError([...new Set(lines)].join('\n'));
}

const meanings: Readonly<Record<string, string>> = {
  'web-address': 'must be an http or https address without query, such as https://files.example.org',
  'web-origin': 'must be a web origin such as https://app.example.org',
  'proxy-address': 'must be an IP address, a CIDR range, or loopback, linklocal or uniquelocal',
};

function explain(error: ErrorObject, settings: ReadonlyMap<string, Setting>): string {
  const params = error.params as Readonly<Record<string, unknown>>;
  if (error.keyword === 'additionalProperties') {
    const name = String(params['additionalProperty']);
    return `/${name} is no setting (${settings.get(name)?.source ?? usualFile}). See schema/config.json for those there are.`;
  }
  const name = error.instancePath.split('/')[1] ?? '';
  const allowed =
    error.keyword === 'enum' ? `must be one of ${(params['allowedValues'] as string[]).join(', ')}` : undefined;
  const meaning = allowed ?? meanings[String(params['format'])] ?? error.message ?? 'is wrong';
  const { value, source } = settings.get(name) ?? { value: undefined, source: 'default' };
  const shown = name.endsWith('_secret') ? 'something else' : JSON.stringify(value);
  return `${error.instancePath} ${meaning}, and is ${shown} (${source}).`;
}

function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, search, hash, username } = new URL(text);
  return /^https?:$/.test(protocol) && search === '' && hash === '' && username === '';
}

function isWebOrigin(text: string): boolean {
  return isWebAddress(text) && new URL(text).origin === text;
}

function isProxyAddress(text: string): boolean {
  if (/^(?:loopback|linklocal|uniquelocal)$/.test(text)) return true;
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
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
    throw new ConfigError('/oidc_issuer must be an https address, or one of this machine.');
  }
  return { issuer, clientId, clientSecret, name: read('oidc_name') ?? new URL(issuer).hostname };
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
    git: values['git'],
    logLevel: values['log_level'],
    validateResponses: values['validate_responses'],
    upstream: toUpstream(values),
  } as Config;
  for (const value of Object.values(config)) Object.freeze(value);
  return Object.freeze(config);
}
