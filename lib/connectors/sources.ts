import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { Clock, Randomness } from '../domain/clock.js';
import { connectorKinds, type ConnectorKind, type RunOutcome } from '../domain/connector.js';
import { describeError } from '../domain/describe-error.js';
import { describeRule } from '../domain/describe-rule.js';
import type { Log } from '../domain/log.js';
import { invalidRequest, type Refusal } from '../domain/refusal.js';
import { EgressFault } from '../egress/egress-fault.js';
import type { Connection, ConnectionTest, ConnectorSources, DescribedKind } from '../workspace/connector-schedule.js';
import { asSourceFault } from './as-source-fault.js';
import { sourceKinds, type SourceKinds } from './kinds.js';
import { scrubberOf } from './scrub.js';
import { untilAborted } from './sync/until-aborted.js';
import type { Allowance, Source, SourceKind } from './source.js';

/** What the service gives its connectors. */
export interface ConnectorMeans {
  readonly allowance: Allowance;
  readonly log: Log;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** The service's own data; null in memory. */
  readonly dataFolder: string | null;
  /** Milliseconds for a test of a connection. Left out: the usual ones. */
  readonly testTimeout?: number;
  /** Called when a run has ended. Left out: runs are not counted. */
  readonly onRun?: ((kind: ConnectorKind, outcome: RunOutcome) => void) | undefined;
  /** Left out: those of this release. */
  readonly kinds?: SourceKinds;
}

/** Nothing but public addresses. */
export const noAllowance: Allowance = { hosts: [], folders: [], programs: {} };

/** Milliseconds. A person waits for a test. */
const usualTimeout = 30_000;
/** A test lists little. */
const testEntries = 1000;

/** Answers what operations ask about sources. */
export function makeSources(means: ConnectorMeans): ConnectorSources {
  const { kinds = sourceKinds, testTimeout = usualTimeout } = means;
  const validators = new Map<ConnectorKind, ValidateFunction>();

  async function load(kind: ConnectorKind): Promise<SourceKind> {
    const loader = kinds[kind];
    if (loader === undefined) throw badSettings('kind', `This service cannot mirror sources of the kind ${kind}.`);
    return loader();
  }

  async function validatorOf(kind: ConnectorKind, { settingsSchema }: SourceKind): Promise<ValidateFunction> {
    const known = validators.get(kind);
    if (known !== undefined) return known;
    // Loaded when a source is connected, so that commands start quickly.
    const { Ajv2020 } = await import('ajv/dist/2020.js');
    const compiled = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false }).compile(
      settingsSchema,
    );
    validators.set(kind, compiled);
    return compiled;
  }

  return {
    async kinds() {
      const available = connectorKinds.filter((kind) => kinds[kind] !== undefined);
      return Promise.all(
        available.map(async (kind): Promise<DescribedKind> => {
          const { settingsSchema, secretMeans } = await load(kind);
          return { kind, settingsSchema, secretMeans };
        }),
      );
    },

    async check({ kind, settings, secret }) {
      refuseSecretsIn(settings);
      const loaded = await load(kind);
      const validate = await validatorOf(kind, loaded);
      if (!validate(settings)) throw asBadSettings(validate.errors?.[0]);
      if (secret !== null && loaded.secretMeans === null) {
        throw badSettings('secret', `A source of the kind ${kind} takes no secret. Leave it out.`);
      }
    },

    async describe({ kind, settings }) {
      try {
        return (await load(kind)).describe(settings);
      } catch {
        return kind;
      }
    },

    async test({ kind, settings, secret }) {
      const cacheFolder = join(tmpdir(), `cartulary-test-${Buffer.from(means.randomness.bytes(8)).toString('hex')}`);
      await mkdir(cacheFolder, { mode: 0o700 });
      const { allowance, clock, log, randomness, dataFolder } = means;
      const signal = AbortSignal.timeout(testTimeout);
      try {
        const loaded = await load(kind);
        const opening = loaded.open(settings, secret, {
          allowance,
          clock,
          randomness,
          log,
          dataFolder,
          cacheFolder,
          memory: { read: () => null, write: () => Promise.resolve() },
          maxEntries: testEntries,
        });
        const opened = await openWithin(opening, signal);
        return { works: true, found: scrubberOf(secret)(await checkAndClose(opened, signal)) };
      } catch (error) {
        if (!(error instanceof EgressFault)) {
          log.error({ kind, cause: scrubberOf(secret)(describeError(error)) }, 'A test of a source failed by itself');
        }
        const { fault, message } = asSourceFault(error, secret);
        return { works: false, fault, message } satisfies ConnectionTest;
      } finally {
        await rm(cacheFolder, { recursive: true, force: true });
      }
    },
  };
}

