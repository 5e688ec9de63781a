import type { Page } from '../domain/page.js';

/** Which page of a list is read. */
export interface AskedPage {
  /** The end position of the page before; '' for the first one. */
  readonly after: string;
  readonly limit: number;
}

const usualLimit = 200;
/** Items that a command prints; the first ones. */
const mostItems = 100_000;
/** Characters of JSON in them, about: an answer is one text in memory. */
const mostCharacters = 32 * 1024 * 1024;

/** What a command may still read for its answer. */
export class Room {
  #items = mostItems;
  #characters = mostCharacters;
  /** Whether something was left out. */
  isCut = false;

  get isFull(): boolean {
    return this.#items <= 0 || this.#characters <= 0;
  }

  take(items: readonly unknown[]): void {
    this.#items -= items.length;
    this.#characters -= JSON.stringify(items).length;
  }
}

interface Reading {
  /** Items of a page. */
  readonly limit?: number;
  /** Shared by the lists of one answer. */
  readonly room?: Room;
}

/** Reads page after page, as long as there is room in the answer. */
export async function readPages<Item>(
  read: (page: AskedPage) => Promise<Page<Item>>,
  { limit = usualLimit, room = new Room() }: Reading = {},
): Promise<Item[]> {
  const items: Item[] = [];
  for (let after: string | null = ''; after !== null && !room.isFull;) {
    const page: Page<Item> = await read({ after, limit });
    room.take(page.items);
    items.push(...page.items);
    after = page.next;
    room.isCut ||= after !== null && room.isFull;
  }
  return items;
}

/** The list of a command. */
type PrintedList<Shown> = {
  readonly items: readonly Shown[];
  /** There is more than fits into an answer. */
  readonly is_cut?: true;
};

/** The items of an answer, and whether its room was too small for all. */
export function printedList<Shown>(items: readonly Shown[], { isCut }: Room): PrintedList<Shown> {
  return isCut ? { items, is_cut: true } : { items };
}

/** Reads page after page, and says where the list is cut. */
export async function listPages<Item, Shown>(
  read: Parameters<typeof readPages<Item>>[0],
  toShown: (item: Item) => Shown,
  limit = usualLimit,
): Promise<PrintedList<Shown>> {
  const room = new Room();
  return printedList((await readPages(read, { limit, room })).map(toShown), room);
}

/** Items of a page where a row costs little, and a page goes through all rows. */
export const longPage = 1000;
