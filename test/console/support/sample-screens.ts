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

const shown =
  (selector: string) =>
  ({ page }: WatchedPage) =>
    page.locator(selector).first().waitFor();

/** Every screen of the console, in the order of the way in. */
export const sampleScreens: readonly SampleScreen[] = [
  { name: 'documents', who: 'editor', address: '~/f/handbook', prepare: shown('text=welcome.md') },
  {
    name: 'selected',
    who: 'editor',
    address: '~/f/handbook',
    prepare: async (watched) => {
      for (const name of ['policies', 'welcome.md']) {
        await watched.get('checkbox', `Select ${name}`).check({ force: true });
      }
    },
  },
  { name: 'start', who: 'editor', address: '~/f/', prepare: shown('text=handbook') },
  { name: 'nothing-shared', who: 'stranger', address: '~/f/', prepare: heading(/./) },
  { name: 'reader', who: 'editor', address: '~/d/handbook/policies/travel.md', prepare: shown('.comment-text') },
  { name: 'source', who: 'reader', address: '~/d/handbook/policies/travel.md?view=source', prepare: shown('.source') },
  { name: 'claim', who: 'admin', address: '~/d/support/answers.md', prepare: shown('text=Break claim') },
  { name: 'editor', who: 'editor', address: '~/edit/handbook/policies/travel.md', prepare: shown('.cm-content') },
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
  { name: 'trash', who: 'editor', address: '~/trash', prepare: shown('text=old-phone-list.md') },
  { name: 'search', who: 'editor', address: '~/search?q=trip', prepare: shown('.hit') },
  { name: 'access', who: 'admin', address: '~/access', prepare: shown('text=Answering agent') },
  {
    name: 'groups',
    who: 'admin',
    address: '~/access/groups',
    prepare: async ({ page }) => {
      await page.getByRole('button', { name: 'Show groups in Everyone' }).click();
      await page.getByRole('link', { name: 'Support team' }).waitFor();
    },
  },
  {
    name: 'membership',
    who: 'admin',
    address: '~/access/groups',
    prepare: async ({ page }) => {
      await page.getByRole('link', { name: 'Everyone' }).click();
      await page.getByRole('button', { name: 'Remove Support team' }).click();
      await page.getByRole('list', { name: 'Changes of access' }).waitFor();
    },
  },
  {
    name: 'principal',
    who: 'admin',
    address: '~/access',
    prepare: async ({ page }) => {
      await page.getByRole('link', { name: 'Answering agent' }).click();
      await page.getByRole('heading', { name: 'Tokens' }).waitFor();
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    },
  },
  {
    name: 'mint',
    who: 'admin',
    address: '~/access',
    prepare: async ({ page }) => {
      await page.getByRole('link', { name: 'Answering agent' }).click();
      await page.getByRole('button', { name: 'Mint token' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'share',
    who: 'admin',
    address: '~/f/support?share',
    prepare: async ({ page }) => {
      await page.getByLabel('Role of Everyone').waitFor();
      await page.getByLabel('People, agents and groups').fill('r');
      await page.getByRole('option', { name: /^Reader/ }).waitFor();
    },
  },
  {
    name: 'share-why',
    who: 'admin',
    address: '~/d/support/answers.md?share',
    prepare: async (watched) => {
      await watched.get('tab', 'Everyone with access').click();
      await watched.page.getByText('Answering agent').last().waitFor();
    },
  },
  {
    name: 'share-reader',
    who: 'reader',
    address: '~/f/handbook?share',
    prepare: ({ page }) => page.getByRole('list', { name: 'Everyone with access' }).waitFor(),
  },
  {
    name: 'move',
    who: 'editor',
    address: '~/f/projects/office?move',
    prepare: async ({ page }) => {
      await page.getByRole('row', { name: 'handbook', exact: true }).click();
      await page.getByText('To handbook').waitFor();
    },
  },
  {
    name: 'move-report',
    who: 'editor',
    address: '~/f/projects/office?move',
    prepare: async (watched) => {
      await watched.page.getByRole('row', { name: 'handbook', exact: true }).click();
      await watched.get('button', 'Move').click();
      await watched.page.getByRole('list', { name: 'Gains access' }).waitFor();
    },
  },
  {
    name: 'rename',
    who: 'editor',
    address: '~/d/projects/office/plan.md?rename',
    prepare: ({ page }) => page.getByLabel('New name').waitFor(),
  },
  { name: 'not-found', who: 'editor', address: '~/d/secret/plan.md', prepare: heading(/does not exist/) },
];
