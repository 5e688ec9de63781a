import * as fc from 'fast-check';
import type { Subject } from '../../lib/domain/grant.js';
import { parseLocation } from '../../lib/domain/location.js';
import type { Role } from '../../lib/domain/role.js';
import { outcomeOf } from '../harness/act.js';
import { Hands } from '../harness/hands.js';
import { rebuild } from '../../lib/operations/rebuild.js';
import { eraseAt } from '../erase/erase-at.js';
import { operator, type TestService } from '../harness/service.js';
import { Person } from './cast.js';
import type { Face, Question } from './faces.js';

/**
 * Two worlds that differ in nothing that the low caller reaches. In both there are the same visible documents, grants
 * and questions; in one of them an admin does all sorts of hidden things in between.
 */
const visible = ['a/one.md', 'a/two.md', 'a/x/three.md', 'b/four.md', 'b/c/five.md', 'b/c/d/six.md', 'seven.md'];
const grantable = ['a', 'a/x', 'b/c', 'b/c/d', 'e', ...visible];
/** Names that no visible thing ever has. */
const hiddenNames = ['hidden.md', 'four.md~', 'aaa.md', 'zzz.md'];
const shownFolders = ['', 'a', 'a/x', 'b', 'b/c', 'b/c/d', 'e'];
const hiddenFolders = [...shownFolders, 'hidden', 'b/hidden', 'hidden/deep/down'];
const isDocument = (path: string): boolean => path.endsWith('.md');

const rolesFromBelow = ['reader', 'editor', 'approver'] as const satisfies readonly Role[];
const role = fc.constantFrom<Role>(...rolesFromBelow);
const hiddenPath = fc
  .tuple(fc.constantFrom(...hiddenFolders), fc.constantFrom(...hiddenNames))
  .map(([folder, name]) => (folder === '' ? name : `${folder}/${name}`));

/** What low holds; `by` a group two deep, or directly. */
const holding = fc.record({ on: fc.constantFrom(...grantable), role, byGroup: fc.boolean() });

const hiddenDeed = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('create' as const), path: hiddenPath }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('update' as const), path: hiddenPath }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('delete' as const), path: hiddenPath }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('undelete' as const), path: hiddenPath }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('move' as const), path: hiddenPath, to: hiddenPath }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('create-folder' as const), path: hiddenPath }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('grant' as const), path: hiddenPath, role }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('claim' as const), path: hiddenPath }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constantFrom('comment' as const, 'label' as const), path: hiddenPath }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constantFrom('delete-folder' as const, 'undelete-folder' as const),
      path: fc.constantFrom('hidden', 'b/hidden', 'hidden/deep/down', 'hidden/deep'),
    }),
  },
  // Something else lived and was deleted where a document is that low alone can see.
  { weight: 3, arbitrary: fc.record({ does: fc.constant('shadow' as const), path: fc.constantFrom(...visible) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('erase' as const), path: hiddenPath }) },
  // Something was where low may look, and has left, or is being erased, when low looks.
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('pass' as const),
      folder: fc.constantFrom(...shownFolders),
      leaves: fc.constantFrom('moved' as const, 'in-a-folder' as const, 'erased' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('erase-shadow' as const), path: fc.constantFrom(...visible) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('move-folder' as const),
      path: fc.constantFrom('hidden', 'b/hidden', 'hidden/deep', 'hidden/deep/down'),
      to: fc.constantFrom('', 'b', 'hidden', 'b/hidden'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('rebuild' as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('people' as const) }) },
  // People whom low does not know talk about what it does not see, and a group that it does not know gets members.
  { weight: 2, arbitrary: fc.record({ does: fc.constant('talk' as const), path: hiddenPath }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('crowd' as const), path: hiddenPath, role }) },
);
type HiddenDeed = typeof hiddenDeed extends fc.Arbitrary<infer Value> ? Value : never;

/** What others do in both worlds, so that there is news. */
const openDeed = fc.oneof(
  fc.record({
    does: fc.constantFrom('update' as const, 'claim' as const, 'comment' as const, 'tell' as const),
    path: fc.constantFrom(...visible),
  }),
  fc.record({ does: fc.constant('rename' as const), path: fc.constantFrom(...visible) }),
);
type OpenDeed = typeof openDeed extends fc.Arbitrary<infer Value> ? Value : never;

