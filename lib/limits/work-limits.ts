import { totalmem } from 'node:os';
import type { Caller } from '../domain/caller.js';
import { WorkLimiter, type WorkLimit } from './work-limiter.js';

/** The kinds of work limited while under way. */
export type WorkKind =
  | 'requests'
  | 'bodies'
  | 'uploads'
  | 'computations'
  | 'lineSearches'
  | 'downloads'
  | 'exports'
  | 'clones'
  | 'pushes'
  | 'pushMemory'
  | 'derivations'
  | 'streams'
  | 'listeners'
  | 'workspaceListeners'
  | 'feeds'
  | 'catchUps'
  | 'hooks'
  | 'probes';

const mebibyte = 1024 * 1024;
const tenSeconds = 10_000;

/** Bytes of memory that this process and its children may have, as far as the system says so. */
const memoryHere = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/**
 * Limits of work under way, for one credential and for all together. The limits in all are several times those of one
 * credential, so one credential's work takes no room from another.
 */
export const defaultWorkLimits: Readonly<Record<WorkKind, WorkLimit>> = {
  /** Requests of any kind. Refused at once: a client with so many open can wait for one of them. */
  requests: { perSource: 100, inAll: 4000, waiting: 0, timeout: 0 },
  /** Bytes of request bodies in memory, beyond the first kilobytes of each. */
  bodies: { perSource: 64 * mebibyte, inAll: 256 * mebibyte, waiting: 50, timeout: tenSeconds },
  /** Raw bodies, stored as they come. */
  uploads: { perSource: 8, inAll: 64, waiting: 50, timeout: tenSeconds },
  /** Searches, diffs, briefs, previews: work of more than some milliseconds of processor time. */
  computations: { perSource: 4, inAll: 32, waiting: 96, timeout: 3 * tenSeconds },
  /**
   * Searches for lines: all of the service share one thread, which takes a second for each page. Those of one key wait
   * for each other before they wait for it, so keys come in turn.
   */
  lineSearches: { perSource: 1, inAll: 8, waiting: 3, timeout: tenSeconds },
  /** Contents over 1 MiB on their way out: each holds a file or a git process open. */
  downloads: { perSource: 4, inAll: 32, waiting: 50, timeout: tenSeconds },
  exports: { perSource: 2, inAll: 16, waiting: 8, timeout: tenSeconds },
  /** Clones and fetches by git: each holds processes of git. One source is a principal. */
  clones: { perSource: 8, inAll: 24, waiting: 64, timeout: 45_000 },
  /** Pushes by git that come in, each with a folder for what it sends. One source is a principal. */
  pushes: { perSource: 2, inAll: 8, waiting: 16, timeout: 3 * tenSeconds },
  /**
   * Bytes that the gits of these pushes may take together: each is bounded, and their sum is half of the memory that is
   * here. A push that may take more comes in alone. How many one principal has is bounded by `pushes`.
   */
  pushMemory: { perSource: memoryHere / 2, inAll: memoryHere / 2, waiting: 16, timeout: 3 * tenSeconds },
  /** Derived repositories being made, each by a worker with a git process. One source is a repository. */
  derivations: { perSource: 1, inAll: 2, waiting: 8, timeout: 60 * tenSeconds },
  /** Live streams of pages that people look at. Without one, a page asks again and again. */
  streams: { perSource: 12, inAll: 600, waiting: 0, timeout: 0 },
  /**
   * Callers who wait for changes of the feed. They hold no place among the requests. One source is a principal, or what
   * it hears by MCP.
   */
  listeners: { perSource: 250, inAll: 2000, waiting: 0, timeout: 0 },
  /** The same, and one source is a workspace. */
  workspaceListeners: { perSource: 1500, inAll: 2000, waiting: 0, timeout: 0 },
  /** Pages of the feed being read. All listeners of a principal, the source, may want one at the same moment. */
  feeds: { perSource: 4, inAll: 32, waiting: 300, timeout: 3 * tenSeconds },
  /**
   * Streams of the feed that are behind, from their second page until they are current. One source is a principal. A
   * stream without room waits by itself, so nothing waits here.
   */
  catchUps: { perSource: 4, inAll: 32, waiting: 0, timeout: 0 },
  /** Webhooks of sources, whose senders are known only at their end. One source is an address. */
  hooks: { perSource: 8, inAll: 64, waiting: 0, timeout: 0 },
  /** Tests of connections to sources: each waits for a foreign server. */
  probes: { perSource: 2, inAll: 16, waiting: 4, timeout: tenSeconds },
};

/** The limiters of a service, shared by its workspaces and faces. */
export type WorkLimits = Readonly<Record<WorkKind, WorkLimiter>>;

export function makeWorkLimits(changed: Partial<Record<WorkKind, Partial<WorkLimit>>> = {}): WorkLimits {
  const make = (kind: WorkKind): WorkLimiter => new WorkLimiter({ ...defaultWorkLimits[kind], ...changed[kind] });
  return {
    requests: make('requests'),
    bodies: make('bodies'),
    uploads: make('uploads'),
    computations: make('computations'),
    lineSearches: make('lineSearches'),
    downloads: make('downloads'),
    exports: make('exports'),
    clones: make('clones'),
    pushes: make('pushes'),
    pushMemory: make('pushMemory'),
    derivations: make('derivations'),
    streams: make('streams'),
    listeners: make('listeners'),
    workspaceListeners: make('workspaceListeners'),
    feeds: make('feeds'),
    catchUps: make('catchUps'),
    hooks: make('hooks'),
    probes: make('probes'),
  };
}

/** The source whose limits apply to a caller's work. */
export function sourceOf(workspace: string, { countedAs, credentialId, principalId }: Caller): string {
  return `${workspace}/${countedAs ?? credentialId ?? principalId}`;
}

/** As `sourceOf`, for limits that several keys of one principal share. */
export function principalSourceOf(workspace: string, { principalId }: Caller): string {
  return `${workspace}/${principalId}`;
}
