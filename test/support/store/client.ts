import { parseFolderLocation, parseLocation } from '../../../lib/domain/location.js';
import type { BriefChange } from '../../../lib/domain/brief.js';
import type { AddressedComment } from '../../../lib/domain/comment.js';
import type { HistoryEntry } from '../../../lib/domain/history-entry.js';
import { annotateDocument } from '../../../lib/operations/history/annotate-document.js';
import { addComment, type PassageInput } from '../../../lib/operations/comments/add-comment.js';
import { breakClaim } from '../../../lib/operations/claims/break-claim.js';
import { releaseClaim } from '../../../lib/operations/claims/release-claim.js';
import { renewClaim } from '../../../lib/operations/claims/renew-claim.js';
import { takeClaim } from '../../../lib/operations/claims/take-claim.js';
import { deleteComment, editComment, resolveThread } from '../../../lib/operations/comments/change-comment.js';
import { addLabels, removeLabels, setLabels } from '../../../lib/operations/documents/change-labels.js';
import { compareVersions } from '../../../lib/operations/history/compare-versions.js';
import { deleteDocument } from '../../../lib/operations/documents/delete-document.js';
import { deleteFolder } from '../../../lib/operations/folders/delete-folder.js';
import { undeleteFolder } from '../../../lib/operations/folders/undelete-folder.js';
import { listClaims } from '../../../lib/operations/claims/list-claims.js';
import { listComments } from '../../../lib/operations/comments/list-comments.js';
import {
  listMessages,
  readMessages,
  readMessageThread,
  type MessageBox,
} from '../../../lib/operations/messages/list-messages.js';
import { listReaders } from '../../../lib/operations/grants/list-readers.js';
import { markMessages } from '../../../lib/operations/messages/mark-messages.js';
import { sendMessage, type SendMessageInput } from '../../../lib/operations/messages/send-message.js';
import { listHistory } from '../../../lib/operations/history/list-history.js';
import type { Operation } from '../../../lib/operations/operation.js';
import { perform } from '../../../lib/operations/perform.js';
import type { Reader } from '../../../lib/domain/reader.js';
import type { ReadBriefInput } from '../../../lib/operations/history/find-brief-bounds.js';
import { readBrief } from '../../../lib/operations/history/read-brief.js';
import { readDocument } from '../../../lib/operations/documents/read-document.js';
import { restoreVersion } from '../../../lib/operations/documents/restore-version.js';
import { previewRevert, revertChanges } from '../../../lib/operations/history/revert-changes.js';
import { updateDocument } from '../../../lib/operations/documents/update-document.js';
import { Actor } from './actor.js';
import type { TestService } from './service.js';
import { listOwnClaims } from './list-own-claims.js';
import { parsePrecondition } from '../../../lib/api/requests/parse-precondition.js';

/** One principal's calls on history, claims and comments too; all through `perform`. */
export class Client extends Actor {
  get id(): string {
    return this.caller.principalId;
  }

  async perform<Input, Result, Prepared>(operation: Operation<Input, Result, Prepared>, input: Input): Promise<Result> {
    return (await perform(this.workspace, this.caller, operation, input)).result;
  }

  history(location: string, limit = 50, after = '') {
    return this.perform(listHistory, { location: parseLocation(location), after, limit });
  }

