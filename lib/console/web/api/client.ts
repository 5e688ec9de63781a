import createClient, { type Client } from 'openapi-fetch';
import { base } from '../navigation/addresses.ts';
import { noteAnswer } from './connection.ts';
import type { paths } from './described.d.ts';
import { Problem, problemOf } from './problem.ts';

/** Tells the service that a request comes from a page of the console: no other site's page can set it. */
const ownHeader = { 'X-Cartulary-Console': '1' };

/** Fetches, and notes whether the service could be reached. @throws Problem UNREACHABLE */
async function fetchFromService(asked: Request): Promise<Response> {
  try {
    const response = await fetch(asked);
    noteAnswer(response.status);
    return response;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    noteAnswer(undefined);
    throw new Problem('UNREACHABLE', 'The service could not be reached.');
  }
}

const clients = new Map<string, Client<paths>>();

/** The address of a workspace's API. For links to raw content, downloads and streams. */
export function apiAddress(workspace: string, path = ''): string {
  return `${base}/console/api/workspaces/${encodeURIComponent(workspace)}${path}`;
}

/** The typed client for one workspace: `apiOf('acme').GET('/folders', …)`. */
export function apiOf(workspace: string): Client<paths> {
  const known = clients.get(workspace);
  if (known !== undefined) return known;
  const client = createClient<paths>({
    baseUrl: apiAddress(workspace),
    headers: ownHeader,
    fetch: fetchFromService,
    credentials: 'same-origin',
  });
  clients.set(workspace, client);
  return client;
}

interface Answered<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** The data of a successful answer. @throws Problem for every other one */
export async function dataOf<Data>(answer: Promise<Answered<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await answer;
  if (!response.ok) throw problemOf(response, error);
  return data as NonNullable<Data>;
}

/** The data and the ETag of a successful answer. @throws Problem */
export async function versionedDataOf<Data>(
  answer: Promise<Answered<Data>>,
): Promise<{ data: NonNullable<Data>; etag: string }> {
  const { data, error, response } = await answer;
  if (!response.ok) throw problemOf(response, error);
  return { data: data as NonNullable<Data>, etag: response.headers.get('ETag') ?? '' };
}

/** A request outside of the typed client: raw bytes, or the session. @throws Problem */
export async function request(address: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  for (const [name, value] of Object.entries(ownHeader)) headers.set(name, value);
  const response = await fetchFromService(new Request(address, { credentials: 'same-origin', ...init, headers }));
  if (response.ok) return response;
  throw problemOf(response, await response.json().catch(() => undefined));
}

/** A new Idempotency-Key. Make one for each thing a person does, and send it with each retry of it. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
