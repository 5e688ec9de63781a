import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Client, Interaction, InteractionResults, Provider } from 'oidc-provider';
import type { OAuthScope } from '../../domain/access-token.js';
import { encodeBase32 } from '../../domain/identifier.js';
import type { OAuthGrant } from '../../domain/oauth-grant.js';
import { giveConsent, refuseConsent } from '../../operations/change-consent.js';
import { consentPage } from '../pages/consent.js';
import { errorPage } from '../pages/tell.js';
import { sendPage, sendRedirect } from './answer.js';
import { oauthPaths } from './configure.js';
import type { OAuthHost, PersonHere, Seat } from './host.js';
import { lifetimes } from './lifetimes.js';
import { describeRedirect, leadsToLoopback, redirectTarget } from './native-client.js';
import { recordConsent } from './record-consent.js';
import { oauthScopes, resourceOf } from './resource.js';
import { readBody, type WebAddress } from './rewrite-request.js';
import { hashId } from './seal-entry.js';

const second = 1000;

/** What is being asked, of whom, for whom. */
interface Question {
  readonly interaction: Interaction;
  readonly client: Client;
  readonly redirectUri: string;
  readonly scopes: readonly OAuthScope[];
}

/** The page that asks a person whether a client may act as them, and what comes of the answer. */
export class ConsentDesk {
  readonly #host: OAuthHost;
  readonly #address: WebAddress;
  readonly #provider: () => Provider;

  constructor(host: OAuthHost, address: WebAddress, provider: () => Provider) {
    this.#host = host;
    this.#address = address;
    this.#provider = provider;
  }

