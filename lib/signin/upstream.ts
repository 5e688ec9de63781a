import { createHash } from 'node:crypto';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  discovery,
  fetchUserInfo,
  type Configuration,
} from 'openid-client';
import type { Randomness } from '../domain/clock.js';

/** Another OpenID Connect provider, as configured. */
export interface UpstreamSettings {
  /** Its issuer: https, or http on this machine. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The words on its button after “Sign in with”. */
  readonly name: string;
}

/** The values that must be the same when the browser comes back. */
export interface UpstreamAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The provider's answer about a person. */
export interface UpstreamAnswer {
  /** The verified e-mail address; undefined where the provider vouches for none. */
  readonly email: string | undefined;
  /** When the person signed in there. Milliseconds since 1970; undefined where the provider does not say. */
  readonly signedInAt: number | undefined;
}

/** Seconds of the provider's longest answer to one question. */
const timeout = 10;

/**
 * Asks another provider for a person's identity (OpenID Connect Core 1.0 §3.1, with PKCE, state and nonce). Only an
 * e-mail address counts, and only if the provider has verified it.
 */
export class Upstream {
  readonly name: string;
  readonly #settings: UpstreamSettings;
  readonly #randomness: Randomness;
  #discovered: Promise<Configuration> | undefined;

  constructor(settings: UpstreamSettings, randomness: Randomness) {
    this.name = settings.name;
    this.#settings = settings;
    this.#randomness = randomness;
  }

  /**
   * @param isAskedAgain whether the person has to sign in there once more, also in a browser that is signed in (§3.1.2.1)
   * @returns the browser's next address, and the values to remember meanwhile @throws when the provider cannot be
   * reached
   */
  async begin(
    redirectUri: string,
    isAskedAgain = false,
  ): Promise<{ readonly url: string; readonly attempt: UpstreamAttempt }> {
    const configuration = await this.#discover();
    const [state, nonce, verifier] = [this.#draw(), this.#draw(), this.#draw()];
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'openid email',
      state,
      nonce,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...(isAskedAgain && { prompt: 'login', max_age: '0' }),
    });
    return { url: url.href, attempt: { state, nonce, verifier } };
  }

  /**
   * @param answer the browser's address on its return, with its query
   * @throws when the answer does not belong to the attempt, or the provider refuses
   */
  async finish(answer: URL, { state, nonce, verifier }: UpstreamAttempt): Promise<UpstreamAnswer> {
    const configuration = await this.#discover();
    const tokens = await authorizationCodeGrant(configuration, answer, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) return { email: undefined, signedInAt: undefined };
    // Many providers give the address only on a separate request.
    const told =
      claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
        ? await fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : claims;
    const email: unknown = told['email'];
    const signedInAt = claims.auth_time;
    return {
      email: told['email_verified'] === true && typeof email === 'string' ? email : undefined,
      signedInAt: signedInAt === undefined ? undefined : signedInAt * 1000,
    };
  }

  /** Asked once; again where the provider did not answer. */
  #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const server = new URL(issuer);
    this.#discovered ??= discovery(server, clientId, clientSecret, undefined, {
      timeout: timeout,
      execute: server.protocol === 'http:' ? [allowInsecureRequests] : [],
    }).catch((error: unknown) => {
      this.#discovered = undefined;
      throw error;
    });
    return this.#discovered;
  }

  /** 256 bits, as text of 43 characters. */
  #draw(): string {
    return Buffer.from(this.#randomness.bytes(32)).toString('base64url');
  }
}
