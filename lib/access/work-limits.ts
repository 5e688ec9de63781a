import type { Caller } from '../domain/caller.js';
import { WorkLimiter, type WorkLimit } from './work-limiter.js';

/** The kinds of work that are limited while they are under way. */
export type WorkKind = 'requests' | 'bodies' | 'uploads' | 'computations' | 'downloads' | 'exports';

const mebibyte = 1024 * 1024;
const tenSeconds = 10_000;

/**
 * What one credential, and all together, may have under way. The limits in all are several times those of one
 * credential: what one has under way takes no room from another.
 */
export const defaultWorkLimits: Readonly<Record<WorkKind, WorkLimit>> = {
  /** Requests of any kind. Refused at once: a client that has so many open can wait for one of them. */
  requests: { perSource: 100, inAll: 4000, waiting: 0, timeout: 0 },
  /** Bytes of request bodies that are held in memory, beyond the first kilobytes of each. */
  bodies: { perSource: 64 * mebibyte, inAll: 256 * mebibyte, waiting: 50, timeout: tenSeconds },
  /** Raw bodies that are stored as they come. */
  uploads: { perSource: 8, inAll: 64, waiting: 50, timeout: tenSeconds },
  /** Searches, diffs, briefs, previews: what takes more than some milliseconds of processor time. */
  computations: { perSource: 4, inAll: 32, waiting: 96, timeout: 3 * tenSeconds },
  /** Contents over 1 MiB on their way out: each holds a file or a git process open. */
  downloads: { perSource: 4, inAll: 32, waiting: 50, timeout: tenSeconds },
  exports: { perSource: 2, inAll: 16, waiting: 8, timeout: tenSeconds },
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
    downloads: make('downloads'),
    exports: make('exports'),
  };
}

/** Whose limits a caller's work counts towards. */
export function sourceOf(workspace: string, { countedAs, credentialId, principalId }: Caller): string {
  return `${workspace}/${countedAs ?? credentialId ?? principalId}`;
}
