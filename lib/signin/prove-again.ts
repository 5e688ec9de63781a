import type { SignedIn } from '../domain/signed-in.js';
import { signInAgainPage } from './pages/sign-in-again.js';
import { readReturnPath } from './return-path.js';
import type { RequestContext, SignInContext } from './sign-in-context.js';
import { consolePath, explainWait, goOn, provePassword } from './sign-in-with-password.js';

const mismatch = 'That is not your password.';

/** GET /signin/again: asks a signed-in person for their password once more. `return` is the target afterwards. */
export function showProveAgain(context: SignInContext, exchange: RequestContext): void {
  const signedIn = context.signedIn(exchange);
  const returnTo = readReturnPath(exchange.query.get('return'), context.base) ?? context.base + consolePath;
  if (signedIn !== undefined) return showForm(context, exchange, signedIn, { returnTo });
  context.goTo(exchange, `${context.base}/signin?return=${encodeURIComponent(returnTo)}`);
}

/**
 * POST /signin/again: a new session in place of the one before, of the same person. It is the time of its proof that
 * makes it recent. Wrong passwords count and delay like those of a sign-in.
 */
export async function proveAgain(context: SignInContext, exchange: RequestContext): Promise<void> {
  const signedIn = context.signedIn(exchange);
  if (signedIn === undefined) return context.goTo(exchange, `${context.base}/signin`);
  context.requireForm(exchange, signedIn.sessionId);
  const returnTo = readReturnPath(context.field(exchange, 'return'), context.base) ?? context.base + consolePath;
  const proof = await provePassword(context, exchange, signedIn.signInName);
  if (proof.outcome === 'wait') {
    exchange.response.setHeader('Retry-After', String(proof.seconds));
    return showForm(context, exchange, signedIn, { returnTo, error: explainWait(proof.seconds) }, 429);
  }
  // The name may belong to another person by now.
  if (proof.outcome === 'mismatch' || proof.identityId !== signedIn.identityId) {
    return showForm(context, exchange, signedIn, { returnTo, error: mismatch }, 422);
  }
  await context.signIn(exchange, proof.seats, { identityId: proof.identityId, method: 'password' });
  goOn(context, exchange, returnTo);
}

function showForm(
  context: SignInContext,
  exchange: RequestContext,
  { signInName, sessionId }: SignedIn,
  shown: { readonly returnTo: string; readonly error?: string },
  status = 200,
): void {
  const page = signInAgainPage({
    base: context.base,
    csrf: context.proof.issue(exchange.request, exchange.response, sessionId),
    signInName,
    upstream: context.options.upstream?.name,
    ...shown,
  });
  context.show(exchange, page, status);
}
