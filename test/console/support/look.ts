import type { Locator } from 'playwright-core';
import type { WatchedPage } from '../../support/browser/chromium.js';

/** What stands in the field with this label. */
export function textOf(look: WatchedPage, label: string): Promise<string> {
  return look.page.getByLabel(label, { exact: true }).inputValue();
}

/** Waits until the page has this text. */
export async function shows(look: WatchedPage, text: string | RegExp): Promise<void> {
  await look.page.getByText(text).first().waitFor();
}

/** A button of the open dialog. */
export function inDialog(look: WatchedPage, name: string): Locator {
  return look.page.getByRole('dialog').getByRole('button', { name });
}

/** Chooses from the menu of the page's subject. */
export async function choose(look: WatchedPage, item: string): Promise<void> {
  await look.get('button', /^Actions for /).click();
  await look.page.getByRole('menuitem', { name: item }).click();
}
