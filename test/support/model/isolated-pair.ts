import type { Subject } from '../../../lib/domain/grant.js';
import { parseLocation } from '../../../lib/domain/location.js';
import type { Role } from '../../../lib/domain/role.js';
import { outcomeOf } from '../store/actor.js';
import { Hands } from '../store/client.js';
import { TestService } from '../store/service.js';
import { Person } from './actors.js';
import type { Face, Question } from './face.js';
import { HiddenDeeds } from './hidden-actions.js';
import {
  visible,
  isDocument,
  rolesFromBelow,
  type HiddenDeed,
  type OpenDeed,
  type AnyQuestion,
  type Story,
} from './scenario.js';

/** One of the worlds: opened by whoever runs it, since the faces differ. */
export interface World {
  readonly service: TestService;
  faceOf(principalId: string): Promise<Face>;
  close(): Promise<void>;
}

/** Makes worlds of one service that goes on, each a workspace of its own: what a key opens is in its own workspace. */
export function worldsOf(host: TestService, openFace: (world: TestService, id: string) => Promise<Face>) {
  let worlds = 0;
  return async (): Promise<World> => {
    worlds += 1;
    const workspace = await host.service.addWorkspace(`world-${String(worlds).padStart(4, '0')}`);
    const service = new TestService(host.service, workspace, host.clock, null);
    return { service, faceOf: (id) => openFace(service, id), close: () => Promise.resolve() };
  };
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
