/** A document that this browser has to forget. */
export interface Forgotten {
  readonly workspace: string;
  readonly location: string;
  readonly document: string;
}

/** One for the tab: a channel hears the other tabs, and not itself. */
export const channel = new BroadcastChannel('cartulary-forgotten');

/** Has the other tabs of this browser forget a document. */
export function tellTabs(forgotten: Forgotten): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin alone
  channel.postMessage(forgotten);
}