  /** The whole history by pages, each entry as a line. */
  async historyLines(location: string, limit = 50): Promise<string[]> {
    const lines: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const page: Awaited<ReturnType<Client['history']>> = await this.history(location, limit, after);
      lines.push(...page.items.map(describeEntry));
      after = page.next;
    }
    return lines;
  }

  diff(location: string, fromVersionId?: string, toVersionId?: string) {
    return this.perform(compareVersions, { location: parseLocation(location), fromVersionId, toVersionId });
  }

  annotate(location: string, versionId?: string) {
    return this.perform(annotateDocument, { location: parseLocation(location), versionId });
  }

  restore(location: string, versionId: string, ifMatch = '*', claimId?: string) {
    const precondition = parsePrecondition(ifMatch, 'If-Match');
    const input = { location: parseLocation(location), versionId, precondition, message: null, claimId };
    return this.perform(restoreVersion, input);
  }

  updateUnder(claimId: string, location: string, text: string) {
    return this.perform(updateDocument, {
      location: parseLocation(location),
      precondition: { any: true },
      content: { bytes: Buffer.from(text) },
      message: null,
      claimId,
    });
  }

  deleteUnder(claimId: string, location: string) {
    return this.perform(deleteDocument, { location: parseLocation(location), precondition: { any: true }, claimId });
  }

  deleteFolder(location: string) {
    return this.perform(deleteFolder, { location: parseFolderLocation(location) });
  }

  undeleteFolder(location: string) {
    return this.perform(undeleteFolder, { location: parseFolderLocation(location) });
  }

  previewRevert(principalId: string, location: string, since: number) {
    return this.perform(previewRevert, { principalId, location: parseFolderLocation(location), since });
  }

  revert(principalId: string, location: string, since: number, preview: string) {
    const input = { principalId, location: parseFolderLocation(location), since, preview, message: null };
    return this.perform(revertChanges, input);
  }

  async claim(location: string, section?: string, seconds?: number, purpose?: string) {
    const taken = await this.perform(takeClaim, { location: parseLocation(location), section, seconds, purpose });
    return { ...taken.claim, renewed: taken.renewed };
  }

  renew(claimId: string, seconds?: number) {
    return this.perform(renewClaim, { claimId, seconds });
  }

  release(claimId: string) {
    return this.perform(releaseClaim, { claimId });
  }

  breakClaim(location: string, claimId: string) {
    return this.perform(breakClaim, { location: parseLocation(location), claimId });
  }

  async claims(location = ''): Promise<string[]> {
    const input = { location: parseFolderLocation(location), after: '', limit: 200 };
    return (await this.perform(listClaims, input)).items.map((claim) => `${claim.location}#${claim.section ?? ''}`);
  }

  async ownClaims(): Promise<string[]> {
    const claims = await this.perform(listOwnClaims, { limit: 200 });
    return claims.map(({ location, section, standing }) => `${location}#${section ?? ''} ${standing}`);
  }

  /** The document's record, without its content. */
  async record(location: string) {
    const input = { location: parseLocation(location), withContent: false };
    return (await this.perform(readDocument, input)).document;
  }

  async comment(
    location: string,
    text: string,
    options: { passage?: PassageInput; threadId?: string; mentions?: string[] } = {},
  ) {
    const { passage, threadId, mentions = [] } = options;
    const input = { location: parseLocation(location), text, passage, threadId, mentions };
    return (await this.perform(addComment, input)).comment;
  }

  async editComment(location: string, commentId: string, text: string, mentions: string[] = []) {
    const input = { location: parseLocation(location), commentId, text, mentions };
    return (await this.perform(editComment, input)).comment;
  }

  deleteComment(location: string, commentId: string) {
    return this.perform(deleteComment, { location: parseLocation(location), commentId });
  }

  resolve(location: string, threadId: string, resolved = true) {
    return this.perform(resolveThread, { location: parseLocation(location), threadId, resolved });
  }

  comments(location: string, which: 'all' | 'open' = 'all', limit = 50, after = '') {
    return this.perform(listComments, { location: parseLocation(location), which, after, limit });
  }

  /** The text of each comment with where its passage is: `text`, `text @12`, `text (orphaned)`. */
  async remarks(location: string, which: 'all' | 'open' = 'all'): Promise<string[]> {
    return (await this.comments(location, which)).items.map(({ comment, anchor }) => {
      if (anchor.type === 'document') return comment.text;
      return `${comment.text} ${anchor.type === 'orphaned' ? '(orphaned)' : `@${anchor.place.start}`}`;
    });
  }

  /** All comments and messages ever addressed to it, the last first, by pages of a brief. */
  async addressed(): Promise<AddressedComment[]> {
    const found: AddressedComment[] = [];
    for (let after: string | null = ''; after !== null;) {
      const page: Awaited<ReturnType<Client['brief']>> = await this.brief({ since: 0, keepsMark: true, after });
      found.push(...page.comments);
      after = page.next;
    }
    return found;
  }

  /** Starts a thread, or answers in one. */
  async send(to: readonly string[] | undefined, body: string, more: Omit<SendMessageInput, 'body' | 'to'> = {}) {
    const subject = more.threadId === undefined ? { subject: 'Subject' } : {};
    return (await this.perform(sendMessage, { ...subject, ...more, to, body })).message;
  }

  messages(box: MessageBox = 'inbox', limit = 50, after = '', about?: string) {
    return this.perform(listMessages, {
      box,
      after,
      limit,
      about: about === undefined ? undefined : parseFolderLocation(about),
    });
  }

  /** The messages in the box, the newest first: `sender: text [about]`, with a star for an unread one. */
  async mail(box: MessageBox = 'inbox'): Promise<string[]> {
    return (await this.messages(box)).items.map(
      ({ from, preview, about, isRead }) =>
        `${from.displayName}: ${preview}${about === null ? '' : ` [${about}]`}${isRead ? '' : ' *'}`,
    );
  }

  readThread(threadId: string, limit = 50, after = '') {
    return this.perform(readMessageThread, { threadId, after, limit });
  }

  readMessages(...messageIds: string[]) {
    return this.perform(readMessages, { messageIds });
  }

  mark(isRead: boolean, ...messageIds: string[]) {
    return this.perform(markMessages, { messageIds, isRead });
  }

  readersPage(location: string, limit = 200, after = '') {
    return this.perform(listReaders, { location: parseFolderLocation(location), limit, after });
  }

  /** `name role: via, …` of all readers there. */
  async readers(location: string): Promise<string[]> {
    return (await this.readersPage(location)).items.map(describeReader);
  }

  brief(input: Partial<ReadBriefInput> = {}) {
    return this.perform(readBrief, {
      location: parseFolderLocation(''),
      keepsMark: false,
      after: '',
      limit: 50,
      ...input,
    });
  }

  /** A brief's changes, the last first: `action location (versions, from place) by names`. */
  async news(input: Partial<ReadBriefInput> = {}): Promise<string[]> {
    return (await this.brief(input)).changes.map(describeChange);
  }

  async labels(how: 'add' | 'remove' | 'set', location: string, ...labels: string[]): Promise<readonly string[]> {
    const operation = { add: addLabels, remove: removeLabels, set: setLabels }[how];
    return (await this.perform(operation, { location: parseLocation(location), labels })).labels;
  }
}

