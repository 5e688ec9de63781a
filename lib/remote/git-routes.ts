import { invalidRequest } from '../domain/refusal.js';
import type { RemoteAnswer, RemoteRequest, RemoteService } from './remote-request.js';
import { UnservedRequest } from './unserved-request.js';
import { receivePack } from './receive-push.js';
import { uploadPack } from './serve-fetch.js';

/** The services of git, by the names that clients ask for. */
const services: ReadonlyMap<string, RemoteService> = new Map([
  ['git-upload-pack', uploadPack],
  ['git-receive-pack', receivePack],
]);

/** A request's place in the table. */
export interface FoundRoute {
  /** The name in the address. It decides nothing by itself. */
  readonly workspace: string;
  /** For the log. */
  readonly route: string;
  answer(asked: RemoteRequest): Promise<RemoteAnswer>;
}

/** Of the only query there is. */
const maxQueryLength = 200;
const prefix = '/git/';
const refs = '/info/refs';

/** Whether a path belongs to this face. */
export function isRemotePath(path: string): boolean {
  return path === '/git' || path.startsWith(prefix);
}

/** The route for the log: the path in the table, never the client's text; null where there is none. */
export function findLoggedRoute(url: string): string | null {
  const { below } = splitPath(url);
  if (below === refs) return `${prefix}{workspace}${refs}`;
  return services.has(below.slice(1)) ? `${prefix}{workspace}${below}` : null;
}

/**
 * Finds what answers a request. It depends on the request alone.
 * @throws UnservedRequest with a sentence that git shows; Refusal INVALID_REQUEST
 */
export function findRoute(method: string, url: string): FoundRoute {
  const { workspace, below, query } = splitPath(url);
  const route = findLoggedRoute(url) ?? '';
  if (below === refs) {
    requireMethod(method, 'GET');
    const service = findService(query);
    return { workspace, route, answer: (asked) => service.advertise(asked) };
  }
  const service = services.get(below.slice(1));
  if (service === undefined) throw findUnserved(below);
  requireMethod(method, 'POST');
  return { workspace, route, answer: (asked) => service.serve(asked) };
}

/** @throws UnservedRequest for the dumb protocol, and for a service that is not there */
function findService(query: string): RemoteService {
  if (query.length > maxQueryLength) throw invalidRequest('bad_field', 'The query is too long.');
  const name = new URLSearchParams(query).get('service');
  if (name === null) throw new UnservedRequest(dumb);
  const service = services.get(name);
  if (service !== undefined) return service;
  throw new UnservedRequest(name === 'git-upload-archive' ? archive : unknown);
}

function findUnserved(below: string): UnservedRequest {
  if (below === '' || below === '/') return new UnservedRequest(address);
  if (below === '/git-upload-archive') return new UnservedRequest(archive);
  if (below.startsWith('/info/lfs/')) return new UnservedRequest(lfs, { isOfLfs: true });
  const isFile = below === '/HEAD' || below.startsWith('/objects/') || below.startsWith('/info/');
  return new UnservedRequest(isFile ? dumb : unknown);
}

const dumb =
  'This repository is served by the smart HTTP protocol alone. Use git 1.6.6 or newer, without GIT_SMART_HTTP=0.';
const archive = 'Archives are not served by git. Clone the repository, and run git archive there.';
const address = 'This address is for git: git clone https://HOST/git/WORKSPACE';
const lfs = 'Git LFS is not served here. Commit the files themselves: git lfs migrate export --include="*" main';
const unknown = 'Nothing is served here. The address of a repository is /git/WORKSPACE, for git clone, fetch and push.';

function requireMethod(method: string, allowed: string): void {
  if (method !== allowed) throw new UnservedRequest(`Only ${allowed} can be used here.`, { allowed });
}

function splitPath(url: string): { readonly workspace: string; readonly below: string; readonly query: string } {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const slash = path.indexOf('/', prefix.length);
  const name = slash === -1 ? path.slice(prefix.length) : path.slice(prefix.length, slash);
  return {
    // People are used to it from elsewhere, and no name of a workspace has a full stop.
    workspace: name.endsWith('.git') ? name.slice(0, -'.git'.length) : name,
    below: slash === -1 ? '' : path.slice(slash),
    query: mark === -1 ? '' : url.slice(mark + 1),
  };
}