const anyPath = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...visible) }, { weight: 2, arbitrary: hiddenPath });
const anyFolder = fc.constantFrom(...hiddenFolders);
const scope = fc.constantFrom<'folder' | 'document'>('folder', 'document');
const ifMatch = fc.constantFrom('*', `"${'0'.repeat(40)}"`);
const acknowledged = fc.boolean();
const listing = fc.record({
  does: fc.constantFrom('list' as const, 'list' as const, 'list-folders' as const),
  folder: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...shownFolders) }, { weight: 1, arbitrary: anyFolder }),
  limit: fc.integer({ min: 1, max: 2 }),
});
const limit = fc.integer({ min: 1, max: 2 });
/** At which of the places that low holds with the role it takes; none in one of four. */
const aim = fc.option(fc.nat(99), { nil: undefined, freq: 3 });
/** Stands for somebody, or a group, until there are ids. */
const anybody = fc.constantFrom('admin', 'admin', 'other', 'stranger', 'low', 'crowd', 'outer', 'prn_0', 'grp_0');
const question = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('readers' as const), path: anyPath, limit }) },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('brief' as const),
      folder: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: anyFolder }),
      limit,
      since: fc.constantFrom(undefined, 500, 5_000, 3_600_000),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('send' as const),
      to: fc.array(anybody, { minLength: 1, maxLength: 2 }),
      about: fc.option(anyPath, { nil: undefined, freq: 1 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('mail' as const),
      box: fc.constantFrom('inbox' as const, 'unread' as const, 'sent' as const),
      about: fc.option(fc.oneof(anyPath, fc.constantFrom('a', 'b', 'hidden')), { nil: undefined, freq: 1 }),
      limit,
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      does: fc.constantFrom('release' as const, 'claim-and-release' as const, 'resource' as const),
      path: anyPath,
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('resources' as const) }) },
  { weight: 5, arbitrary: listing },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('undelete' as const), path: fc.constantFrom(...visible) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constantFrom('read' as const, 'undelete' as const, 'create-folder' as const),
      path: anyPath,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('read-version' as const),
      path: anyPath,
      version: fc.constant('0'.repeat(40)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('create' as const), path: anyPath }) },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constantFrom('update' as const, 'delete' as const), path: anyPath, ifMatch }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('export' as const), folder: anyFolder }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('search' as const),
      query: fc.constantFrom('content', 'hidden', 'text', 'hid*', '"content of"', 'four', 'shadow content'),
      folder: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: anyFolder }),
      limit: fc.integer({ min: 1, max: 2 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constantFrom('history' as const, 'comments' as const),
      path: anyPath,
      limit: fc.integer({ min: 1, max: 2 }),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      does: fc.constantFrom('diff' as const, 'labels' as const, 'claim' as const, 'comment' as const),
      path: anyPath,
    }),
  },
  // Anywhere, they seldom come to pass; so some are aimed at what low holds.
  {
    weight: 7,
    arbitrary: fc.record({
      does: fc.constant('comment-on-passage' as const),
      path: anyPath,
      aim,
      mention: fc.constantFrom('other', 'admin', 'stranger'),
    }),
  },
  { weight: 9, arbitrary: fc.record({ does: fc.constant('break-claim' as const), path: anyPath, aim }) },
  {
    weight: 5,
    arbitrary: fc.record({ does: fc.constantFrom('restore' as const, 'read' as const), path: anyPath, aim }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      does: fc.constant('revert' as const),
      folder: anyFolder,
      aim,
      principal: fc.constantFrom('other', 'admin', 'admin'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('claims' as const),
      folder: anyFolder,
      limit: fc.integer({ min: 1, max: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constantFrom('delete-folder' as const, 'undelete-folder' as const),
      folder: anyFolder,
      aim,
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('delete-folder' as const), folder: fc.constant('a/x') }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('undelete-folder' as const), folder: fc.constantFrom('a/x', 'b/c') }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('preview-revert' as const),
      folder: anyFolder,
      aim,
      principal: fc.constantFrom('other', 'admin', 'admin'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('rename' as const),
      path: anyPath,
      name: fc.constant('new.md'),
      acknowledged,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('move' as const), path: anyPath, folder: anyFolder, acknowledged }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('list-grants' as const),
      path: fc.oneof(anyPath, fc.constantFrom('a', 'e', 'hidden')),
      scope,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constantFrom('grant' as const, 'revoke' as const), path: anyPath, scope, role }),
  },
);
type AnyQuestion = typeof question extends fc.Arbitrary<infer Value> ? Value : never;