export function describeChange({ of, action, location, versions, documents, from, by }: BriefChange): string {
  const folder = documents === undefined ? `${location}/` : `${documents} in ${location}/`;
  const place = of === 'folder' ? folder : location;
  const details = [...(versions > 1 ? [`${versions} versions`] : []), ...(from === null ? [] : [`from ${from}`])];
  const names = by.map(({ displayName }) => displayName).join(', ');
  return `${action} ${place}${details.length === 0 ? '' : ` (${details.join(', ')})`} by ${names}`;
}

/** `name role: group › role of folder "place", …`; an unnamed group is `?`. */
export function describeReader({ principal, role, via }: Reader): string {
  const ways = via.map(({ scopeType, location, role: given, groups }) =>
    [...groups.map(({ displayName }) => displayName ?? '?'), `${given} of ${scopeType} "${location}"`].join(' › '),
  );
  return `${principal.displayName} ${role}: ${ways.join(', ')}`;
}

function describeEntry(entry: HistoryEntry): string {
  const hidden = '?';
  switch (entry.type) {
    case 'version':
      return `${entry.operation} ${entry.location ?? hidden}`;
    case 'relocation':
      return `${entry.operation} ${entry.of} ${entry.from ?? hidden} > ${entry.to ?? hidden}`;
    case 'deletion':
      return `deletion ${entry.of} ${entry.location ?? hidden}`;
  }
}

/** A principal with one grant on a folder; without a role, one without grants. */
export async function addClient(
  { service, workspace }: { service: TestService; workspace: TestService['workspace'] },
  name: string,
  role?: 'reader' | 'editor' | 'approver',
  folder = '',
): Promise<Client> {
  const id = await service.principal(name);
  if (role !== undefined) await service.grant(role, { type: 'principal', id }, folder);
  return new Client(workspace, id);
}

/** The document's current version's id. */
export async function versionOf(client: Client, location: string): Promise<string> {
  return (await client.record(location)).current.id;
}
