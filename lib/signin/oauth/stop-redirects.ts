import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { errorPage } from '../pages/message-pages.js';
import { pageHeaders } from '../pages/render-page.js';
import type { OAuthDependencies } from './oauth-dependencies.js';
import { describeRedirect } from './redirect-target.js';
import { oauthPaths } from './oauth-routes.js';

/**
 * Holds up redirects from a mere link. Every stranger may register a client, so an error's target may be an attacker's
 * address. A client with a consent gets the error at once. For all others a page shows the error and the application's
 * place, and the person decides (RFC 9700 §4.11.2).
 */
export function stopRedirects(
  provider: Provider,
  { file, clock }: Pick<OAuthDependencies, 'file' | 'clock'>,
  base: string,
): void {
  const faults = new WeakMap<KoaContextWithOIDC, Error>();
  provider.on('authorization.error', (context, error) => void faults.set(context, error));
  provider.use(async (context: KoaContextWithOIDC, next: () => Promise<void>) => {
    await next();
    const to = String(context.res.getHeader('location') ?? '');
    // A path of this service leads to a question for the person. The result of an answer has another path.
    if (context.path !== oauthPaths.authorization || to === '' || to.startsWith('/')) return;
    const clientId = context.oidc.client?.clientId;
    if (clientId !== undefined && file.oauth.hasGrantOf(clientId, clock.now())) return;
    // Not from the address: its query may hold the client's own words.
    const { error_description: said, message = 'it gave no reason' } = (faults.get(context) ?? {}) as Fault;
    const where = describeRedirect(to);
    context.remove('location');
    context.status = 400;
    for (const [name, value] of Object.entries(pageHeaders())) context.set(name, value);
    context.body = errorPage({
      base,
      title: 'The application could not be connected',
      message: `It asked for something that cannot be answered: ${said ?? message}. No person here has let this application in so far, so you are not sent back to it at once. It is at ${where}.`,
      requestId: String(context.res.getHeader('x-request-id')),
      next: { path: to, label: `Go to ${where}` },
    });
  });
}

interface Fault {
  readonly error_description?: string;
  readonly message?: string;
}
