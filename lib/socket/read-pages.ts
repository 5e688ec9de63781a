import type { Page } from '../domain/page.js';

const limit = 200;
/** Items printed by a command; the first ones. */
const most = 1000;

/** Reads page after page, up to as many items as a command prints. */
export async function readPages<Item>(
  read: (page: { readonly after: string; readonly limit: number }) => Promise<Page<Item>>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let after: string | null = ''; after !== null && items.length < most;) {
    const page: Page<Item> = await read({ after, limit });
    items.push(...page.items);
    after = page.next;
  }
  return items;
}
