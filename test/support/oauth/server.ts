import { makeOAuthFace, type OAuthFace, type OAuthOptions } from '../../../lib/signin/oauth/oauth-face.js';
import { unavailable } from '../../../lib/domain/refusal.js';
import type { SignInOptions } from '../../../lib/signin/sign-in-dependencies.js';
import type { OAuthDependencies } from '../../../lib/signin/oauth/oauth-dependencies.js';
import { createSignIn, type SignIn } from '../../../lib/signin/sign-in.js';
import { openTestServer, type TestServer, type TestServerOptions } from '../http/server.js';
import type { TestService } from '../store/service.js';
import { Browser, formAction, readForm, type Visited } from './browser.js';

/** A service with OAuth on its port, and people who can sign in. */
export class OAuthServer {
  readonly server: TestServer;
  readonly signIn: SignIn;
  readonly face: OAuthFace;
  readonly log: readonly Record<string, unknown>[];
  /** Where clients find it. */
  readonly url: string;
  /** Identities that have left all workspaces, and workspaces that cannot be read. */
  readonly gone: Set<string>;

  private constructor(
    server: TestServer,
    signIn: SignIn,
    face: OAuthFace,
    log: readonly Record<string, unknown>[],
    url: string,
    gone: Set<string>,
  ) {
    this.server = server;
    this.signIn = signIn;
    this.face = face;
    this.log = log;
    this.url = url;
    this.gone = gone;
  }

  static async start(
    server: TestServer,
    options: Partial<OAuthOptions> = {},
    signInOptions: Partial<SignInOptions> = {},
  ): Promise<OAuthServer> {
    const { service } = server.host;
    const { clock, randomness, limiter, journal, file, people } = service;
    const lines: Record<string, unknown>[] = [];
    const log: OAuthOptions['log'] = {
      debug: () => undefined,
      warn: () => undefined,
      info: (fields, message) => void lines.push({ ...fields, message }),
      error: (fields, message) => void lines.push({ ...fields, message, level: 'error' }),
    };
    const url = options.publicUrl ?? server.rest.url;
    const signIn = await createSignIn(service, { url, log, addressOf: server.rest.addressOf, ...signInOptions });
    server.rest.mount(signIn);
    const gone = new Set<string>();
    const host: OAuthDependencies = {
      clock,
      randomness,
      limiter,
      journal,
      file,
      find(name) {
        if (gone.has(name)) throw unavailable();
        return service.find(name);
      },
      membershipsOf: (identityId) => (gone.has(identityId) ? [] : people.identities.heldBy(identityId)),
      readSession: signIn.readSession,
      proof: signIn.proof,
    };
    const face = await makeOAuthFace(host, { publicUrl: url, log, addressOf: server.rest.addressOf, ...options });
    server.rest.mount(face);
    return new OAuthServer(server, signIn, face, lines, url, gone);
  }

  get host(): TestService {
    return this.server.host;
  }

  /** A person with a role everywhere, who can sign in. */
  async person(name = 'ada', role: 'reader' | 'editor' | 'approver' = 'editor'): Promise<Member> {
    const principalId = await this.host.principal(name);
    await this.host.grant(role, { type: 'principal', id: principalId }, '');
    const { identities } = this.host.service.people;
    const { id } = identities.provide('acme', principalId, name, `${name}@example.org`);
    return { identityId: id, principalId };
  }

  /** Lets a person of the first workspace join another one, by their link. */
  join(workspace: string, principalId: string, name = 'ada'): void {
    const { identities, links } = this.host.service.people;
    identities.provide(workspace, principalId, name, `${name}@example.org`);
    links.use(links.issue({ workspace, principalId }).secret, 'hash');
  }

  /** A browser in which that person is signed in. */
  browserOf({ identityId }: Pick<Member, 'identityId'>): Browser {
    const browser = new Browser();
    this.signInAgain(browser, { identityId });
    return browser;
  }

  /** Has a person prove their identity in a browser, now. @param isProvenNow false: by a click at another provider */
  signInAgain(browser: Browser, { identityId }: Pick<Member, 'identityId'>, isProvenNow = true): void {
    const { sessions } = this.host.service.people;
    const method = isProvenNow ? 'password' : 'upstream';
    const { secret } = sessions.begin({ identityId, method, isProvenNow, browser: 'Test', address: '127.0.0.1' });
    browser.set('cartulary', secret);
  }

  async close(): Promise<void> {
    await this.signIn.close();
    await this.server.close();
  }
}

export interface Member {
  readonly identityId: string;
  readonly principalId: string;
}

export async function openOAuthServer(
  options: TestServerOptions & { readonly oauth?: Partial<OAuthOptions> } = {},
): Promise<OAuthServer> {
  const { oauth = {}, ...others } = options;
  return OAuthServer.start(await openTestServer(others), oauth);
}

/**
 * Goes from a client's request to the client's answer: through the consent page, with `changes` to the fields of its
 * form.
 * @returns the last answer of the service, which leads away from it
 */
export async function letIn(
  browser: Browser,
  request: string | URL,
  changes: Readonly<Record<string, string | undefined>> = {},
): Promise<Visited> {
  const page = await browser.follow(await browser.get(request));
  if (page.status !== 200) return page;
  const fields = { ...readForm(page.text), decision: 'allow', ...changes };
  const sent = Object.fromEntries(
    Object.entries(fields).filter((each): each is [string, string] => each[1] !== undefined),
  );
  return browser.follow(await browser.post(new URL(formAction(page.text), page.url), sent));
}