/** A visible history with the hidden deeds that go before each of its steps. */
const story = fc.record({
  holdings: fc.uniqueArray(holding, { minLength: 2, maxLength: 7, selector: ({ on }) => on }),
  deletedBefore: fc.subarray(visible, { maxLength: 3 }),
  foldersDeletedBefore: fc.subarray(['a/x', 'b/c'], { maxLength: 1 }),
  hiddenAtFirst: fc.array(hiddenDeed, { minLength: 6, maxLength: 20, size: 'max' }),
  questions: fc.array(
    fc.record({
      question,
      openBefore: fc.array(openDeed, { maxLength: 2 }),
      hiddenBefore: fc.array(hiddenDeed, { maxLength: 3 }),
    }),
    {
      minLength: 4,
      maxLength: 14,
      size: 'max',
    },
  ),
});
type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

/** One of the worlds: opened by whoever runs it, since the faces differ. */
export interface World {
  readonly service: TestService;
  faceOf(principalId: string): Promise<Face>;
  close(): Promise<void>;
}

/** Tells the story in the world and @returns the answers that low got. */
async function tell(world: World, told: Story, withHidden: boolean): Promise<string[]> {
  const { service } = world;
  const make = async (name: string): Promise<Person> => new Person(service.workspace, await service.principal(name));
  const [admin, low, other, stranger] = [await make('Admin'), await make('Low'), await make('Other'), await make('X')];
  await service.grant('approver', admin.subject, '');
  const inner = await service.group('Inner', low.subject);
  const outer: Subject = { type: 'group', id: await service.group('Outer', { type: 'group', id: inner }) };
  const crowd: Subject = { type: 'group', id: await service.group('Crowd') };
  const hands = new Hands(service.workspace, admin.id);
  const hidden = new HiddenDeeds(service, admin, stranger, crowd, low.id, told);
  const ids = new Map(
    Object.entries({ admin: admin.id, other: other.id, stranger: stranger.id, low: low.id }).concat([
      ['crowd', crowd.id],
      ['outer', outer.id],
    ]),
  );
  const doHidden = async (deeds: readonly HiddenDeed[]): Promise<void> => {
    if (withHidden) for (const deed of deeds) await hidden.does(deed);
  };

  for (const path of visible) await admin.create(path, `content of ${path}`);
  for (const { on, role: given, byGroup } of told.holdings) {
    await service.grant(given, byGroup ? outer : low.subject, on, isDocument(on) ? 'document' : 'folder');
  }
  // Somebody who reads one of low's places, for reports of moves to tell of.
  const shared = told.holdings.find(({ on }) => !isDocument(on));
  if (shared !== undefined) await service.grant('reader', other.subject, shared.on);
  await doHidden(told.hiddenAtFirst);
  for (const path of told.deletedBefore) await admin.delete(path);
  for (const path of told.foldersDeletedBefore) await outcomeOf(hands.deleteFolder(path));

  const face = await world.faceOf(low.id);
  const answers: string[] = [];
  for (const { question: asked, openBefore, hiddenBefore } of told.questions) {
    service.clock.advance(1000);
    await doHidden(hiddenBefore);
    for (const deed of openBefore) await doOpenly(deed, hands, low.id);
    const aimed = takeAim(asked, told);
    if (aimed.does === 'break-claim') await doOpenly({ does: 'claim', path: aimed.path }, hands, low.id);
    if (aimed.does === 'revert' && aimed.folder !== '') {
      await doOpenly({ does: 'update', path: visibleIn(aimed.folder)[0] ?? '' }, hands, low.id);
    }
    if (aimed !== asked && aimed.does === 'undelete-folder') await outcomeOf(hands.deleteFolder(aimed.folder));
    answers.push(await face.ask(complete(aimed, ids, other.subject)));
  }
  return answers;
}

