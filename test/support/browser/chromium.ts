import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { skipBecause } from '../skip.js';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/snap/bin/chromium'];

/** The same Chromium without its windows, menus and profiles: a page costs two thirds of the processor time. */
const withoutWindows = '/usr/bin/chromium-headless-shell';

/** What Playwright turns off, as far as it matters to tests. Its own list does not count beside one of ours. */
const offForPlaywright = [
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/** The suggestions below the address are two pages of Chromium's own for each window, though no window is seen. */
const suggestions = ['AimEnabled', 'WebUIOmniboxAimPopup', 'WebUIOmniboxPopup'];

/** Sends no request except to the test's own pages. */
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${[...offForPlaywright, ...suggestions].join(',')}`,
];

/**
 * Tests run most code of a page once. To compile it again, better, on another processor takes more time than the
 * better code gives back.
 */
const shortLived = '--js-flags=--no-opt,--no-maglev';

/** The rules of axe. The long form takes twice the time to read, for each page. */
const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** The rules that axe judges by. */
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

export interface Look {
  readonly scheme?: 'light' | 'dark';
  /** Pixels. */
  readonly width?: number;
  readonly height?: number;
}

/** A page with listeners: each of its complaints fails the test that looks. */
export class WatchedPage {
  readonly page: Page;
  readonly #complaints: string[] = [];
  readonly #expected = new Set<number>();

  constructor(page: Page) {
    this.page = page;
    page.on('crash', () => this.#complaints.push('the page crashed'));
    page.on('console', (message) => {
      // The browser calls every answer from 400 on an error of the page, also one with a message about a form.
      const isStatus = /^Failed to load resource: the server responded with a status of (?:4\d\d|503)/.test(
        message.text(),
      );
      if (message.type() === 'warning' || (message.type() === 'error' && !isStatus)) {
        this.#complaints.push(message.text());
      }
    });
    page.on('pageerror', (error) => this.#complaints.push(error.message));
    page.on('requestfailed', (request) => {
      // A page that is left while it is still fetching gives up; that is no failure.
      const reason = request.failure()?.errorText ?? '';
      if (reason !== 'net::ERR_ABORTED') this.#complaints.push(`${request.url()}: ${reason}`);
    });
    page.on('response', (response) => {
      const isDocument = response.request().resourceType() === 'document';
      const status = response.status();
      if (status >= (isDocument ? 500 : 400) && !this.#expected.has(status))
        this.#complaints.push(`${status} ${response.url()}`);
    });
  }

  /** Takes answers with these statuses as part of the story from here on. */
  expect(...statuses: readonly number[]): void {
    for (const status of statuses) this.#expected.add(status);
  }

  /** Forgets the complaints of a part of the story that is meant to go wrong, such as a lost connection. */
  forgive(): void {
    this.#complaints.splice(0);
  }

  /**
   * The only visible element with this role and name that a person can reach: while a dialog is open, those in it
   * alone. What is asked for behind a dialog waits until the dialog has closed.
   */
  get(role: Parameters<Page['getByRole']>[0], name: string | RegExp): ReturnType<Page['getByRole']> {
    const options = typeof name === 'string' ? { name, exact: true } : { name };
    if (role === 'dialog') return this.page.getByRole(role, options);
    return this.page.locator('dialog[open], body:not(:has(dialog[open]))').getByRole(role, options);
  }

  /** Finds nothing against the page: no violation of axe's rules, nothing wider than the window, no complaint so far. */
  async judge(name: string): Promise<void> {
    // A page without its stylesheet looks like no page of a real reader.
    await this.page.waitForLoadState('load');
    // The frame of the console stands before the page in it has been fetched, and a notice in the frame is no page.
    await this.page.locator('h1').first().waitFor({ state: 'attached' });
    assert.deepEqual(await this.#findViolations(), [], name);
    const beyond = await this.page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    assert.ok(Number(beyond) <= 0, `${name} is ${String(beyond)} pixels too wide`);
    this.judgeConsole(name);
  }

  /** What axe finds. Its rules are in the page once, because they are half a megabyte. */
  async #findViolations(): Promise<string[]> {
    assert.equal(this.page.frames().length, 1, 'axe looks at one frame only');
    if (!(await this.page.evaluate<boolean>('"axe" in window'))) await this.page.evaluate(axe);
    return this.page.evaluate<string[]>(`(async () => {
      const runOnly = { type: 'tag', values: ${JSON.stringify(tags)} };
      const { violations } = await window.axe.run(document, { runOnly, resultTypes: ['violations'] });
      return violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' '));
    })()`);
  }

  judgeConsole(name: string): void {
    assert.deepEqual(this.#complaints, [], name);
  }
}

/** A process of mocha that runs many files keeps its Chromium for all of them. It ends with the process. */
const { MOCHA_WORKER_ID: worker } = process.env;
const isKept = worker !== undefined;
let kept: Promise<Browser> | undefined;

/** A Chromium without a profile: it is started once, and each person has cookies and storage of their own. */
export class TestBrowser {
  readonly #executable: string;
  readonly #flags: readonly string[];
  readonly #contexts = new Set<BrowserContext>();
  #started: Promise<Browser> | undefined;

  constructor(executable: string, flags: readonly string[]) {
    this.#executable = executable;
    this.#flags = flags;
  }

  /** A page of a new person. */
  async person({ scheme = 'light', width = 900, height = 760 }: Look = {}): Promise<WatchedPage> {
    const context = await this.context({ scheme, width, height });
    return new WatchedPage(await context.newPage());
  }

  /** Cookies and storage of their own, for several pages of one person. */
  async context({ scheme = 'light', width = 900, height = 760 }: Look = {}): Promise<BrowserContext> {
    const browser = await this.#start();
    const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height } });
    context.setDefaultTimeout(30_000);
    this.#contexts.add(context);
    context.on('close', () => this.#contexts.delete(context));
    return context;
  }

  /**
   * Closes what a test of the suite has opened when the test has ended: an open page goes on asking the service. What
   * hooks have opened before the test stays.
   */
  tidyAfterEach(suite: Mocha.Suite): void {
    let before = new Set<BrowserContext | Page>();
    suite.beforeEach(() => {
      before = new Set([...this.#contexts].flatMap((context) => [context, ...context.pages()]));
    });
    suite.afterEach(async () => {
      for (const context of this.#contexts) {
        if (!before.has(context)) await context.close();
        else for (const page of context.pages()) if (!before.has(page)) await page.close();
      }
    });
  }

  /** Closes all of its pages. The next person may need a new start. */
  async close(): Promise<void> {
    for (const context of this.#contexts) await context.close();
    const started = this.#started;
    this.#started = undefined;
    if (!isKept) await (await started)?.close();
  }

  #start(): Promise<Browser> {
    const options = { executablePath: this.#executable, args: [...this.#flags] };
    const launch = (): Promise<Browser> => chromium.launch(options);
    this.#started ??= isKept ? (kept ??= keep(launch())) : launch();
    return this.#started;
  }
}

/** A Chromium that has not started or has crashed is left to the file that saw it. */
function keep(started: Promise<Browser>): Promise<Browser> {
  const forget = (): void => {
    kept = undefined;
  };
  started.then((browser) => browser.on('disconnected', forget), forget);
  return started;
}

/**
 * The Chromium that people use, for pictures and measurements.
 * @returns undefined where there is none
 */
export function findChromium(): TestBrowser | undefined {
  const found = places.find((place) => existsSync(place));
  return found === undefined ? undefined : new TestBrowser(found, flags);
}

/** For a `before` hook: without a Chromium its suite is skipped, with a sentence on how to get one. */
export function requireChromium(context: Mocha.Context): TestBrowser {
  const found = [withoutWindows, ...places].find((place) => existsSync(place));
  if (found !== undefined) return new TestBrowser(found, [...flags, shortLived]);
  return skipBecause(context, 'there is no Chromium here; on Debian: apt-get install chromium-headless-shell');
}
