import assert from 'node:assert/strict';
import { sendCommand } from '../../lib/commands/carrier/send-command.js';

/** Who reads along: by a grant of its own, or through a group. */
export interface Follower {
  readonly type: 'principal' | 'group';
  readonly id: string;
}

/** A membership that comes and goes: the names of a group and of its member. */
export interface Membership {
  readonly group: string;
  readonly member: string;
}

/** Who is there, and where. */
export interface MirrorParty {
  /** Key of an admin. */
  readonly key: string;
  readonly followers: readonly Follower[];
  readonly memberships: readonly Membership[];
  /** Data folder of the server; its socket takes commands. */
  readonly dataFolder: string;
}

/** What a load counts. */
export interface LoadTally {
  /** Acknowledged changes, by kind. */
  readonly changes: Map<string, number>;
}

const folders = ['north', 'north/inner', 'south', 'south/inner', 'south/inner/deep', 'outside'];

type Body = Readonly<Record<string, unknown>>;

/** A document or folder that an admin sees. */
interface Listed {
  readonly location: string;
}

/**
 * Changes a workspace by chance, as an admin over HTTP: documents and folders come, change, move and go, and so do the
 * grants of those who read along. Their memberships change by commands of the operator. A request that the server's end broke off may have been done or not.
 */
export class MirrorLoad {
  readonly #party: MirrorParty;
  readonly #random: () => number;
  readonly #tally: LoadTally;
  readonly #granted: { readonly follower: Follower; readonly scope: Body }[] = [];
  #serial = 0;
  #url = '';

  constructor(party: MirrorParty, random: () => number, tally: LoadTally) {
    this.#party = party;
    this.#random = random;
    this.#tally = tally;
  }

  /** Where the server answers now. */
  set url(url: string) {
    this.#url = url;
  }

