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
  {
    name: 'erase',
    who: 'admin',
    address: '~/d/support/answers.md',
    prepare: async (watched) => {
      await watched.get('button', 'More actions for answers.md').click();
      await watched.get('menuitem', 'Erase document…').click();
      await watched.get('heading', 'What cannot be recalled').waitFor();
    },
  },
  { name: 'erasures', who: 'admin', address: '~/erasures', prepare: shown('text=erased for good') },
  {
    name: 'receipt',
    who: 'admin',
    address: '~/erasures',
    prepare: async ({ page }) => {
      await page.getByRole('link', { name: /^A document/ }).click();
      await page.getByText('No file of this workspace holds a trace of it.').waitFor();
    },
  },
  {
    name: 'undo',
    who: 'admin',
    address: '~/undo',
    prepare: async ({ page }) => {
      await page.getByRole('combobox', { name: 'Since when' }).selectOption('The last 7 days');
      await page.getByRole('combobox', { name: 'Who' }).selectOption({ label: 'Editor (person)' });
      await page.getByRole('list', { name: 'What would happen' }).waitFor();
    },
  },
  { name: 'what-changed', who: 'editor', address: '~/changes', prepare: shown('.change') },
  { name: 'overview', who: 'admin', address: '~/overview', prepare: shown('.chart') },
  { name: 'search', who: 'editor', address: '~/search?q=trip', prepare: shown('.hit') },
  { name: 'connectors', who: 'admin', address: '~/connectors', prepare: shown('text=Old wiki') },
  {
    name: 'connector',
    who: 'admin',
    address: '~/connectors',
    prepare: async ({ page }) => {
      await page.getByRole('link', { name: 'Website', exact: true }).click();
      await page.getByText('needs approval').first().waitFor();
      await page.getByRole('list', { name: 'Syncs' }).waitFor();
    },
  },
  {
    name: 'connector-stopped',
    who: 'admin',
    address: '~/connectors',
    prepare: async ({ page }) => {
      await page.getByRole('link', { name: 'Old wiki' }).click();
      await page.getByRole('list', { name: 'Syncs' }).waitFor();
    },
  },
  {
    name: 'disconnect',
    who: 'admin',
    address: '~/connectors',
    prepare: async ({ page }) => {
      await page.getByRole('link', { name: 'Scans of the office' }).click();
      await page.getByRole('button', { name: /^Actions for/ }).click();
      await page.getByRole('menuitem', { name: 'Disconnect' }).click();
      await page.getByLabel('Delete them').check();
    },
  },
  {
    name: 'connect',
    who: 'admin',
    address: '~/connectors/new?folder=handbook',
    prepare: async ({ page }) => {
      await page.getByRole('radio', { name: 'Git repository' }).check();
      await page.getByLabel('Address', { exact: true }).fill('https://git.example.org/team/site.git');
    },
  },
  { name: 'mirror', who: 'admin', address: '~/f/projects/scans', prepare: shown('text=This folder is a mirror') },
  { name: 'webhooks', who: 'admin', address: '~/webhooks', prepare: shown('text=Index of the site') },
  {
    name: 'webhook',
    who: 'admin',
    address: '~/webhooks',
    prepare: async ({ page }) => {
      await page.getByRole('link', { name: 'Index of the site' }).click();
      await page.getByRole('list', { name: 'Deliveries' }).waitFor();
    },
  },
  {
    name: 'add-webhook',
    who: 'admin',
    address: '~/webhooks',
    prepare: async ({ page }) => {
      await page.getByRole('button', { name: 'Add webhook' }).click();
      await page.getByLabel('Some kinds of changes').check();
    },
  },
  { name: 'applications', who: 'admin', address: '~/applications', prepare: shown('text=No application acts') },
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
    name: 'who-read',
    who: 'admin',
    address: '~/audit?location=handbook',
    prepare: ({ page }) => page.getByRole('list', { name: 'Readers' }).waitFor(),
  },
  {
    name: 'audit-records',
    who: 'admin',
    address: '~/audit/records?location=handbook&time=days&from=2026-01-01&to=2026-01-31',
    prepare: ({ page }) => page.getByRole('list', { name: 'Records' }).waitFor(),
  },
  {
    name: 'audit-record',
    who: 'admin',
    address: '~/audit/records?action=document.update',
    prepare: async ({ page }) => {
      await page
        .getByRole('button', { name: /^Details/ })
        .first()
        .click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'audit-check',
    who: 'admin',
    address: '~/audit/check',
    prepare: async ({ page }) => {
      await page.getByRole('button', { name: /^Check (?:the log|again)$/ }).click();
      await page.getByText('The log is whole').waitFor();
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
