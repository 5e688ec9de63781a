import { maxReturnPathLength } from '../return-path.js';
import { oauthPaths } from './oauth-routes.js';

/**
 * No person is signed in. The browser is sent to sign in, with the application's request as the way back. Until then
 * the request exists only in that address, so a flood of requests fills nothing (decision 0105).
 */
export class SignInFirst extends Error {
  override readonly name = 'SignInFirst';
  /** For oidc-provider: this is no fault. */
  readonly expose = true;
  readonly statusCode = 303;
}

/** Seconds for which a sign-in counts as one that the application asked for. */
const justNow = 300;

/**
 * The sign-in page's path, with the application's request as the way back.
 * @param query of that request, as rewritten for oidc-provider
 * @param base a proxy's path prefix for the service
 * @returns a path with the base; undefined when the request is too long to be carried along
 */
export function pathToSignIn(query: string, base: string): string | undefined {
  const parameters = new URLSearchParams(query);
  // The returning person has just signed in, and is not asked for it a second time, provided that they were asked:
  // another provider may have let them in by a click.
  const longest = parameters.get('max_age');
  const isAskedFor = longest === '0' || (parameters.get('prompt') ?? '').split(' ').includes('login');
  const isOfOpenId = (parameters.get('scope') ?? '').split(' ').includes('openid');
  if (longest === '0') parameters.delete('max_age');
  if (isAskedFor && isOfOpenId) {
    const asked = longest === null || longest === '0' ? justNow : Math.min(justNow, Number(longest));
    parameters.set('max_age', String(asked));
  }
  const prompts = (parameters.get('prompt') ?? '').split(' ').filter((each) => each !== '' && each !== 'login');
  if (prompts.length > 0) parameters.set('prompt', prompts.join(' '));
  else parameters.delete('prompt');
  const back = `${base}${oauthPaths.authorization}?${parameters.toString()}`;
  // Only characters that would end the parameter are encoded a second time: proxies take short headers only.
  const encoded = back.replaceAll(/[%&+#]/g, encodeURIComponent);
  return back.length > maxReturnPathLength ? undefined : `${base}/signin?return=${encoded}`;
}
