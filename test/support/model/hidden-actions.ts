import type { Subject } from '../../../lib/domain/grant.js';
import { parseLocation } from '../../../lib/domain/location.js';
import { outcomeOf } from '../store/actor.js';
import { Client } from '../store/client.js';
import { parseKey } from '../../../lib/access/secret.js';
import { mintOwnKey, revokeOwnKey, rotateOwnKey } from '../../../lib/operations/credentials/own-keys.js';
import { perform } from '../../../lib/operations/perform.js';
import { rebuild } from '../../../lib/operations/workspaces/rebuild.js';
import { Refusal } from '../../../lib/domain/refusal.js';
import { eraseAt } from '../store/erase-at.js';
import { operator, type TestService } from '../store/service.js';
import { TestMirror } from '../store/test-mirror.js';
import type { Person } from './actors.js';
import { isDocument, type HiddenAction, type Scenario } from './scenario.js';

/** An admin's actions out of low's reach; impossible ones are skipped. */
export class HiddenActions {
  readonly #service: TestService;
  readonly #admin: Person;
  readonly #client: Client;
  readonly #crowd: Subject;
  readonly #lowId: string;
  readonly #stranger: Person;
  readonly #reached: readonly string[];
  readonly #mirrors = new Map<string, TestMirror>();
  #serial = 0;

  constructor(
    service: TestService,
    admin: Person,
    stranger: Person,
    crowd: Subject,
    lowId: string,
    { holdings }: Scenario,
  ) {
    this.#crowd = crowd;
    this.#service = service;
    this.#admin = admin;
    this.#client = new Client(service.workspace, admin.id);
    this.#lowId = lowId;
    this.#stranger = stranger;
    this.#reached = holdings.map(({ on }) => on).filter((on) => !isDocument(on));
  }

