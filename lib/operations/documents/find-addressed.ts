import type { AddressedComment } from '../../domain/comment.js';
import type { Location } from '../../domain/location.js';
import { yieldToLoop } from '../../scheduling/yield-to-loop.js';
import { toComment } from '../comments/add-comment.js';
import type { ReadContext } from '../operation.js';
import { findReadable } from './read-text.js';

/** Maximum of rows read before other requests get their turn. */
const rowsAtOnce = 200;
/** Characters of all texts together, beyond the first. */
const maxCharacters = 8_000;

/**
 * Comments that mention the caller, or answer in a thread that it started. They lie between two numbers, come from
 * other principals, and are on documents readable to the caller now. The last addressed come first.
 * @returns at most so many, and the start of the next page: below this number; 0 when there is nothing more
 */
export async function findAddressed(
  { workspace, caller }: Pick<ReadContext, 'workspace' | 'caller'>,
  { after, before }: { readonly after: number; readonly before: number },
  limit: number,
): Promise<{ readonly comments: AddressedComment[]; readonly next: number }> {
  const comments: AddressedComment[] = [];
  let characters = 0;
  const locations = new Map<number, Location | undefined>();
  for (let next = before; ;) {
    const view = workspace.view(caller);
    const rows = view.tables.comments.addressedTo(caller.principalId, { after, before: next }, rowsAtOnce);
    for (const { number, comment, why, document, addressedAt } of rows) {
      if (!locations.has(document)) locations.set(document, findReadable(view, document)?.location);
      const location = comment.author.id === caller.principalId ? undefined : locations.get(document);
      if (location !== undefined) {
        characters += comment.text?.length ?? 0;
        const isFull = comments.length === limit || (comments.length > 0 && characters > maxCharacters);
        if (isFull) return { comments, next };
        const thread = view.tables.comments.findThread(comment.threadId);
        const [quote, isResolved] = [thread?.quote?.text ?? null, (thread?.resolved ?? null) !== null];
        comments.push({ comment: toComment(comment), location, why, quote, isResolved, addressedAt });
      }
      next = number;
    }
    if (rows.length < rowsAtOnce) return { comments, next: 0 };
    await yieldToLoop();
    locations.clear();
  }
}
