import { endOfFeed } from '../../lib/feed/feed-position.js';
import { readFeed, type FeedPage, type FeedQuery } from '../../lib/feed/read-feed.js';
import type { Change } from '../../lib/domain/change.js';
import { isWithin, parseFolderLocation, rootLocation, type Location } from '../../lib/domain/location.js';
import { Client } from '../support/store/client.js';
import type { TestService } from '../support/store/service.js';

/** Reads the feed for one principal, page by page. */
export class Consumer {
  readonly client: Client;
  readonly location: Location;
  cursor = '';
  isCurrent = false;
  /** What it believes to be there: the place and the version of each document, by id. */
  readonly mirror = new Map<string, string>();

  constructor(test: TestService, principalId: string, location = '') {
    this.client = new Client(test.workspace, principalId);
    this.location = parseFolderLocation(location);
  }

  page(query: Partial<FeedQuery> = {}): Promise<FeedPage> {
    const { workspace, caller } = this.client;
    return readFeed(
      { principalId: caller.principalId, view: () => workspace.view(caller) },
      { location: this.location, kinds: null, after: this.cursor, limit: 100, ...query },
    );
  }

  /** Reads one page and follows it. */
  async follow(limit = 100): Promise<readonly Change[]> {
    const { items, next, isCurrent } = await this.page({ limit });
    this.cursor = next;
    this.isCurrent = isCurrent;
    for (const { kind, document } of items) {
      if (kind === 'left' || kind === 'deleted') this.mirror.delete(document.id);
      else this.mirror.set(document.id, `${document.location} ${document.etag}`);
    }
    return items;
  }

  /** Follows until there is nothing more. */
  async catchUp(limit = 100): Promise<Change[]> {
    const all: Change[] = [];
    do all.push(...(await this.follow(limit)));
    while (!this.isCurrent);
    return all;
  }

  /** As `catchUp`, in short: `kind place`, with an asterisk for a place that is not told. */
  async news(limit = 100): Promise<string[]> {
    return (await this.catchUp(limit)).map(({ kind, document }) => `${kind} ${document.location ?? '*'}`);
  }

  /** Begins at what happens from now on. */
  beginNow(): void {
    this.cursor = endOfFeed(this.client.workspace.view(this.client.caller));
  }

  /** What it can read now, by another way than the feed. */
  listing(): Map<string, string> {
    const view = this.client.workspace.view(this.client.caller);
    const found = new Map<string, string>();
    for (const { id, location, current } of view.walk(rootLocation)) {
      if (isWithin(this.location, location)) found.set(id, `${location} ${current.id}`);
    }
    return found;
  }
}
