import * as oauth from 'oauth4webapi';
import type { Browser, Visited } from './browser.js';
import { letIn, type OAuthServer } from './server.js';

export const insecure = { [oauth.allowInsecureRequests]: true } as const;

/** An application's client: oauth4webapi, which checks every answer by the standards. */
export class OAuthClient {
  readonly authority: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly authentication: oauth.ClientAuth;
  readonly redirectUri: string;
  readonly resource: string;

  constructor(
    authority: oauth.AuthorizationServer,
    client: oauth.Client,
    authentication: oauth.ClientAuth,
    redirectUri: string,
    resource: string,
  ) {
    this.authority = authority;
    this.client = client;
    this.authentication = authentication;
    this.redirectUri = redirectUri;
    this.resource = resource;
  }

  /** Finds the service and registers. */
  static async register(
    { url }: OAuthServer,
    metadata: Partial<oauth.OmitSymbolProperties<oauth.Client>> = {},
  ): Promise<OAuthClient> {
    const authority = await discover(url);
    const redirectUris = (metadata['redirect_uris'] as string[] | undefined) ?? ['http://127.0.0.1:7777/callback'];
    const response = await oauth.dynamicClientRegistrationRequest(
      authority,
      {
        client_name: 'Test client',
        token_endpoint_auth_method: 'none',
        redirect_uris: redirectUris,
        ...metadata,
      },
      insecure,
    );
    const client = await oauth.processDynamicClientRegistrationResponse(response);
    const secret = client['client_secret'];
    const authentication = typeof secret === 'string' ? oauth.ClientSecretPost(secret) : oauth.None();
    return new OAuthClient(authority, client, authentication, redirectUris[0] ?? '', `${url}/mcp`);
  }

  /** The address for the person's browser, and the values to keep until the answer. */
  async ask(changes: Readonly<Record<string, string | undefined>> = {}) {
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const url = new URL(this.authority.authorization_endpoint ?? '');
    const parameters = {
      client_id: this.client.client_id,
      response_type: 'code',
      redirect_uri: this.redirectUri,
      scope: 'org:read org:write',
      resource: this.resource,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      ...changes,
    };
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
    return { url, verifier, state };
  }

  /** The fields of the answer; throws when it breaks the standards. */
  readAnswer(visited: Visited, state: string): URLSearchParams {
    return oauth.validateAuthResponse(this.authority, this.client, new URL(visited.location), state);
  }

  async exchange(
    answer: URLSearchParams,
    verifier: string,
    resource: string | null = this.resource,
  ): Promise<oauth.TokenEndpointResponse> {
    const response = await this.exchangeRaw(answer, verifier, resource);
    return oauth.processAuthorizationCodeResponse(this.authority, this.client, response);
  }

  /** @param resource null leaves it out */
  exchangeRaw(answer: URLSearchParams, verifier: string, resource: string | null = this.resource) {
    return oauth.authorizationCodeGrantRequest(
      this.authority,
      this.client,
      this.authentication,
      answer,
      this.redirectUri,
      verifier,
      { ...insecure, additionalParameters: resource === null ? {} : { resource } },
    );
  }

  /** All the way to tokens. */
  async signIn(
    browser: Browser,
    changes: Readonly<Record<string, string | undefined>> = {},
    answers: Readonly<Record<string, string | undefined>> = {},
  ): Promise<oauth.TokenEndpointResponse> {
    const { url, verifier, state } = await this.ask(changes);
    const answer = this.readAnswer(await letIn(browser, url, answers), state);
    return this.exchange(answer, verifier);
  }

  async refresh(token: string): Promise<oauth.TokenEndpointResponse> {
    const { authority, client, authentication } = this;
    const response = await oauth.refreshTokenGrantRequest(authority, client, authentication, token, insecure);
    return oauth.processRefreshTokenResponse(authority, client, response);
  }

  async introspect(token: string): Promise<oauth.IntrospectionResponse> {
    const { authority, client, authentication } = this;
    const response = await oauth.introspectionRequest(authority, client, authentication, token, insecure);
    return oauth.processIntrospectionResponse(authority, client, response);
  }

  async revoke(token: string): Promise<void> {
    const { authority, client, authentication } = this;
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(authority, client, authentication, token, insecure),
    );
  }
}

/** Reads the authorization server's description, as RFC 8414 has it found. */
export async function discover(
  url: string,
  algorithm: 'oauth2' | 'oidc' = 'oauth2',
): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(url);
  const response = await oauth.discoveryRequest(issuer, { algorithm, ...insecure });
  return oauth.processDiscoveryResponse(issuer, response);
}
