/** Steps of the load without a version: comments, messages, people and access. */
import { parseLocation } from '../../../lib/domain/location.js';
import type { Caller } from '../../../lib/domain/caller.js';
import { addComment } from '../../../lib/operations/comments/add-comment.js';
import { addPrincipal } from '../../../lib/operations/principals/add-principal.js';
import { breakClaim } from '../../../lib/operations/claims/break-claim.js';
import { releaseClaimAt } from '../../../lib/operations/claims/release-claim.js';
import { takeClaim } from '../../../lib/operations/claims/take-claim.js';
import { deleteComment, editComment, resolveThread } from '../../../lib/operations/comments/change-comment.js';
import { setLabels } from '../../../lib/operations/documents/change-labels.js';
import { changePolicy } from '../../../lib/operations/workspaces/change-policy.js';
import type { Retry } from '../../../lib/operations/operation.js';
import { perform } from '../../../lib/operations/perform.js';
import { sendMessage } from '../../../lib/operations/messages/send-message.js';
import { setPrincipalState } from '../../../lib/operations/principals/set-principal-state.js';
import type { Workspace } from '../../../lib/workspace/workspace.js';
import type { Model, ModelDocument, Outcome, Step } from './model.js';

/** The only comment of its thread. */
export interface ModelComment {
  readonly thread: string;
  readonly text: string;
  readonly isResolved: boolean;
}

export interface ModelPerson {
  readonly name: string;
  readonly isDisabled: boolean;
}

interface At {
  readonly location: string;
}

export type Saying =
  | (At & { readonly kind: 'label'; readonly labels: readonly string[] })
  | (At & { readonly kind: 'comment'; readonly text: string })
  | (At & { readonly kind: 'edit-comment'; readonly comment: string; readonly text: string })
  | (At & { readonly kind: 'delete-comment'; readonly comment: string })
  | (At & { readonly kind: 'resolve'; readonly comment: string; readonly thread: string; readonly isResolved: boolean })
  | (At & { readonly kind: 'claim' | 'release' })
  | (At & { readonly kind: 'break'; readonly claim: string })
  | { readonly kind: 'message'; readonly about: (At & { readonly id: string }) | null; readonly body: string }
  | { readonly kind: 'person'; readonly name: string }
  | { readonly kind: 'disable'; readonly id: string; readonly isDisabled: boolean }
  | { readonly kind: 'policy'; readonly requestsPerMinute: number };

const kinds: ReadonlySet<string> = new Set<Saying['kind']>([
  'label',
  'comment',
  'edit-comment',
  'delete-comment',
  'resolve',
  'claim',
  'release',
  'break',
  'message',
  'person',
  'disable',
  'policy',
]);

export const isSaying = (step: Step): step is Saying => kinds.has(step.kind);

/** Claims that one actor holds at a time. */
const maxClaims = 10;

/** Chooses a step. It has to succeed. */
export function chooseSaying(model: Model, home: string, tag: string, random: () => number): Saying | undefined {
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];
  const dice = random();
  if (dice < 0.05) return { kind: 'policy', requestsPerMinute: 1e6 + Math.floor(random() * 1e6) };
  if (dice < 0.1) return { kind: 'person', name: `${home} person ${tag}` };
  const [id, person] = pick(Object.entries(model.people)) ?? [];
  if (dice < 0.15 && id !== undefined) return { kind: 'disable', id, isDisabled: person?.isDisabled !== true };
  const [location, document] = pick(Object.entries(model.documents)) ?? [];
  if (dice < 0.25 || location === undefined || document === undefined) {
    const about = location === undefined || document === undefined ? null : { location, id: document.id };
    return { kind: 'message', about: random() < 0.7 ? about : null, body: `${home} message ${tag}` };
  }
  if (dice < 0.4) {
    const labels = ['draft', 'final', 'legal', tag].filter(() => random() < 0.5).toSorted();
    return { kind: 'label', location, labels };
  }
  if (dice < 0.6) {
    const { claim } = document;
    const claims = Object.values(model.documents).filter((each) => each.claim !== undefined);
    if (claim !== undefined) return random() < 0.5 ? { kind: 'release', location } : { kind: 'break', location, claim };
    if (claims.length < maxClaims) return { kind: 'claim', location };
  }
  const talked = pick(
    Object.entries(model.documents).filter(([, { comments = {} }]) => Object.keys(comments).length > 0),
  );
  const [comment, known] = pick(Object.entries(talked?.[1].comments ?? {})) ?? [];
  if (dice < 0.85 && talked !== undefined && comment !== undefined && known !== undefined) {
    const [at] = talked;
    if (dice < 0.68) return { kind: 'edit-comment', location: at, comment, text: `edited ${tag}` };
    if (dice < 0.75) return { kind: 'delete-comment', location: at, comment };
    return { kind: 'resolve', location: at, comment, thread: known.thread, isResolved: !known.isResolved };
  }
  return { kind: 'comment', location, text: `said ${tag}` };
}

