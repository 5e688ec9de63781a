import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { formatTime } from '../domain/clock.js';
import { dropTrailing } from '../domain/drop-trailing.js';
import type { RequestObserver } from '../http/exchange.js';
import type { Metrics } from '../metrics/metrics.js';
import type { MetricsPort } from '../metrics/serve-metrics.js';
import type { Build } from '../api/rest/rest-dependencies.js';
import type { RestServer } from '../api/rest/server.js';
import type { SignIn } from '../signin/sign-in.js';
import type { ServerFacts } from '../commands/command.js';
import { listenForCommands } from '../commands/carrier/listen-on-socket.js';
import { openService } from './open-service.js';
import { logChecks } from './check-start.js';
import { readBuild } from './read-build.js';
import { systemClock, writeOut } from './real-world.js';
import type { Service } from './service.js';

/** The service with its faces open. */
export interface Opened {
  /** Its address: the public one, if one is configured. */
  readonly url: string;
  readonly service: Service;
}

export interface RunningService extends Opened {
  /** Where its metrics are; null where they are not served. */
  readonly metricsUrl: string | null;
  /**
   * Stops gracefully: no new connections, and all writes go into the repository. Requests in progress are finished or,
   * after `within` milliseconds, cut off.
   */
  close(within?: number): Promise<void>;
}

type Observer = RequestObserver | undefined;

/** The metrics cannot be served where they should be. */
export class MetricsUnserved extends Error {
  override readonly name = 'MetricsUnserved';
  /** Where. */
  readonly address: string;
  /** The system's. */
  readonly code: string | undefined;

  constructor(address: string, cause: unknown) {
    super(`The metrics cannot be served at ${address}.`, { cause });
    this.address = address;
    this.code = (cause as NodeJS.ErrnoException).code;
  }
}

/** Milliseconds for requests in progress when the service stops. The rest of ten seconds is for the disk. */
const timeout = 7000;

export interface ServingOptions {
  /** Tried in order until one is free. Left out: the configured one. */
  readonly ports?: readonly number[];
  /** Whether it ends with the one client for which it was started. */
  readonly isTemporary?: boolean;
  /** Runs once it answers, and before the log says that it is up. */
  readonly prepare?: (opened: Opened) => Promise<void>;
}

/**
 * Opens the data folder and all faces. Resolves when it answers.
 * @throws DataFolderInUse; Error with the system's code (`EADDRINUSE`, `EACCES`) when it cannot listen on the address
 */
