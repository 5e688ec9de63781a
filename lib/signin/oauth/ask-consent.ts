import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Client, Interaction, InteractionResults, Provider } from 'oidc-provider';
import type { OAuthScope } from '../../domain/access-token.js';
import { encodeBase32 } from '../../domain/identifier.js';
import type { OAuthGrant } from '../../domain/oauth-grant.js';
import { rateLimited } from '../../domain/refusal.js';
import type { Seat } from '../../domain/signed-in.js';
import { performOwn } from '../../operations/perform-own.js';
import { giveConsent, refuseConsent } from '../../operations/principals/change-consent.js';
import { consentPage } from '../pages/consent.js';
import { errorPage, type ErrorData } from '../pages/message-pages.js';
import { sendPage, sendRedirect } from './send-page.js';
import type { OAuthDependencies, PersonHere } from './oauth-dependencies.js';
import { lifetimes } from './lifetimes.js';
import { describeRedirect, leadsToLoopback, redirectTarget } from './redirect-target.js';
import { answeringActor, endGrant } from './record-consent.js';
import { oauthScopes, resourceOf } from './resource.js';
import type { WebAddress } from './rewrite-request.js';
import { oauthPaths } from './oauth-routes.js';
import { hashId } from './seal-entry.js';

const second = 1000;
/** Answers of one person in a minute, and at once. */
const answersPerMinute = 30;
/** One person's consents in force for one client in one workspace; of more, the oldest ends. */
const maxOfClient = 10;
/** Consents in force of one person. */
const maxOfPerson = 200;
/** One person's ended consents that are still shown. */
const maxEnded = 100;

/** The question: its client, its redirect and its scopes. */
interface Question {
  readonly interaction: Interaction;
  readonly client: Client;
  readonly redirectUri: string;
  readonly scopes: readonly OAuthScope[];
}

/** The page for asking a person whether a client may act as them, and the handling of the answer. */
export class ConsentController {
  readonly #host: OAuthDependencies;
  readonly #address: WebAddress;
  readonly #provider: () => Provider;

  constructor(host: OAuthDependencies, address: WebAddress, provider: () => Provider) {
    this.#host = host;
    this.#address = address;
    this.#provider = provider;
  }

  /**
   * @param request as rewritten for oidc-provider, with the cookie of the sign-in under way
   * @param answer the fields of its form; empty where it has no body
   */
  async handle(request: IncomingMessage, response: ServerResponse, answer: URLSearchParams): Promise<void> {
    const question = await this.#readQuestion(request, response);
    if (question === undefined) return this.#sendExpired(response);
    const person = this.#host.readSession(request.headers.cookie);
    if (person === undefined || !this.#isFreshEnough(person, question.interaction)) {
      const { base } = this.#address;
      const way = new URLSearchParams({ return: `${base}${oauthPaths.interaction}/${question.interaction.uid}` });
      // Where the other provider let the person in, signing in once more would be a click: it has to ask them now.
      if (person?.provenAt === null) return sendRedirect(response, `${base}/signin/again?${way.toString()}`);
      if (person !== undefined) way.set('again', '1');
      return sendRedirect(response, `${base}/signin?${way.toString()}`);
    }
    if (request.method === 'POST') return this.#takeAnswer(request, response, question, person, answer);
    return this.#ask(request, response, question, person);
  }

  /** The sign-in under way of both the browser's cookie and the path. */
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

  /** Whether the person's proof of identity is as recent as the client asks (OpenID Connect Core §3.1.2.1). */
  #isFreshEnough(person: PersonHere, { uid, prompt, params }: Interaction): boolean {
    const entry = this.#host.file.oauth.findEntry('Interaction', hashId('Interaction', uid));
    const startedAt = (entry?.expiresAt ?? 0) - lifetimes.interaction * second;
    const isAskedFor = prompt.reasons.includes('login_prompt');
    const longest = params['max_age'];
    if (!isAskedFor && longest === undefined) return true;
    const { provenAt } = person;
    // A clock that was set back makes no old proof a recent one.
    if (provenAt === null || provenAt > this.#host.clock.now()) return false;
    if (isAskedFor && provenAt < startedAt) return false;
    return longest === undefined || provenAt + Number(longest) * second >= startedAt;
  }

