import { IncomingMessage, type IncomingHttpHeaders } from 'node:http';
import { findFaultOfShape } from '../../http/json-shape.js';
import { parseForm } from '../../http/read-body.js';
import { keepOwnCookies } from '../cookies.js';
import { readMetadata, RefusedMetadata, type ClientMetadata } from './client-metadata.js';
import { canonicalResource, oauthScopes } from './resource.js';
import { oauthPaths, type FoundRoute } from './oauth-routes.js';

/** Where the service is found. */
export interface WebAddress {
  /** Without a slash at the end. */
  readonly publicUrl: string;
  /** Its path alone; '' where it has none. */
  readonly base: string;
}

/** Headers for oidc-provider and the consent page. They see no others. */
const passedOn = [
  'authorization',
  'content-type',
  'origin',
  'sec-fetch-site',
  'access-control-request-method',
  'access-control-request-headers',
] as const;

/**
 * The request for oidc-provider. It has the configured public address, in place of any address from the client or a
 * proxy. It holds only known parameters and headers, the resource in its canonical form, and a registration with the
 * kind of its client. Nothing of an earlier sign-in comes along: each starts from the service's own browser session.
 * @param request within the bounds of its route
 * @param sent its body
 * @throws ExcessiveBody for a form of too many fields; RefusedMetadata
 */
export function rewriteRequest(
  request: IncomingMessage,
  sent: Buffer,
  { route, path }: FoundRoute,
  { publicUrl, base }: WebAddress,
): IncomingMessage {
  const { protocol, host } = new URL(publicUrl);
  const isPost = request.method === 'POST';
  const body = path === oauthPaths.registration ? rewriteRegistration(sent) : rewriteForm(sent, route, publicUrl);
  const rewritten = new IncomingMessage(request.socket);
  rewritten.method = request.method ?? 'GET';
  const query = path === oauthPaths.authorization ? rewriteQuery(request.url ?? '', publicUrl) : undefined;
  rewritten.url = query === undefined ? path : `${path}?${query.toString()}`;
  // As left by Express: the part before `url` is the mount path of the provider.
  Object.assign(rewritten, { originalUrl: `${base}${rewritten.url}` });
  rewritten.httpVersion = '1.1';
  rewritten.httpVersionMajor = 1;
  rewritten.httpVersionMinor = 1;
  const headers: IncomingHttpHeaders = { host, 'x-forwarded-proto': protocol.slice(0, -1) };
  for (const name of passedOn) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  const cookie = forgetSession(keepOwnCookies(request.headers.cookie));
  if (cookie !== undefined) headers.cookie = cookie;
  if (isPost) headers['content-length'] = String(body.length);
  rewritten.headers = headers;
  // Without this, its end would count as a broken connection.
  rewritten.complete = true;
  if (body.length > 0) rewritten.push(body);
  rewritten.push(null);
  return rewritten;
}

/** Leaves out the traces of a finished sign-in. */
function forgetSession(cookies: string | undefined): string | undefined {
  return cookies
    ?.split('; ')
    .filter((each) => !/^(?:__Host-)?cartulary_oauth(?:\.sig)?=/.test(each))
    .join('; ');
}

/** Parameters with a meaning here, or refused by name; all others are ignored (RFC 6749 §3.1). */
const knownParameters: ReadonlySet<string> = new Set([
  'acr_values',
  'claims_locales',
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'display',
  'id_token_hint',
  'login_hint',
  'max_age',
  'nonce',
  'prompt',
  'redirect_uri',
  'registration',
  'request',
  'request_uri',
  'resource',
  'response_mode',
  'response_type',
  'scope',
  'state',
  'ui_locales',
]);

function rewriteQuery(url: string, publicUrl: string): URLSearchParams | undefined {
  const mark = url.indexOf('?');
  if (mark === -1) return undefined;
  const known = [...new URLSearchParams(url.slice(mark))].filter(([name]) => knownParameters.has(name));
  return rewriteParameters(new URLSearchParams(known), publicUrl);
}

function rewriteForm(sent: Buffer, route: FoundRoute['route'], publicUrl: string): Buffer {
  // The media type is not checked: the provider refuses any other body, and it is no longer than a form.
  const form = sent.length === 0 ? undefined : parseForm(sent, route);
  return form?.has('resource') === true ? Buffer.from(rewriteParameters(form, publicUrl).toString()) : sent;
}

function rewriteParameters(parameters: URLSearchParams, publicUrl: string): URLSearchParams {
  const resources = new Set(parameters.getAll('resource').map((each) => canonicalResource(each, publicUrl)));
  parameters.delete('resource');
  for (const resource of resources) parameters.append('resource', resource);
  // Codes come in the query, as the metadata states; no page with a self-sending form is ever made.
  if (parameters.get('response_mode') !== 'query') parameters.delete('response_mode');
  return parameters;
}

/** A registration is a flat list of a dozen values, and a few of them are short lists. */
const registrationShape = { deepest: 4, maxValues: 100 } as const;

/** @throws RefusedMetadata */
function rewriteRegistration(body: Buffer): Buffer {
  if (body.length === 0) return body;
  const steps = findFaultOfShape(body, registrationShape);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  if (step.value !== undefined) {
    throw new RefusedMetadata('invalid_client_metadata', `The registration ${step.value}.`);
  }
  const metadata = parseJson(body);
  // The provider reports a body other than an object.
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return body;
  return Buffer.from(JSON.stringify(keepKnownScopes(readMetadata(metadata as ClientMetadata))));
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

const knownScopes = ['openid', 'offline_access', ...oauthScopes];

/** A registration with scopes of other services gets ours (RFC 7591 §2 lets the server choose). */
function keepKnownScopes(metadata: ClientMetadata): ClientMetadata {
  const { scope, ...rest } = metadata;
  if (typeof scope !== 'string') return metadata;
  const known = scope.split(' ').filter((each) => knownScopes.includes(each));
  return known.some((each) => oauthScopes.some((own) => own === each)) ? { ...rest, scope: known.join(' ') } : rest;
}