  #isHidden(path: string): boolean {
    return !this.#reached.some((folder) => path.startsWith(`${folder}/`));
  }

  async does(action: HiddenAction): Promise<void> {
    this.#serial += 1;
    if ('path' in action && !this.#isHidden(action.path)) return;
    switch (action.does) {
      case 'create':
        await outcomeOf(this.#admin.create(action.path, `hidden ${this.#serial}`));
        return;
      case 'update':
        await outcomeOf(this.#admin.update(action.path, `hidden ${this.#serial}`));
        return;
      case 'delete':
        await outcomeOf(this.#admin.delete(action.path));
        return;
      case 'undelete':
        await outcomeOf(this.#admin.undelete(action.path));
        return;
      case 'create-folder':
        await outcomeOf(this.#admin.createFolder(`${action.path}-folder`));
        return;
      case 'move':
        if (this.#isHidden(action.to)) await outcomeOf(this.#admin.relocate(action.path, action.to));
        return;
      case 'grant':
        await outcomeOf(this.#admin.grant(action.role, this.#stranger.subject, `${action.path}-folder`));
        await outcomeOf(this.#admin.grant(action.role, this.#stranger.subject, action.path, 'document'));
        return;
      case 'claim':
        await this.#claim(action.path);
        return;
      case 'comment':
        await outcomeOf(this.#client.comment(action.path, `hidden ${this.#serial}`, { mentions: [this.#lowId] }));
        return;
      case 'label':
        await outcomeOf(this.#client.labels('add', action.path, `hidden-${this.#serial}`, 'label'));
        return;
      case 'delete-folder':
        await outcomeOf(this.#client.deleteFolder(action.path));
        return;
      case 'undelete-folder':
        await outcomeOf(this.#client.undeleteFolder(action.path));
        return;
      case 'shadow':
        if ((await outcomeOf(this.#admin.create(action.path, 'shadow'))) === 'done')
          await this.#admin.delete(action.path);
        return;
      case 'pass':
        await outcomeOf(this.#pass(action.folder, action.leaves));
        return;
      case 'erase':
        await outcomeOf(this.#erase(action.path));
        return;
      case 'erase-shadow':
        if ((await outcomeOf(this.#admin.create(action.path, 'shadow'))) === 'done') await this.#erase(action.path);
        return;
      case 'move-folder':
        if (this.#isHidden(`${action.to}/hidden.md`)) await outcomeOf(this.#client.move(action.path, action.to, true));
        return;
      case 'rebuild':
        await outcomeOf(rebuild(this.#service.workspace, operator));
        await this.#service.workspace.searchCaughtUp();
        return;
      case 'mirror':
        await this.#mirror(`${action.path}-mirror`);
        return;
      case 'talk': {
        const about = parseLocation(action.path);
        await outcomeOf(this.#admin.grant('reader', this.#stranger.subject, `${action.path}-folder`));
        await outcomeOf(this.#client.send([this.#stranger.id], `hidden ${this.#serial}`, { about }));
        const stranger = new Client(this.#service.workspace, this.#stranger.id);
        await outcomeOf(stranger.send([this.#admin.id, this.#crowd.id], `hidden ${this.#serial}`));
        return;
      }
      case 'crowd':
        await outcomeOf(this.#service.join(this.#crowd.id, this.#stranger.subject));
        await outcomeOf(this.#admin.grant(action.role, this.#crowd, `${action.path}-folder`));
        return;
      case 'people': {
        const id = await this.#service.principal('Hidden', 'agent');
        const member: Subject = { type: 'principal', id };
        await this.#service.group('Hidden', member, this.#stranger.subject);
        await this.#turnKeys(id);
      }
    }
  }

  /** Somebody gets a key, makes another one with it, gives that a new secret, and ends it. */
  async #turnKeys(principalId: string): Promise<void> {
    const { workspace } = this.#service;
    const { credentialId = '' } = parseKey(await this.#service.key(principalId)) ?? {};
    const caller = { ...operator, principalId, kind: 'agent', credentialId, interface: 'rest' } as const;
    const own = { name: `hidden ${this.#serial}`, interfaces: ['rest'] } as const;
    const { result } = await perform(workspace, caller, mintOwnKey, own);
    const made = { credentialId: result.credential.id };
    await perform(workspace, caller, rotateOwnKey, made);
    await perform(workspace, caller, revokeOwnKey, made);
  }

  async #pass(folder: string, leaves: 'moved' | 'in-a-folder' | 'erased'): Promise<void> {
    const at = (name: string): string => (folder === '' ? name : `${folder}/${name}`);
    const name = `passing-${this.#serial}`;
    if (leaves === 'in-a-folder') {
      await this.#admin.create(at(`${name}/x.md`), 'passes');
      await this.#client.rename(at(name), `${name}-on`, true);
      await this.#client.move(at(`${name}-on`), 'hidden', true);
      return;
    }
    await this.#admin.create(at(name), 'passes');
    await this.#client.rename(at(name), `${name}-on`, true);
    if (leaves === 'erased') await this.#erase(at(`${name}-on`));
    else await this.#client.move(at(`${name}-on`), 'hidden', true);
  }

  /** Connects a source, or syncs one: with a change, a deletion, or a fault that stops it. */
  async #mirror(folder: string): Promise<void> {
    // The admin, who sees the mirror, deletes these folders openly, and could not with a mirror in them.
    if (['a/x/', 'b/c/'].some((deletable) => folder.startsWith(deletable))) return;
    const { workspace } = this.#service;
    const known = this.#mirrors.get(folder);
    if (known === undefined) {
      const id = `prn_hid${String(this.#serial).padStart(20, '0')}`;
      const opened = await TestMirror.open(workspace, folder, id).catch((error: unknown) => {
        if (error instanceof Refusal) return undefined;
        throw error;
      });
      if (opened === undefined) return;
      this.#mirrors.set(folder, opened);
      await opened.sync({ written: { 'four.md': `hidden ${this.#serial}`, 'deep/x.md': 'content' } });
      return;
    }
    if (this.#serial % 3 === 0)
      await known.sync({ moved: { 'deep/x.md': `deep/${this.#serial}.md` } }).catch(() => undefined);
    else await known.sync({ written: { 'four.md': `hidden ${this.#serial}` } }).catch(() => undefined);
    await workspace.journal.write({
      run({ tables, now }) {
        const { principalId } = known.caller;
        tables.connectorRuns.begin(principalId, 'schedule', now);
        tables.connectors.setState(principalId, 'stopped', 'The source refuses the secret.');
      },
    });
  }

  /** Half of them are still under way when the next question comes. */
  async #erase(path: string): Promise<void> {
    const { workspace } = this.#service;
    const { id } = await eraseAt(workspace, path);
    if (this.#serial % 2 === 0) await workspace.eraser.finished(id);
  }

  async #claim(path: string): Promise<void> {
    const { workspace } = this.#service;
    await workspace.journal.write({
      run: ({ tables, now }) => {
        const name = parseLocation(path).split('/').at(-1) ?? '';
        const row = tables.documents.afterNumber(0, 1000).find((document) => document.name === name);
        if (row === undefined) return;
        tables.claims.insert({
          id: `clm_${this.#serial}`,
          document: row.number,
          section: null,
          holder: { id: this.#stranger.id, kind: 'person', displayName: 'X' },
          purpose: null,
          claimedAt: now,
          expiresAt: now + 3_600_000,
        });
      },
    });
  }
}
