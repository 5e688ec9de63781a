import type { Page } from '../domain/page.js';

const usualLimit = 200;
/** Items that a command prints; the first ones. */
const most = 100_000;

/** Reads page after page, up to as many items as a command prints. @param limit items of a page */
export async function readPages<Item>(
  read: (page: { readonly after: string; readonly limit: number }) => Promise<Page<Item>>,
  limit = usualLimit,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let after: string | null = ''; after !== null && items.length < most;) {
    const page: Page<Item> = await read({ after, limit });
    items.push(...page.items);
    after = page.next;
  }
  return items;
}

/** Items of a page where a row costs little, and a page goes through all rows. */
export const longPage = 1000;
