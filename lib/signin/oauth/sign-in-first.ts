import { maxReturnPathLength } from '../return-path.js';
import { oauthPaths } from './routes.js';

/**
 * No person is signed in. The browser is sent to sign in, with the application's request as the way back. Until then the
 * request is kept nowhere but in that address, so a flood of requests fills nothing (decision 0105).
 */
export class SignInFirst extends Error {
  override readonly name = 'SignInFirst';
  /** For oidc-provider: this is no fault. */
  readonly expose = true;
  readonly statusCode = 303;
}

/**
 * The page where a person signs in, which leads back to the application's request.
 * @param query of that request, as oidc-provider sees it
 * @param base the path under which a proxy offers the service
 * @returns a path with the base; undefined when the request is too long to be carried along
 */
export function pathToSignIn(query: string, base: string): string | undefined {
  const parameters = new URLSearchParams(query);
  // The person who comes back has just signed in, and is not asked for it a second time.
  if (parameters.get('max_age') === '0') parameters.delete('max_age');
  const prompts = (parameters.get('prompt') ?? '').split(' ').filter((each) => each !== '' && each !== 'login');
  if (prompts.length > 0) parameters.set('prompt', prompts.join(' '));
  else parameters.delete('prompt');
  const back = `${base}${oauthPaths.authorization}?${parameters.toString()}`;
  // Only what would end the parameter is encoded a second time: proxies take short headers only.
  const encoded = back.replaceAll(/[%&+#]/g, encodeURIComponent);
  return back.length > maxReturnPathLength ? undefined : `${base}/signin?return=${encoded}`;
}