/** A source that opens too late is closed then. */
async function openWithin(opening: Promise<Source>, signal: AbortSignal): Promise<Source> {
  try {
    return await untilAborted(signal, opening);
  } catch (error) {
    if (signal.aborted) opening.then((source) => source.close()).catch(() => undefined);
    throw error;
  }
}

async function checkAndClose(source: Source, signal: AbortSignal): Promise<string> {
  try {
    return await untilAborted(signal, source.check(signal));
  } finally {
    await source.close();
  }
}

function badSettings(field: string, message: string): Refusal {
  return invalidRequest('bad_settings', message, { field: shorten(field) });
}

function asBadSettings(error: ErrorObject | undefined): Refusal {
  const { instancePath = '', keyword, params, message = 'is not as it must be' } = error ?? {};
  const names = params as { readonly missingProperty?: string; readonly additionalProperty?: string } | undefined;
  const path = instancePath.slice(1).replaceAll('/', '.');
  const below = (name: string): string => (path === '' ? name : `${path}.${name}`);
  if (keyword === 'required' && names?.missingProperty !== undefined) {
    const field = below(names.missingProperty);
    return badSettings(field, `The setting "${field}" is missing.`);
  }
  if (names?.additionalProperty !== undefined) {
    const field = shorten(below(names.additionalProperty));
    return badSettings(field, `There is no setting "${field}" for this kind.`);
  }
  const field = path === '' ? 'settings' : shorten(path);
  return badSettings(field, `The setting "${field}" ${describeRule(message)}.`);
}

/** Characters of a setting's name in a message. */
const maxFieldLength = 100;
const shorten = (field: string): string => field.slice(0, maxFieldLength).toWellFormed();

/**
 * A secret in a setting would be shown and logged. The message does not repeat it.
 * @throws Refusal INVALID_REQUEST `bad_settings`
 */
function refuseSecretsIn(settings: Connection['settings']): void {
  for (const [field, value] of textsIn(settings)) {
    if (!holdsSecret(field, value)) continue;
    const remedy = 'Settings are shown to others. Take it out of the address, and give it as the secret.';
    throw badSettings(field, `The address in "${shorten(field)}" holds a name, password or token. ${remedy}`);
  }
}

/** The texts in settings with their names, also in the settings of an outside program and in lists. */
function textsIn(settings: Connection['settings']): [string, string][] {
  return Object.entries(settings).flatMap(([name, value]): [string, string][] => {
    const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [['', value] as const];
    return inner.flatMap(([below, each]): [string, string][] => {
      const field = below === '' ? name : `${name}.${below}`;
      const texts: unknown[] = Array.isArray(each) ? each : [each];
      return texts.filter((text) => typeof text === 'string').map((text) => [field, text]);
    });
  });
}

/**
 * Names in an address, and what comes after a question mark, are often tokens. Only ssh has an account there. An outside
 * program may need other things after the question mark.
 */
function holdsSecret(field: string, address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password, search, searchParams } = new URL(address);
  if (password !== '' || (username !== '' && protocol !== 'ssh:')) return true;
  if (!field.includes('.')) return search !== '' && ['http:', 'https:', 'ssh:'].includes(protocol);
  return [...searchParams.keys()].some((name) => /token|secret|passw|key|auth|sig|cred/i.test(name));
}
