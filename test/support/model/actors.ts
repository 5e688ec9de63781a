import type { Brief, BriefChange } from '../../../lib/domain/brief.js';
import { parseFolderLocation, rootLocation } from '../../../lib/domain/location.js';
import type { Subject } from '../../../lib/domain/grant.js';
import type { Role } from '../../../lib/domain/role.js';
import { createGrant, revokeGrant } from '../../../lib/operations/grants/change-grant.js';
import { createDocument } from '../../../lib/operations/documents/create-document.js';
import { readChanges } from '../../../lib/operations/feed/read-feed-pages.js';
import { exportFolder } from '../../../lib/operations/folders/export-folder.js';
import { listReaders } from '../../../lib/operations/grants/list-readers.js';
import { listGrants } from '../../../lib/operations/grants/list-grants.js';
import { perform } from '../../../lib/operations/perform.js';
import { readBrief } from '../../../lib/operations/history/read-brief.js';
import { setPrincipalState } from '../../../lib/operations/principals/set-principal-state.js';
import { undeleteDocument } from '../../../lib/operations/documents/undelete-document.js';
import type { Retry } from '../../../lib/operations/operation.js';
import type { Workspace } from '../../../lib/workspace/workspace.js';
import { Actor } from '../store/actor.js';
import { describeReader } from '../store/client.js';
import type { SeenPage } from './feed-mirror.js';
import { openTestService, operator, type TestService } from '../store/service.js';
import { gather } from '../gather.js';

type ScopeType = 'folder' | 'document';

/** A person in a scenario: all actions of an actor, and sharing. */
export class Person extends Actor {
  readonly id: string;
  readonly subject: Subject;

  constructor(workspace: Workspace, id: string) {
    super(workspace, id);
    this.id = id;
    this.subject = { type: 'principal', id };
  }

  async grant(role: Role, subject: Subject, location: string, scopeType: ScopeType = 'folder'): Promise<void> {
    const input = { role, subject, location: parseFolderLocation(location), scopeType };
    await perform(this.workspace, this.caller, createGrant, input);
  }

  async revoke(role: Role, subject: Subject, location: string, scopeType: ScopeType = 'folder'): Promise<void> {
    const input = { role, subject, location: parseFolderLocation(location), scopeType };
    await perform(this.workspace, this.caller, revokeGrant, input);
  }

  /** @returns `role subject-id` of each grant on the scope */
  async grants(location: string, scopeType: ScopeType = 'folder'): Promise<string[]> {
    const input = { location: parseFolderLocation(location), scopeType, inherited: false, after: '', limit: 200 };
    const { result } = await perform(this.workspace, this.caller, listGrants, input);
    return result.items.map(({ role, subject }) => `${role} ${subject.id}`);
  }

  /** @returns `name role: by which grants` of all readers there */
  async readers(location: string): Promise<string[]> {
    const input = { location: parseFolderLocation(location), after: '', limit: 200 };
    const { result } = await perform(this.workspace, this.caller, listReaders, input);
    return result.items.map(describeReader);
  }

  /** @returns all changes of a brief from the beginning, by pages */
  async briefFromTheStart(): Promise<BriefChange[]> {
    const input = { location: rootLocation, since: 0, keepsMark: true, limit: 3 };
    const changes: BriefChange[] = [];
    for (let after: string | null = ''; after !== null;) {
      const page: Brief = (await perform(this.workspace, this.caller, readBrief, { ...input, after })).result;
      changes.push(...page.changes);
      after = page.next;
    }
    return changes;
  }

  /** @returns a page of what changed; '' for the beginning */
  async changes(cursor: string): Promise<SeenPage> {
    const { signal } = new AbortController();
    const form = { wait: 0, form: 'page', standAside: () => signal } as const;
    const input = { location: rootLocation, kinds: null, after: cursor, limit: 4, ...form };
    const { page } = (await perform(this.workspace, this.caller, readChanges, input)).result;
    return page;
  }

  /** @returns the locations in the archive, in its order */
  async export(folder = ''): Promise<string[]> {
    const input = { location: parseFolderLocation(folder) };
    const { result } = await perform(this.workspace, this.caller, exportFolder, input);
    try {
      return (await gather(result.documents)).map(({ document }) => document.location as string);
    } finally {
      result.close();
    }
  }

  /** Renames or moves to a whole new path, in one step or two. */
  async relocate(from: string, to: string): Promise<void> {
    const [folder, name] = [to.split('/').slice(0, -1).join('/'), to.split('/').at(-1) ?? ''];
    const { to: moved } = from.startsWith(`${folder}/`) ? { to: from } : await this.move(from, folder, true);
    if (moved !== to) await this.rename(moved, name, true);
  }

  /** Creates with labels, which no other short way does. */
  async createLabelled(location: string, ...labels: string[]): Promise<void> {
    const input = { location: parseFolderLocation(location), content: { bytes: Buffer.from('text') }, message: null };
    await perform(this.workspace, this.caller, createDocument, { ...input, labels });
  }

  async undeleteWithKey(location: string, retry: Retry): Promise<boolean> {
    const input = { location: parseFolderLocation(location) };
    return (await perform(this.workspace, this.caller, undeleteDocument, input, retry)).replayed;
  }
}

/**
 * A workspace with an admin, and the other people of a scenario. Its parts can be destructured: no function needs
 * `this`.
 */
export class Actors {
  readonly service: TestService;
  readonly admin: Person;

  constructor(service: TestService, admin: Person) {
    this.service = service;
    this.admin = admin;
  }

  /** A person without any grant, or with the given one. */
  readonly person = async (role?: Role, location = '', scopeType: ScopeType = 'folder'): Promise<Person> => {
    const person = new Person(this.service.workspace, await this.service.principal('Somebody'));
    if (role !== undefined) await this.service.grant(role, person.subject, location, scopeType);
    return person;
  };

  readonly group = async (
    ...members: readonly { readonly subject: Subject }[]
  ): Promise<{ readonly subject: Subject }> => {
    const id = await this.service.group('Some group', ...members.map((member) => member.subject));
    return { subject: { type: 'group', id } };
  };

  readonly grantRoot = (subject: Subject): Promise<void> => this.service.grant('approver', subject, '');

  readonly setDisabled = async (person: Person, disabled: boolean): Promise<void> => {
    await perform(this.service.workspace, operator, setPrincipalState, { principalId: person.id, disabled });
  };

  /** Documents written by the admin, each holding its own location. */
  readonly write = async (...locations: readonly string[]): Promise<void> => {
    for (const location of locations) await this.admin.create(location, location);
  };
}

export async function openActors(): Promise<Actors> {
  const service = await openTestService();
  const admin = new Person(service.workspace, await service.principal('Admin'));
  await service.grant('approver', admin.subject, '');
  return new Actors(service, admin);
}