/** Repeats a step of the workspace in the model. */
export function applySaying(model: Model, step: Saying, { comment, made }: Outcome): void {
  if (step.kind === 'person') {
    model.people[made ?? ''] = { name: step.name, isDisabled: false };
  } else if (step.kind === 'disable') {
    model.people[step.id] = { name: model.people[step.id]?.name ?? '', isDisabled: step.isDisabled };
  } else if (step.kind === 'message') {
    model.messages[step.body] = { about: step.about?.id ?? null };
  } else if (step.kind !== 'policy') {
    const document = model.documents[step.location];
    if (document === undefined) throw new Error(`The model has no ${step.location}.`);
    model.documents[step.location] = changed(document, step, comment, made);
  }
}

function changed(
  document: ModelDocument,
  step: Exclude<Saying, { kind: 'policy' | 'person' | 'disable' | 'message' }>,
  comment: Outcome['comment'],
  made: string | undefined,
): ModelDocument {
  const { comments = {} } = document;
  const withComment = (id: string, change: Partial<ModelComment>): ModelDocument => {
    const known = comments[id] ?? { thread: '', text: '', isResolved: false };
    return { ...document, comments: { ...comments, [id]: { ...known, ...change } } };
  };
  switch (step.kind) {
    case 'label':
      return { ...document, labels: step.labels };
    case 'comment':
      return withComment(comment?.id ?? '', { thread: comment?.thread ?? '', text: step.text });
    case 'edit-comment':
      return withComment(step.comment, { text: step.text });
    case 'resolve':
      return withComment(step.comment, { isResolved: step.isResolved });
    case 'delete-comment':
      return {
        ...document,
        comments: Object.fromEntries(Object.entries(comments).filter(([id]) => id !== step.comment)),
      };
    case 'claim':
      return { ...document, claim: made };
    case 'release':
    case 'break':
      return { ...document, claim: undefined };
  }
}

/** Sends it through `perform`. @throws Refusal */
export async function runSaying(
  workspace: Workspace,
  caller: Caller,
  step: Saying,
  retry: Retry | undefined,
): Promise<Outcome & { readonly replayed: boolean }> {
  const location = 'location' in step ? parseLocation(step.location) : parseLocation('nowhere');
  switch (step.kind) {
    case 'label':
      await perform(workspace, caller, setLabels, { location, labels: step.labels });
      break;
    case 'comment': {
      const input = { location, text: step.text, mentions: [] };
      const { result, replayed } = await perform(workspace, caller, addComment, input, retry);
      return { comment: { id: result.comment.id, thread: result.comment.threadId }, replayed };
    }
    case 'edit-comment': {
      const input = { location, commentId: step.comment, text: step.text, mentions: [] };
      await perform(workspace, caller, editComment, input);
      break;
    }
    case 'delete-comment':
      await perform(workspace, caller, deleteComment, { location, commentId: step.comment });
      break;
    case 'resolve': {
      const input = { location, threadId: step.thread, resolved: step.isResolved };
      await perform(workspace, caller, resolveThread, input);
      break;
    }
    case 'claim': {
      const { result, replayed } = await perform(workspace, caller, takeClaim, { location, seconds: 86_400 }, retry);
      return { made: result.claim.id, replayed };
    }
    case 'release':
      await perform(workspace, caller, releaseClaimAt, { location });
      break;
    case 'break':
      await perform(workspace, caller, breakClaim, { location, claimId: step.claim });
      break;
    case 'message': {
      const about = step.about === null ? undefined : parseLocation(step.about.location);
      const input = { to: [caller.principalId], subject: 'a message', body: step.body, about };
      await perform(workspace, caller, sendMessage, input);
      break;
    }
    case 'person': {
      const input = { displayName: step.name, kind: 'person' } as const;
      return { made: (await perform(workspace, caller, addPrincipal, input)).result.id, replayed: false };
    }
    case 'disable':
      await perform(workspace, caller, setPrincipalState, { principalId: step.id, disabled: step.isDisabled });
      break;
    case 'policy':
      await perform(workspace, caller, changePolicy, { requestsPerMinute: step.requestsPerMinute });
      break;
  }
  return { replayed: false };
}
