import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { skipBecause } from '../support/skip.js';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/snap/bin/chromium'];

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
];

export interface Look {
  readonly scheme?: 'light' | 'dark';
  /** Pixels. */
  readonly width?: number;
}

/** A page with listeners: each of its complaints fails the test that looks. */
export class WatchedPage {
  readonly page: Page;
  readonly #complaints: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on('console', (message) => {
      // The browser calls every answer from 400 on an error of the page, also one with a message about a form.
      const isStatus = /^Failed to load resource: the server responded with a status of 4\d\d/.test(message.text());
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
      if (response.status() >= (isDocument ? 500 : 400))
        this.#complaints.push(`${response.status()} ${response.url()}`);
    });
  }

  /** Finds nothing against the page: no violation of axe's rules, nothing wider than the window, no complaint so far. */
  async judge(name: string): Promise<void> {
    // A page without its stylesheet looks like no page of a real reader.
    await this.page.waitForLoadState('load');
    const { violations } = await new AxeBuilder({ page: this.page })
      .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
      .analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    assert.deepEqual(found, [], name);
    const beyond = await this.page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    assert.ok(Number(beyond) <= 0, `${name} is ${String(beyond)} pixels too wide`);
    this.judgeConsole(name);
  }

  judgeConsole(name: string): void {
    assert.deepEqual(this.#complaints, [], name);
  }
}

/** A Chromium with a profile of its own, which is removed afterwards. */
export class TestBrowser {
  readonly #executable: string;
  readonly #open: { readonly context: BrowserContext; readonly profile: string }[] = [];

  constructor(executable: string) {
    this.#executable = executable;
  }

  /** A new browser. */
  async person({ scheme = 'light', width = 900 }: Look = {}): Promise<WatchedPage> {
    const profile = await mkdtemp(join(tmpdir(), 'cartulary-browser-'));
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: this.#executable,
      args: flags,
      colorScheme: scheme,
      viewport: { width, height: 760 },
    });
    this.#open.push({ context, profile });
    context.setDefaultTimeout(30_000);
    return new WatchedPage(context.pages()[0] ?? (await context.newPage()));
  }

  async close(): Promise<void> {
    for (const { context, profile } of this.#open.splice(0)) {
      await context.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

/** @returns undefined where there is none */
export function findChromium(): TestBrowser | undefined {
  const found = places.find((place) => existsSync(place));
  return found === undefined ? undefined : new TestBrowser(found);
}

/** For a `before` hook: without a Chromium its suite is skipped, with a sentence on how to get one. */
export function requireChromium(context: Mocha.Context): TestBrowser {
  return findChromium() ?? skipBecause(context, 'there is no Chromium here; on Debian: apt-get install chromium');
}