/** What the admin does where both worlds see it; what cannot be done in one cannot in the other. */
async function doOpenly({ does, path }: OpenDeed, admin: Hands, lowId: string): Promise<void> {
  switch (does) {
    case 'update':
      await outcomeOf(admin.update(path, `content of ${path} again`));
      return;
    case 'claim':
      await outcomeOf(admin.claim(path));
      return;
    case 'comment':
      await outcomeOf(admin.comment(path, 'look', { mentions: [lowId] }));
      return;
    case 'tell':
      await outcomeOf(admin.send([lowId], `about ${path}`, { about: parseLocation(path) }));
      return;
    case 'rename':
      await outcomeOf(admin.rename(path, 'renamed.md', true));
  }
}

const visibleIn = (place: string): string[] => visible.filter((path) => path === place || path.startsWith(`${place}/`));

/** What it takes to be answered with something. */
const roleFor = {
  'break-claim': 'approver',
  read: 'reader',
  revert: 'editor',
  'preview-revert': 'editor',
  'delete-folder': 'editor',
  'undelete-folder': 'editor',
  restore: 'editor',
  'comment-on-passage': 'reader',
} as const;

/** Puts a place that low holds for the one of an aimed question. Looks at the story alone, so it is the same in both worlds. */
function takeAim(asked: AnyQuestion, { holdings }: Story): AnyQuestion {
  if (!('aim' in asked) || asked.aim === undefined) return asked;
  const roles: readonly Role[] = rolesFromBelow.slice(rolesFromBelow.indexOf(roleFor[asked.does]));
  const held = holdings.filter((each) => roles.includes(each.role)).map(({ on }) => on);
  const places =
    'folder' in asked ? held.filter((on) => !isDocument(on) && visibleIn(on).length > 0) : held.flatMap(visibleIn);
  const place = places[asked.aim % places.length];
  if (place === undefined) return asked;
  return 'folder' in asked ? { ...asked, folder: place } : { ...asked, path: place };
}

/** Puts ids for names. Reverts are mostly asked about the one who does everything, hidden or not. */
function complete(asked: AnyQuestion, ids: ReadonlyMap<string, string>, subject: Subject): Question {
  if (asked.does === 'send') return { ...asked, to: asked.to.map((name) => ids.get(name) ?? name) };
  if (asked.does === 'comment-on-passage') return { ...asked, mention: ids.get(asked.mention) ?? '' };
  if (asked.does === 'preview-revert' || asked.does === 'revert') {
    return { ...asked, principal: ids.get(asked.principal) ?? '' };
  }
  return 'role' in asked ? { ...asked, subject } : asked;
}

/** What an admin does out of low's reach; what cannot be done is left. */
class HiddenDeeds {
  readonly #service: TestService;
  readonly #admin: Person;
  readonly #hands: Hands;
  readonly #crowd: Subject;
  readonly #lowId: string;
  readonly #stranger: Person;
  readonly #reached: readonly string[];
  #serial = 0;

  constructor(
    service: TestService,
    admin: Person,
    stranger: Person,
    crowd: Subject,
    lowId: string,
    { holdings }: Story,
  ) {
    this.#crowd = crowd;
    this.#service = service;
    this.#admin = admin;
    this.#hands = new Hands(service.workspace, admin.id);
    this.#lowId = lowId;
    this.#stranger = stranger;
    this.#reached = holdings.map(({ on }) => on).filter((on) => !isDocument(on));
  }