export async function startService(
  config: Omit<Config, 'data'> & { readonly data: string | null },
  log: Logger,
  { ports = [config.port], isTemporary = false, prepare }: ServingOptions = {},
): Promise<RunningService> {
  const onFault = (what: string, cause: unknown): void => log.error({ err: cause }, what);
  const build = readBuild();
  const metrics = config.metrics === null ? undefined : await makeMetrics(build);
  let isOpening = true;
  const onNews = (what: string, figures: Readonly<Record<string, unknown>>): void => {
    log.info(figures, what);
    // An upgrade goes on in steps of SQLite, and the log would have its lines only at the end.
    if (isOpening) writeOut(log);
  };
  // Loaded only where there is a copy.
  const copies = config.follow === null ? undefined : await import('./open-follower.js');
  const follower = copies?.openCopies(config, { onFault, onNews, observer: metrics?.work.onObjectRequest });
  const service = await openService(config, onFault, onNews, log, metrics?.work, follower);
  isOpening = false;
  const observer = metrics?.requests;
  const opened: (() => Promise<void>)[] = [];
  try {
    if (follower !== undefined) {
      opened.push(() => follower.stop());
      await copies?.startFollower(follower, service, config.follow?.address ?? '');
    }
    const metricsPort = metrics === undefined ? undefined : await openMetricsPort(metrics, service, config, log);
    if (metricsPort !== undefined) opened.push(() => metricsPort.close(0));
    // Loaded before a request can need it.
    const { mountMcp } = await import('../mcp/mount-mcp.js');
    const server = await listenOnFirst(ports, service, config, { log, build, observer });
    opened.push(() => server.close(0));
    const url = config.publicUrl ?? urlOf(config.host, server.port);
    const signIn = await mountSignIn(server, service, config, { log, url, observer });
    opened.push(() => signIn.close());
    const { mountConsole } = await import('../console/mount-console.js');
    const { readSession, endSession } = signIn;
    const { later, addressOf } = server;
    const { validateResponses } = config;
    server.mount(
      mountConsole(service, { url, log, later, addressOf, observer, readSession, endSession, validateResponses }),
    );
    const { mountManual } = await import('../manual/mount-manual.js');
    server.mount(mountManual({ log, addressOf, observer, randomness: service.randomness }));
    const { openOAuth } = await import('../signin/oauth/open-oauth.js');
    const oauth = await openOAuth(service, signIn, { publicUrl: url, log, addressOf, observer });
    opened.push(async () => oauth.close());
    server.mount(oauth);
    const { corsOrigins } = config;
    const { readAccessToken } = oauth;
    const { version } = build;
    server.mount(
      mountMcp(service, { version, log, publicUrl: url, corsOrigins, later, addressOf, observer, readAccessToken }),
    );
    const { mountRemote } = await import('../remote/mount-git.js');
    server.mount(mountRemote(service, { log, later, addressOf, observer }));
    const started = formatTime(service.clock.now());
    const metricsUrl = metricsPort?.url ?? null;
    const facts: ServerFacts = {
      url,
      metrics: metricsUrl,
      pid: process.pid,
      version,
      started_at: started,
      is_temporary: isTemporary,
    };
    const { dataFolder } = service;
    const commands =
      dataFolder === null ? undefined : await listenForCommands({ dataFolder, host: service, server: facts, onFault });
    await service.startSchedules();
    await logChecks(service, config, log);
    await prepare?.({ service, url });
    log.info(
      {
        version,
        data: dataFolder,
        url,
        ...(metricsUrl && { metrics: metricsUrl }),
        workspaces: service.names().length,
        pid: process.pid,
      },
      'The service is up',
    );
    // What a command prints about the start comes behind it, also where both go into one file.
    writeOut(log);
    return {
      url,
      service,
      metricsUrl,
      async close(within = timeout) {
        log.info({}, 'The service stops: requests under way are finished');
        oauth.close();
        service.endWatches();
        await Promise.all([server.close(within), commands?.close(), service.stopSchedules()]);
        await metricsPort?.close(0);
        await signIn.close();
        await follower?.stop();
        await service.close();
        log.info({}, 'The service has stopped');
      },
    };
  } catch (error) {
    for (const close of opened) await close();
    await service.close();
    throw error;
  }
}

/** Loaded only where metrics are served. */
async function makeMetrics(build: Build): Promise<Metrics> {
  const { Metrics } = await import('../metrics/metrics.js');
  return new Metrics(build, systemClock);
}

/** @throws MetricsUnserved */
async function openMetricsPort(
  metrics: Metrics,
  service: Service,
  { metrics: address }: Pick<Config, 'metrics'>,
  log: Logger,
): Promise<MetricsPort | undefined> {
  if (address === null) return undefined;
  const { serveMetrics } = await import('../metrics/serve-metrics.js');
  try {
    return await serveMetrics(metrics, service, { ...address, log });
  } catch (error) {
    throw new MetricsUnserved(`${address.host}:${address.port}`, error);
  }
}

async function listenOnFirst(
  ports: readonly number[],
  service: Service,
  config: Omit<Config, 'data'>,
  { log, build, observer }: { readonly log: Logger; readonly build: Build; readonly observer: Observer },
): Promise<RestServer> {
  // Loaded only for serving: it is large, and commands should be quick.
  const { startServer } = await import('../api/rest/server.js');
  const { host, trustProxy, corsOrigins, validateResponses, publicUrl } = config;
  const base = publicUrl === null ? '' : dropTrailing(new URL(publicUrl).pathname, '/');
  for (const [index, port] of ports.entries()) {
    try {
      return await startServer(service, {
        host,
        port,
        publicUrl,
        build,
        log,
        observer,
        trustProxy,
        corsOrigins,
        validateResponses,
        base,
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || index === ports.length - 1) throw error;
    }
  }
  throw new Error('No port was given.');
}

async function mountSignIn(
  server: RestServer,
  service: Service,
  { upstream }: Omit<Config, 'data'>,
  { log, url, observer }: { readonly log: Logger; readonly url: string; readonly observer: Observer },
): Promise<SignIn> {
  const { createSignIn } = await import('../signin/sign-in.js');
  const { Upstream } = await import('../signin/upstream.js');
  const provider = upstream === null ? undefined : new Upstream(upstream, service.randomness);
  const signIn = await createSignIn(service, { url, log, addressOf: server.addressOf, observer, upstream: provider });
  server.mount(signIn);
  return signIn;
}

/** An address that a client on this machine can use. */
export function urlOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
