import { IncomingMessage, type IncomingHttpHeaders } from 'node:http';
import { findIllFormed } from '../../domain/well-formed.js';
import { oauthPaths } from './configure.js';
import { completeClient, type ClientMetadata } from './native-client.js';
import { canonicalResource, oauthScopes } from './resource.js';

/** The body is longer than anything that is expected here. */
export class BodyTooLong extends Error {
  override readonly name = 'BodyTooLong';
}

/** A registration holds text that is no Unicode. */
export class BadMetadata extends Error {
  override readonly name = 'BadMetadata';
}

const longestBody = 56 * 1024;

/** @throws BodyTooLong */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > longestBody) throw new BodyTooLong();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Where the service is found. */
export interface WebAddress {
  /** Without a slash at the end. */
  readonly publicUrl: string;
  /** Its path alone; '' where it has none. */
  readonly base: string;
}

/**
 * The request as oidc-provider is to see it: under the configured public address, whatever the client or a proxy says;
 * with the resource in its canonical form, and a registration that says what kind of client it is. Nothing of an
 * earlier sign-in comes along: each begins anew, from the service's own browser session.
 * @throws BodyTooLong, BadMetadata
 */
export async function rewriteRequest(
  request: IncomingMessage,
  { publicUrl, base }: WebAddress,
): Promise<IncomingMessage> {
  const { protocol, host } = new URL(publicUrl);
  const [path, query] = splitOnce(request.url ?? '/');
  const isForm = request.method === 'POST' && path !== oauthPaths.registration;
  const sent = request.method === 'POST' ? await readBody(request) : Buffer.alloc(0);
  const body = isForm
    ? Buffer.from(rewriteParameters(sent.toString(), publicUrl))
    : path === oauthPaths.registration
      ? rewriteRegistration(sent)
      : sent;
  const rewritten = new IncomingMessage(request.socket);
  rewritten.method = request.method ?? 'GET';
  rewritten.url = query === undefined ? path : `${path}?${rewriteParameters(query, publicUrl)}`;
  // Read as Express leaves it: what comes before `url` in it is where the provider is mounted.
  Object.assign(rewritten, { originalUrl: `${base}${rewritten.url}` });
  rewritten.httpVersion = '1.1';
  rewritten.httpVersionMajor = 1;
  rewritten.httpVersionMinor = 1;
  const headers: IncomingHttpHeaders = { ...request.headers, host, 'x-forwarded-proto': protocol.slice(0, -1) };
  if (headers.cookie !== undefined) headers.cookie = forgetSession(headers.cookie);
  delete headers['x-forwarded-host'];
  delete headers['transfer-encoding'];
  delete headers['content-length'];
  if (request.method === 'POST') headers['content-length'] = String(body.length);
  rewritten.headers = headers;
  // Else its end would be taken for a connection that broke off.
  rewritten.complete = true;
  if (body.length > 0) rewritten.push(body);
  rewritten.push(null);
  return rewritten;
}

/** Leaves out what a sign-in that is done left behind. */
function forgetSession(cookies: string): string {
  const others = cookies.split('; ').filter((each) => !/^(?:__Host-)?cartulary_oauth(?:\.sig)?=/.test(each));
  return others.join('; ');
}

function splitOnce(target: string): [string, string | undefined] {
  const mark = target.indexOf('?');
  return mark === -1 ? [target, undefined] : [target.slice(0, mark), target.slice(mark + 1)];
}

function rewriteParameters(text: string, publicUrl: string): string {
  const parameters = new URLSearchParams(text);
  const resources = new Set(parameters.getAll('resource').map((each) => canonicalResource(each, publicUrl)));
  const isOther = parameters.has('response_mode') && parameters.get('response_mode') !== 'query';
  if (resources.size === 0 && !isOther) return text;
  parameters.delete('resource');
  for (const resource of resources) parameters.append('resource', resource);
  // Codes come in the query, as the metadata says; no page with a form that sends itself is ever made.
  if (isOther) parameters.delete('response_mode');
  return parameters.toString();
}

/** What is no JSON is left to the provider, which refuses it. @throws BadMetadata */
function rewriteRegistration(body: Buffer): Buffer {
  const metadata = parseMetadata(body);
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return body;
  const field = findIllFormed(metadata);
  if (field !== undefined) throw new BadMetadata(`The member ${field.toWellFormed()} is no Unicode text.`);
  return Buffer.from(JSON.stringify(keepKnownScopes(completeClient(metadata as ClientMetadata))));
}

function parseMetadata(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

const knownScopes = ['openid', 'offline_access', ...oauthScopes];

/** A registration that names scopes of other services gets those that there are (RFC 7591 §2 lets the server choose). */
function keepKnownScopes(metadata: ClientMetadata): ClientMetadata {
  const { scope, ...rest } = metadata;
  if (typeof scope !== 'string') return metadata;
  const known = scope.split(' ').filter((each) => knownScopes.includes(each));
  return known.some((each) => oauthScopes.some((own) => own === each)) ? { ...rest, scope: known.join(' ') } : rest;
}
