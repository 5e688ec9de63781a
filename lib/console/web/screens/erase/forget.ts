import { dropDraftsOf, keepNoMoreOf } from '../editor/drafts.ts';
import { tellTabs, type Forgotten } from './forgotten.ts';

/** Removes every entry that names the document, in its key or its value. */
function forgetIn(storage: Storage, { location, document }: Forgotten): void {
  for (const key of Object.keys(storage)) {
    const entry = `${key}\n${storage.getItem(key) ?? ''}`;
    if (entry.includes(location) || entry.includes(document)) storage.removeItem(key);
  }
}

/** What this tab keeps of the document, apart from its pages. */
export function forgetInTab(forgotten: Forgotten): void {
  forgetIn(sessionStorage, forgotten);
  forgetIn(localStorage, forgotten);
}

/** Forgets what this tab's editor has of the document, which it would keep once more when its page goes. */
export async function forgetForGood({ workspace, location }: Forgotten): Promise<void> {
  keepNoMoreOf(workspace, location);
  await dropDraftsOf(workspace, location).catch(() => undefined);
}

/** Forgets the document in this browser: its drafts, and what its other tabs show and keep. */
export async function forgetDocument(forgotten: Forgotten): Promise<void> {
  forgetInTab(forgotten);
  tellTabs(forgotten);
  // A browser that keeps no drafts has none to forget.
  await dropDraftsOf(forgotten.workspace, forgotten.location).catch(() => undefined);
}