  #isHidden(path: string): boolean {
    return !this.#reached.some((folder) => path.startsWith(`${folder}/`));
  }

  async does(deed: HiddenDeed): Promise<void> {
    this.#serial += 1;
    if ('path' in deed && !this.#isHidden(deed.path)) return;
    switch (deed.does) {
      case 'create':
        await outcomeOf(this.#admin.create(deed.path, `hidden ${this.#serial}`));
        return;
      case 'update':
        await outcomeOf(this.#admin.update(deed.path, `hidden ${this.#serial}`));
        return;
      case 'delete':
        await outcomeOf(this.#admin.delete(deed.path));
        return;
      case 'undelete':
        await outcomeOf(this.#admin.undelete(deed.path));
        return;
      case 'create-folder':
        await outcomeOf(this.#admin.createFolder(`${deed.path}-folder`));
        return;
      case 'move':
        if (this.#isHidden(deed.to)) await outcomeOf(this.#admin.relocate(deed.path, deed.to));
        return;
      case 'grant':
        await outcomeOf(this.#admin.grant(deed.role, this.#stranger.subject, `${deed.path}-folder`));
        await outcomeOf(this.#admin.grant(deed.role, this.#stranger.subject, deed.path, 'document'));
        return;
      case 'claim':
        await this.#claim(deed.path);
        return;
      case 'comment':
        await outcomeOf(this.#hands.comment(deed.path, `hidden ${this.#serial}`, { mentions: [this.#lowId] }));
        return;
      case 'label':
        await outcomeOf(this.#hands.labels('add', deed.path, `hidden-${this.#serial}`, 'label'));
        return;
      case 'delete-folder':
        await outcomeOf(this.#hands.deleteFolder(deed.path));
        return;
      case 'undelete-folder':
        await outcomeOf(this.#hands.undeleteFolder(deed.path));
        return;
      case 'shadow':
        if ((await outcomeOf(this.#admin.create(deed.path, 'shadow'))) === 'done') await this.#admin.delete(deed.path);
        return;
      case 'pass':
        await outcomeOf(this.#pass(deed.folder, deed.leaves));
        return;
      case 'erase':
        await outcomeOf(this.#erase(deed.path));
        return;
      case 'erase-shadow':
        if ((await outcomeOf(this.#admin.create(deed.path, 'shadow'))) === 'done') await this.#erase(deed.path);
        return;
      case 'move-folder':
        if (this.#isHidden(`${deed.to}/hidden.md`)) await outcomeOf(this.#hands.move(deed.path, deed.to, true));
        return;
      case 'rebuild':
        await outcomeOf(rebuild(this.#service.workspace, operator));
        await this.#service.workspace.searchCaughtUp();
        return;
      case 'talk': {
        const about = parseLocation(deed.path);
        await outcomeOf(this.#admin.grant('reader', this.#stranger.subject, `${deed.path}-folder`));
        await outcomeOf(this.#hands.send([this.#stranger.id], `hidden ${this.#serial}`, { about }));
        const stranger = new Hands(this.#service.workspace, this.#stranger.id);
        await outcomeOf(stranger.send([this.#admin.id, this.#crowd.id], `hidden ${this.#serial}`));
        return;
      }
      case 'crowd':
        await outcomeOf(this.#service.join(this.#crowd.id, this.#stranger.subject));
        await outcomeOf(this.#admin.grant(deed.role, this.#crowd, `${deed.path}-folder`));
        return;
      case 'people': {
        const id = await this.#service.principal('Hidden');
        const member: Subject = { type: 'principal', id };
        await this.#service.group('Hidden', member, this.#stranger.subject);
        await this.#service.key(id);
      }
    }
  }

  async #pass(folder: string, leaves: 'moved' | 'in-a-folder' | 'erased'): Promise<void> {
    const at = (name: string): string => (folder === '' ? name : `${folder}/${name}`);
    const name = `passing-${this.#serial}`;
    if (leaves === 'in-a-folder') {
      await this.#admin.create(at(`${name}/x.md`), 'passes');
      await this.#hands.rename(at(name), `${name}-on`, true);
      await this.#hands.move(at(`${name}-on`), 'hidden', true);
      return;
    }
    await this.#admin.create(at(name), 'passes');
    await this.#hands.rename(at(name), `${name}-on`, true);
    if (leaves === 'erased') await this.#erase(at(`${name}-on`));
    else await this.#hands.move(at(`${name}-on`), 'hidden', true);
  }

  /** Half of them are still under way when the next question comes. */
  async #erase(path: string): Promise<void> {
    const { workspace } = this.#service;
    const { id } = await eraseAt(workspace, path);
    if (this.#serial % 2 === 0) await workspace.eraser.finished(id);
  }

  async #claim(path: string): Promise<void> {
    const { workspace } = this.#service;
    await workspace.journal.turn({
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

/** @returns the answers to the same story without and with the hidden deeds, each in a world of its own */
export async function tellTwice(
  openWorld: () => Promise<World>,
  told: Story,
): Promise<readonly [readonly string[], readonly string[]]> {
  const answers: string[][] = [];
  for (const withHidden of [false, true]) {
    const world = await openWorld();
    world.service.clock.milliseconds = Date.UTC(2026, 0, 5, 9);
    try {
      answers.push(await tell(world, told, withHidden));
    } finally {
      await world.close();
    }
  }
  return [answers[0] ?? [], answers[1] ?? []];
}

export { story };
export type { Story };