  /** Does one change. @throws Error when the server does not answer, AssertionError when it says something unexpected */
  async step(): Promise<void> {
    const deeds: readonly (readonly [number, string, () => Promise<number>])[] = [
      [26, 'created', () => this.#create()],
      [18, 'updated', () => this.#update()],
      [10, 'moved', () => this.#relocate('moves')],
      [6, 'renamed', () => this.#relocate('renames')],
      [5, 'folder moved', () => this.#relocateFolder('moves')],
      [5, 'folder renamed', () => this.#relocateFolder('renames')],
      [6, 'deleted', () => this.#delete()],
      [5, 'undeleted', () => this.#undelete()],
      [1, 'folder deleted', () => this.#deleteFolder()],
      [3, 'restored', () => this.#restore()],
      [4, 'labelled', () => this.#label()],
      [3, 'commented', () => this.#comment()],
      [12, 'granted', () => this.#grant()],
      [10, 'revoked', () => this.#revoke()],
      [7, 'joined', () => this.#changeMembership('group.join')],
      [6, 'left a group', () => this.#changeMembership('group.leave')],
    ];
    const all = deeds.reduce((sum, [weight]) => sum + weight, 0);
    let at = this.#random() * all;
    const [, name, deed] = deeds.find(([weight]) => (at -= weight) < 0) ?? assert.fail('no deed');
    const status = await deed();
    assert.ok(status < 500, `${name}: ${status}`);
    if (status < 300) this.#tally.changes.set(name, (this.#tally.changes.get(name) ?? 0) + 1);
  }

  #pick<Item>(items: readonly Item[]): Item | undefined {
    return items[Math.floor(this.#random() * items.length)];
  }

  /** @returns the status, and the answer */
  async #ask(method: string, path: string, body?: Body): Promise<{ status: number; said: Body }> {
    this.#serial += 1;
    const answer = await fetch(this.#url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#party.key}`,
        'idempotency-key': `load-${this.#serial}`,
        'if-match': '*',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, said: (await answer.json().catch(() => ({}))) as Body };
  }

  async #list(kind: 'documents' | 'folders', folder: string): Promise<string[]> {
    const { said } = await this.#ask('GET', `/v1/${kind}?limit=200&location=${encodeURIComponent(folder)}`);
    return ((said['items'] ?? []) as Listed[]).map(({ location }) => location);
  }

  /** Some document, wherever it has got to. */
  async #document(): Promise<string | undefined> {
    const found = await this.#list('documents', (await this.#folder()) ?? '');
    return this.#pick(found);
  }

  /** Some folder, a deep one as often as others. */
  async #folder(): Promise<string | undefined> {
    let folder: string | undefined;
    for (let depth = 0; depth < 3; depth += 1) {
      const below = this.#pick(await this.#list('folders', folder ?? ''));
      if (below === undefined) return folder;
      folder = below;
      if (this.#random() < 0.4) return folder;
    }
    return folder;
  }

  async #create(): Promise<number> {
    const folder = (this.#random() < 0.5 ? await this.#folder() : undefined) ?? this.#pick(folders);
    const location = `${folder}/${Math.floor(this.#random() * 1e6)}.md`;
    return (await this.#ask('POST', '/v1/documents', { location, content: `text ${this.#random()}` })).status;
  }

  async #update(): Promise<number> {
    const location = await this.#document();
    if (location === undefined) return 404;
    return (await this.#ask('PUT', `/v1/documents/${location}`, { content: `text ${this.#random()}` })).status;
  }

  /** Widens access where it has to. */
  async #move(route: 'moves' | 'renames', body: Body): Promise<number> {
    const { status, said } = await this.#ask('POST', `/v1/${route}`, body);
    const details = (said['error'] as { details?: Body } | undefined)?.details;
    if (details?.['reason'] !== 'access_would_widen') return status;
    const agreed = { ...body, acknowledge_access_change: true, access_report: details['report'] };
    return (await this.#ask('POST', `/v1/${route}`, agreed)).status;
  }

  async #relocate(route: 'moves' | 'renames'): Promise<number> {
    const location = await this.#document();
    if (location === undefined) return 404;
    if (route === 'renames') return this.#move(route, { location, name: `${Math.floor(this.#random() * 1e6)}.md` });
    return this.#move(route, { location, to_folder: (await this.#folder()) ?? '' });
  }

  async #relocateFolder(route: 'moves' | 'renames'): Promise<number> {
    const location = await this.#folder();
    if (location === undefined) return 404;
    if (route === 'renames') return this.#move(route, { location, name: `folder-${Math.floor(this.#random() * 1e6)}` });
    return this.#move(route, { location, to_folder: this.#random() < 0.3 ? '' : ((await this.#folder()) ?? '') });
  }

  #deleted: string[] = [];

  async #delete(): Promise<number> {
    const location = await this.#document();
    if (location === undefined) return 404;
    this.#deleted.push(location);
    return (await this.#ask('DELETE', `/v1/documents/${location}`)).status;
  }

  async #undelete(): Promise<number> {
    const location = this.#pick(this.#deleted);
    if (location === undefined) return 404;
    this.#deleted = this.#deleted.filter((each) => each !== location);
    return this.#undeleteAt(location);
  }

  async #undeleteAt(location: string): Promise<number> {
    const { status, said } = await this.#ask('POST', '/v1/undeletes', { location });
    const details = (said['error'] as { details?: Body } | undefined)?.details;
    if (details?.['reason'] !== 'access_would_widen') return status;
    const agreed = { location, acknowledge_access_change: true, access_report: details['report'] };
    return (await this.#ask('POST', '/v1/undeletes', agreed)).status;
  }

  async #deleteFolder(): Promise<number> {
    const location = await this.#folder();
    if (location === undefined) return 404;
    const { status } = await this.#ask('POST', '/v1/folder-deletions', { location });
    if (status === 200 && this.#random() < 0.5)
      return (await this.#ask('POST', '/v1/folder-undeletes', { location })).status;
    return status;
  }

  async #restore(): Promise<number> {
    const location = await this.#document();
    if (location === undefined) return 404;
    const { said } = await this.#ask('GET', `/v1/history?limit=50&location=${encodeURIComponent(location)}`);
    const versions = ((said['items'] ?? []) as { version?: { id: string } }[]).flatMap(
      ({ version }) => version?.id ?? [],
    );
    return (await this.#ask('POST', '/v1/restores', { location, version: this.#pick(versions) ?? '' })).status;
  }

  async #label(): Promise<number> {
    const location = await this.#document();
    if (location === undefined) return 404;
    return (await this.#ask('POST', '/v1/labels', { location, labels: [`label ${this.#serial}`] })).status;
  }

  async #comment(): Promise<number> {
    const location = await this.#document();
    if (location === undefined) return 404;
    return (await this.#ask('POST', '/v1/comments', { location, text: 'Is it so?' })).status;
  }

  async #grant(): Promise<number> {
    const follower = this.#pick(this.#party.followers);
    const isFolder = this.#random() < 0.7;
    const location = isFolder ? await this.#folder() : await this.#document();
    if (location === undefined || follower === undefined) return 404;
    const scope = { scope_type: isFolder ? 'folder' : 'document', scope_id: location };
    this.#granted.push({ follower, scope });
    return (await this.#ask('POST', '/v1/grants', { ...scope, subject: follower, role: 'reader' })).status;
  }

  async #revoke(): Promise<number> {
    const granted = this.#pick(this.#granted);
    if (granted === undefined) return 404;
    const { follower, scope } = granted;
    this.#granted.splice(this.#granted.indexOf(granted), 1);
    const query = { ...scope, subject_type: follower.type, subject_id: follower.id, role: 'reader' };
    return (await this.#ask('DELETE', `/v1/grants?${new URLSearchParams(query as Record<string, string>).toString()}`))
      .status;
  }
  /** @throws Error when the server does not answer */
  async #changeMembership(command: 'group.join' | 'group.leave'): Promise<number> {
    const fields = { ...(this.#pick(this.#party.memberships) ?? assert.fail('nobody')) };
    const answer = await sendCommand(this.#party.dataFolder, { command, fields }, () => Promise.resolve());
    if (answer === undefined) throw new Error('No server takes commands.');
    if ('result' in answer) return 200;
    const { code, message } = answer.error;
    if (code === 'NOT_FOUND') return 404;
    throw new Error(`${command}: ${code} ${message}`);
  }
}
