import { mountConsole } from '../../../lib/console/mount-console.js';
import type { Role } from '../../../lib/domain/role.js';
import { perform } from '../../../lib/operations/perform.js';
import { changePolicy } from '../../../lib/operations/workspaces/change-policy.js';
import { operator } from '../../support/store/service.js';
import type { BrowserContext } from 'playwright-core';
import { requireChromium, WatchedPage, type Look, type TestBrowser } from '../../support/browser/chromium.js';
import { keepLog, type LogLine } from '../../support/http/log.js';
import type { HttpClient } from '../../support/http/server.js';
import { openSignIn, type SignInTest, type SignInTestOptions } from '../../support/signin/open-sign-in.js';
import type { TestServer } from '../../support/http/server.js';

/** A person of the workspace, with a sign-in and a key of REST to prepare and check things with. */
export interface ConsolePerson {
  readonly id: string;
  readonly name: string;
  readonly signInName: string;
  /** Speaks REST as the person. */
  readonly rest: HttpClient;
}

/** A service with its console, and a browser. */
export class ConsoleTest {
  readonly signIn: SignInTest;
  readonly browser: TestBrowser;

  constructor(signIn: SignInTest, browser: TestBrowser) {
    this.signIn = signIn;
    this.browser = browser;
  }

  get server(): TestServer {
    return this.signIn.server;
  }

  /** The workspace's name, as in addresses. */
  get workspace(): string {
    return this.server.host.workspace.name;
  }

  /**
   * A person who can sign in. No role: someone without grants.
   * @param grants location and role; '' is the root
   */
  async person(name: string, grants: Readonly<Record<string, Role>> = {}): Promise<ConsolePerson> {
    const signInName = `${name.toLowerCase().replaceAll(/[^a-z]+/g, '.')}@example.com`;
    const id = await this.signIn.person(name, signInName);
    const { host } = this.server;
    for (const [location, role] of Object.entries(grants)) await host.grant(role, { type: 'principal', id }, location);
    return { id, name, signInName, rest: this.server.as(await host.key(id, ['rest'], null, true)) };
  }

  /** Cookies with which the person is signed in. */
  async sessionOf({ signInName }: ConsolePerson): Promise<{ name: string; value: string }> {
    const visitor = this.signIn.visitor();
    await visitor.signIn(signInName);
    const [name, value] = [...visitor.cookies].find(([each]) => each === 'cartulary') ?? [];
    if (name === undefined || value === undefined) throw new Error(`${signInName} could not sign in.`);
    return { name, value };
  }

  /** A browser of the person: several pages share the session and what is kept in the browser. */
  async browserOf(person: ConsolePerson, look?: Look): Promise<BrowserContext> {
    const context = await this.browser.context(look);
    // The service's clock stands in the past: a browser a moment ahead of it shows the same times in every run.
    await context.addInitScript(moveClock, this.server.host.clock.now() + 3_600_000 - Date.now());
    await context.addCookies([{ ...(await this.sessionOf(person)), url: this.signIn.url }]);
    return context;
  }

  /** Opens a page of the console as the person. @param address below /console, or within the workspace from `~` on */
  async open(person: ConsolePerson, address = '~/f/', look?: Look): Promise<WatchedPage> {
    const context = await this.browserOf(person, look);
    const watched = new WatchedPage(await context.newPage());
    await watched.page.goto(this.addressOf(address));
    return watched;
  }

  /** A full address. `~/d/a.md` is the document a.md in the workspace. */
  addressOf(address: string): string {
    return `${this.signIn.url}/console${address.replace(/^~/, `/w/${encodeURIComponent(this.workspace)}`)}`;
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.signIn.close();
  }
}

/** Runs in the browser. @param offset milliseconds */
function moveClock(offset: number): void {
  const RealDate = Date;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, parameters: [] | [string | number]) =>
      parameters.length === 0 ? new target(RealDate.now() + offset) : Reflect.construct(target, parameters),
    get: (target, name) => (name === 'now' ? () => RealDate.now() + offset : Reflect.get(target, name)),
  });
}

/** For a `before` hook. Skips the suite where there is no Chromium. */
export async function openConsole(context: Mocha.Context, options: SignInTestOptions = {}): Promise<ConsoleTest> {
  const browser = requireChromium(context);
  const suite = context.runnable().parent;
  if (suite !== undefined) browser.tidyAfterEach(suite);
  return openConsoleWith(browser, options);
}

/** The same for a program. */
export async function openConsoleWith(browser: TestBrowser, options: SignInTestOptions = {}): Promise<ConsoleTest> {
  const signIn = await openSignIn(options);
  const { host, rest, log } = signIn.server;
  // Workspaces of earlier releases have names like tags, and a page must show them as text.
  await perform(host.workspace, operator, changePolicy, { portableNames: false });
  const { readSession, endSession } = signIn.signIn;
  const { later, addressOf } = rest;
  const kept = keepLog(log as LogLine[]);
  rest.mount(
    mountConsole(host.service, {
      url: rest.url,
      log: kept,
      later,
      addressOf,
      readSession,
      endSession,
      validateResponses: true,
    }),
  );
  return new ConsoleTest(signIn, browser);
}