  /** @param request as oidc-provider is to see it: the cookie of the sign-in under way is read from it */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const question = await this.#readQuestion(request, response);
    if (question === undefined) return this.#sendExpired(response);
    const person = this.#host.readSession(request.headers.cookie);
    if (person === undefined || !this.#isFreshEnough(person, question.interaction)) {
      const { base } = this.#address;
      const way = new URLSearchParams({ return: `${base}${oauthPaths.interaction}/${question.interaction.uid}` });
      if (person !== undefined) way.set('again', '1');
      return sendRedirect(response, `${base}/signin?${way.toString()}`);
    }
    if (request.method === 'POST') return this.#takeAnswer(request, response, question, person);
    return this.#ask(request, response, question, person);
  }

  /** The sign-in under way that both the browser's cookie and the path name. */
  async #readQuestion(request: IncomingMessage, response: ServerResponse): Promise<Question | undefined> {
    const provider = this.#provider();
    let interaction: Interaction;
    try {
      interaction = await provider.interactionDetails(request, response);
    } catch (error) {
      if (isSessionNotFound(error)) return undefined;
      throw error;
    }
    const [path = ''] = (request.url ?? '').split('?');
    if (path !== `${oauthPaths.interaction}/${interaction.uid}`) return undefined;
    const { client_id: clientId, redirect_uri: redirectUri, scope } = interaction.params;
    const client = await provider.Client.find(String(clientId));
    if (client === undefined || typeof redirectUri !== 'string') return undefined;
    const asked = typeof scope === 'string' ? scope.split(' ') : [];
    return { interaction, client, redirectUri, scopes: oauthScopes.filter((each) => asked.includes(each)) };
  }

  /** Whether the person proved who they are as recently as the client asks (OpenID Connect Core §3.1.2.1). */
  #isFreshEnough(person: PersonHere, { uid, prompt, params }: Interaction): boolean {
    const entry = this.#host.file.oauth.findEntry('Interaction', hashId('Interaction', uid));
    const startedAt = (entry?.expiresAt ?? 0) - lifetimes.interaction * second;
    if (prompt.reasons.includes('login_prompt') && person.startedAt < startedAt) return false;
    const longest = params['max_age'];
    return longest === undefined || person.startedAt + Number(longest) * second >= startedAt;
  }

  #ask(request: IncomingMessage, response: ServerResponse, question: Question, person: PersonHere): void {
    const { client, redirectUri, scopes, interaction } = question;
    const { base } = this.#address;
    const page = consentPage({
      base,
      csrf: this.#host.proof.issue(request, response, person.sessionId),
      action: `${base}${oauthPaths.interaction}/${interaction.uid}`,
      clientName: nameClient(client),
      clientHost: hostOfDocument(client),
      redirectHost: describeRedirect(redirectUri),
      redirectsToLoopback: leadsToLoopback(redirectUri),
      displayName: person.memberships[0]?.displayName ?? person.signInName,
      signInName: person.signInName,
      asksToWrite: scopes.includes('org:write'),
      workspaces: person.memberships.map(({ workspace, displayName }) => ({ name: workspace, displayName })),
    });
    // Browsers hold a form to this policy along all redirects that follow it.
    sendPage(response, 200, page, [redirectTarget(redirectUri)]);
  }

  async #takeAnswer(
    request: IncomingMessage,
    response: ServerResponse,
    question: Question,
    person: PersonHere,
  ): Promise<void> {
    const answer = new URLSearchParams((await readBody(request)).toString());
    this.#host.proof.require(request, answer.get('csrf') ?? undefined, person.sessionId);
    const chosen = person.memberships.find(({ workspace }) => workspace === answer.get('workspace'));
    const decision = answer.get('decision');
    if (chosen === undefined || (decision !== 'allow' && decision !== 'deny')) {
      return this.#ask(request, response, question, person);
    }
    if (decision === 'deny') return this.#refuse(request, response, question, chosen);
    const scopes = question.scopes.filter((scope) => scope !== 'org:write' || answer.get('write') === '1');
    if (scopes.length === 0) return this.#refuse(request, response, question, chosen);
    const grant = await this.#grant(question, person, chosen, scopes);
    const login = { accountId: person.identityId, ts: Math.floor(person.startedAt / second), remember: false };
    return this.#finish(request, response, { login, consent: { grantId: grant.id } });
  }

  /** Records the consent, then keeps it: ours says for whom and where, oidc-provider's what its tokens may say. */
  async #grant(
    { client, redirectUri, interaction }: Question,
    person: PersonHere,
    { workspace, principalId }: Seat,
    scopes: readonly OAuthScope[],
  ): Promise<OAuthGrant> {
    const { clock, randomness, file } = this.#host;
    const provider = this.#provider();
    const now = clock.now();
    const grant: OAuthGrant = {
      id: `oag_${encodeBase32(randomness.bytes(13)).slice(0, 20)}`,
      identityId: person.identityId,
      workspace,
      principalId,
      clientId: client.clientId,
      clientName: nameClient(client),
      redirectHost: describeRedirect(redirectUri),
      scopes,
      createdAt: now,
      expiresAt: now + lifetimes.grant * second,
      lastUsedAt: null,
      revokedAt: null,
    };
    await recordConsent(this.#host, { workspace, principalId, grantId: grant.id }, giveConsent, grant);
    file.oauth.insertGrant(grant);
    const kept = new provider.Grant({ accountId: person.identityId, clientId: client.clientId });
    kept.jti = grant.id;
    kept.addResourceScope(resourceOf(this.#address.publicUrl), scopes.join(' '));
    const { scope: asked } = interaction.params;
    const words = typeof asked === 'string' ? asked.split(' ') : [];
    const ownScopes = ['openid', 'offline_access'].filter((scope) => words.includes(scope));
    if (ownScopes.length > 0) kept.addOIDCScope(ownScopes.join(' '));
    await kept.save();
    return grant;
  }

  async #refuse(
    request: IncomingMessage,
    response: ServerResponse,
    { client, redirectUri, scopes }: Question,
    { workspace, principalId }: Seat,
  ): Promise<void> {
    await recordConsent(this.#host, { workspace, principalId, grantId: null }, refuseConsent, {
      clientId: client.clientId,
      clientName: nameClient(client),
      redirectHost: describeRedirect(redirectUri),
      scopes,
    });
    const description = 'The person did not allow it.';
    return this.#finish(request, response, { error: 'access_denied', error_description: description });
  }

  #finish(request: IncomingMessage, response: ServerResponse, result: InteractionResults): Promise<void> {
    return this.#provider().interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }

  #sendExpired(response: ServerResponse): void {
    this.#sendError(
      response,
      'This took too long',
      'The application asked too long ago, or from another browser. Go back to it and start again from there.',
    );
  }

  #sendError(response: ServerResponse, title: string, message: string): void {
    const requestId = String(response.getHeader('x-request-id'));
    sendPage(response, 400, errorPage({ base: this.#address.base, title, message, requestId }));
  }
}

function isSessionNotFound(error: unknown): boolean {
  return error instanceof Error && error.name === 'SessionNotFound';
}

/** Where the client is described by a document at its own id, the host of that address; nobody else can have it. */
function hostOfDocument({ clientId }: Client): string | undefined {
  return clientId.startsWith('https://') ? new URL(clientId).host : undefined;
}

/** What the client calls itself, shortened: a name is not a place for a message. */
function nameClient(client: Client): string {
  const name = client.clientName?.trim() ?? '';
  return name === '' ? (hostOfDocument(client) ?? 'An application') : name.slice(0, 80);
}
