import type { WatchedPage } from '../../support/browser/chromium.js';
import type { SampleWorkspace } from './sample-workspace.js';

/** A screen in a state worth a picture. */
export interface SampleScreen {
  readonly name: string;
  readonly who: keyof SampleWorkspace;
  /** As `ConsoleTest.open` takes it. */
  readonly address: string;
  /** Brings the page into the state, and resolves when it is there. */
  readonly prepare: (watched: WatchedPage) => Promise<unknown>;
}

const heading = (name: string | RegExp) => (watched: WatchedPage) => watched.get('heading', name).first().waitFor();

/** Every screen of the console, in the order of the way in. */
export const sampleScreens: readonly SampleScreen[] = [
  {
    name: 'search',
    who: 'editor',
    address: '~/search?q=trip',
    prepare: ({ page }) => page.locator('.hit').first().waitFor(),
  },
  {
    name: 'history',
    who: 'editor',
    address: '~/history/handbook/policies/travel.md',
    prepare: ({ page }) => page.locator('.history-entry').first().waitFor(),
  },
  {
    name: 'changes',
    who: 'editor',
    address: '~/history/handbook/policies/travel.md',
    prepare: async ({ page }) => {
      await page
        .getByRole('link', { name: /^Changes/ })
        .first()
        .click();
      await page.locator('.diff-mark').first().waitFor();
    },
  },
  {
    name: 'restore',
    who: 'editor',
    address: '~/history/handbook/policies/travel.md',
    prepare: async ({ page }) => {
      await page
        .getByRole('link', { name: /^Restore/ })
        .first()
        .click();
      await page.locator('.diff-mark').first().waitFor();
    },
  },
  {
    name: 'writers',
    who: 'editor',
    address: '~/history/handbook/policies/travel.md?lines=current',
    prepare: async ({ page }) => {
      await page.locator('.lines-writer').nth(1).click();
      await page.locator('.lines-card').waitFor();
    },
  },
  { name: 'not-found', who: 'editor', address: '~/d/secret/plan.md', prepare: heading(/does not exist/) },
];