  #ask(request: IncomingMessage, response: ServerResponse, question: Question, person: PersonHere): void {
    const { client, redirectUri, scopes, interaction } = question;
    const { base } = this.#address;
    const page = consentPage({
      base,
      csrf: this.#host.proof.issue(request, response, person.sessionId),
      action: `${base}${oauthPaths.interaction}/${interaction.uid}`,
      clientName: nameClient(client),
      clientDocument: documentOf(client),
      redirectHost: describeRedirect(redirectUri),
      redirectsToLoopback: leadsToLoopback(redirectUri),
      displayName: person.memberships[0]?.displayName ?? person.signInName,
      signInName: person.signInName,
      asksToWrite: scopes.includes('org:write'),
      workspaces: person.memberships.map(({ workspace, title, displayName }) => ({
        name: workspace,
        title,
        displayName,
      })),
    });
    // Browsers hold a form to this policy along all its redirects.
    sendPage(response, 200, page, [redirectTarget(redirectUri)]);
  }

  async #takeAnswer(
    request: IncomingMessage,
    response: ServerResponse,
    question: Question,
    person: PersonHere,
    answer: URLSearchParams,
  ): Promise<void> {
    const { limiter, proof } = this.#host;
    const allowance = limiter.take('consent', person.identityId, answersPerMinute, answersPerMinute);
    if (!allowance.allowed) throw rateLimited(allowance.retryAfter);
    proof.require(request, answer.get('csrf') ?? undefined, person.sessionId);
    const chosen = person.memberships.find(({ workspace }) => workspace === answer.get('workspace'));
    const decision = answer.get('decision');
    if (chosen === undefined || (decision !== 'allow' && decision !== 'deny')) {
      return this.#ask(request, response, question, person);
    }
    if (decision === 'deny') return this.#refuse(request, response, question, chosen);
    const scopes = question.scopes.filter((scope) => scope !== 'org:write' || answer.get('write') === '1');
    if (scopes.length === 0) return this.#refuse(request, response, question, chosen);
    const inForce = this.#listInForce(person);
    if (inForce.length >= maxOfPerson) return this.#sendTooMany(response);
    const grant = await this.#grant(question, person, chosen, scopes);
    await this.#makeRoom(grant, inForce);
    const login = {
      accountId: person.identityId,
      ts: Math.floor((person.provenAt ?? person.startedAt) / second),
      remember: false,
    };
    return this.#finish(request, response, { login, consent: { grantId: grant.id } });
  }

  /**
   * Keeps the consent and records it. Our row holds the person and the workspace, oidc-provider's the rights of its
   * tokens.
   */
  async #grant(
    { client, redirectUri, interaction }: Question,
    person: PersonHere,
    { workspace, principalId }: Seat,
    scopes: readonly OAuthScope[],
  ): Promise<OAuthGrant> {
    const { clock, randomness, journal } = this.#host;
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
    const actor = answeringActor(this.#host, { workspace, principalId }, grant.id);
    await performOwn(journal, [actor], giveConsent, grant);
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

  #listInForce({ identityId }: PersonHere): OAuthGrant[] {
    const { file, clock } = this.#host;
    const now = clock.now();
    return file.oauth.listGrantsOf(identityId).filter((each) => each.revokedAt === null && each.expiresAt > now);
  }

  /**
   * A client with repeated consents keeps the newest alone.
   * @param before the person's consents in force until now, the newest first
   */
  async #makeRoom({ identityId, clientId, workspace }: OAuthGrant, before: readonly OAuthGrant[]): Promise<void> {
    const { file } = this.#host;
    const same = before.filter((each) => each.clientId === clientId && each.workspace === workspace);
    for (const grant of same.slice(maxOfClient - 1)) await endGrant(this.#host, grant);
    file.oauth.keepEnded(identityId, maxEnded);
  }

  async #refuse(
    request: IncomingMessage,
    response: ServerResponse,
    { client, redirectUri, scopes }: Question,
    seat: Seat,
  ): Promise<void> {
    await performOwn(this.#host.journal, [answeringActor(this.#host, seat, null)], refuseConsent, {
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

  #sendTooMany(response: ServerResponse): void {
    const { base } = this.#address;
    const message = `You have let in ${maxOfPerson} applications, which is as many as there can be. End one that you do not use any more, then start again from the application.`;
    const next = { path: `${base}/signin/sessions`, label: 'Applications that act as you' };
    this.#sendError(response, 409, { title: 'Too many applications', message, next });
  }

  #sendExpired(response: ServerResponse): void {
    this.#sendError(response, 400, {
      title: 'This took too long',
      message: 'The application asked too long ago, or from another browser. Go back to it and start again from there.',
    });
  }

  #sendError(response: ServerResponse, status: number, told: Pick<ErrorData, 'title' | 'message' | 'next'>): void {
    const requestId = String(response.getHeader('x-request-id'));
    sendPage(response, status, errorPage({ base: this.#address.base, requestId, ...told }));
  }
}

function isSessionNotFound(error: unknown): boolean {
  return error instanceof Error && error.name === 'SessionNotFound';
}

/** The address of the document about the client, where there is one. Its owner alone can write it. */
function documentOf({ clientId }: Client): URL | undefined {
  return clientId.startsWith('https://') ? new URL(clientId) : undefined;
}

/** The client's own name, shortened: a name is not a place for a message. */
function nameClient(client: Client): string {
  const name = client.clientName?.trim() ?? '';
  return name === '' ? (documentOf(client)?.host ?? 'An application') : name.slice(0, 80);
}
