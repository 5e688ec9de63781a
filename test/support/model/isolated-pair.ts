import type { Subject } from '../../../lib/domain/grant.js';
import { parseLocation } from '../../../lib/domain/location.js';
import { listOwnKeys } from '../../../lib/operations/credentials/own-keys.js';
import { perform } from '../../../lib/operations/perform.js';
import type { Role } from '../../../lib/domain/role.js';
import { outcomeOf } from '../store/actor.js';
import { Client } from '../store/client.js';
import { TestService } from '../store/service.js';
import { TestMirror } from '../store/test-mirror.js';
import { Person } from './actors.js';
import type { Face, Question } from './face.js';
import { HiddenActions } from './hidden-actions.js';
import {
  mirrored,
  mirrorFolder,
  visible,
  written,
  isDocument,
  rolesFromBelow,
  type HiddenAction,
  type OpenAction,
  type AnyQuestion,
  type Scenario,
} from './scenario.js';

/** One workspace of a pair. The test opens it, since the faces differ. */
export interface IsolatedWorkspace {
  readonly service: TestService;
  faceOf(principalId: string): Promise<Face>;
  close(): Promise<void>;
}

/** Makes isolated workspaces of one running service: a key opens only its own workspace. */
export function isolateWorkspaces(host: TestService, openFace: (isolated: TestService, id: string) => Promise<Face>) {
  let opened = 0;
  return async (): Promise<IsolatedWorkspace> => {
    opened += 1;
    const workspace = await host.service.addWorkspace(`world-${String(opened).padStart(4, '0')}`);
    const service = new TestService(host.service, workspace, host.clock, null);
    return { service, faceOf: (id) => openFace(service, id), close: () => Promise.resolve() };
  };
}

/** Plays the scenario in the workspace. @returns the answers that low got */
async function play(isolated: IsolatedWorkspace, scenario: Scenario, withHidden: boolean): Promise<string[]> {
  const { service } = isolated;
  const make = async (name: string): Promise<Person> => new Person(service.workspace, await service.principal(name));
  const [admin, low, other, stranger] = [await make('Admin'), await make('Low'), await make('Other'), await make('X')];
  await service.grant('approver', admin.subject, '');
  const inner = await service.group('Inner', low.subject);
  const outer: Subject = { type: 'group', id: await service.group('Outer', { type: 'group', id: inner }) };
  const crowd: Subject = { type: 'group', id: await service.group('Crowd') };
  const client = new Client(service.workspace, admin.id);
  const hidden = new HiddenActions(service, admin, stranger, crowd, low.id, scenario);
  const ids = new Map(
    Object.entries({ admin: admin.id, other: other.id, stranger: stranger.id, low: low.id }).concat([
      ['crowd', crowd.id],
      ['outer', outer.id],
    ]),
  );
  const doHidden = async (actions: readonly HiddenAction[]): Promise<void> => {
    if (withHidden) for (const action of actions) await hidden.does(action);
  };

  for (const path of written) await admin.create(path, `content of ${path}`);
  const mirror = await TestMirror.open(service.workspace, mirrorFolder);
  const sync = (paths: readonly string[], more: string): Promise<unknown> =>
    mirror.sync({
      written: Object.fromEntries(
        paths.map((path) => [path.slice(mirrorFolder.length + 1), `content of ${path}${more}`]),
      ),
    });
  await sync(mirrored, '');
  const change = async (does: 'grant' | 'revoke', held: Scenario['holdings'][number] | undefined): Promise<void> => {
    if (held === undefined) return;
    const { on, role: given, byGroup } = held;
    await service[does](given, byGroup ? outer : low.subject, on, isDocument(on) ? 'document' : 'folder');
  };
  for (const held of scenario.holdings) await change('grant', held);
  // Another reader of one of low's places, as a subject for reports of moves.
  const shared = scenario.holdings.find(({ on }) => !isDocument(on));
  if (shared !== undefined) await service.grant('reader', other.subject, shared.on);
  await doHidden(scenario.hiddenAtFirst);
  for (const path of scenario.deletedBefore) await admin.delete(path);
  for (const path of scenario.foldersDeletedBefore) await outcomeOf(client.deleteFolder(path));

  const face = await isolated.faceOf(low.id);
  const answers: string[] = [];
  for (const { question: asked, openBefore, hiddenBefore } of scenario.questions) {
    service.clock.advance(1000);
    await doHidden(hiddenBefore);
    for (const [index, action] of openBefore.entries()) {
      if ('holding' in action) {
        const held = scenario.holdings[action.holding % scenario.holdings.length];
        await outcomeOf(change(action.does === 'share' ? 'grant' : 'revoke', held));
      } else if (action.does === 'sync') await sync([action.path], ` again ${answers.length} ${index}`);
      else await doOpenly(action, client, low.id);
    }
    const aimed = takeAim(asked, scenario);
    if (aimed.does === 'break-claim') await doOpenly({ does: 'claim', path: aimed.path }, client, low.id);
    if (aimed.does === 'revert' && aimed.folder !== '') {
      await doOpenly({ does: 'update', path: visibleIn(aimed.folder)[0] ?? '' }, client, low.id);
    }
    if (aimed !== asked && aimed.does === 'undelete-folder') await outcomeOf(client.deleteFolder(aimed.folder));
    answers.push(await face.ask(complete(aimed, ids, other.subject)));
  }
  // Whichever keys others have, low has these.
  const own = (await perform(service.workspace, low.caller, listOwnKeys, { after: '', limit: 50 })).result;
  const keys = own.items.map(({ name, interfaces, createdAt, revokedAt }) => ({
    name,
    interfaces,
    createdAt,
    revokedAt,
  }));
  answers.push(JSON.stringify({ keys, isAll: own.next === null }));
  return answers;
}

/** The admin's actions in both workspaces; an action impossible in one is impossible in the other. */
async function doOpenly(
  { does, path }: Exclude<OpenAction, { readonly does: 'sync' } | { readonly holding: number }>,
  admin: Client,
  lowId: string,
): Promise<void> {
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
      return;
    case 'carry-off':
      await outcomeOf(admin.move(path, 'e', true));
  }
}

const visibleIn = (place: string): string[] => visible.filter((path) => path === place || path.startsWith(`${place}/`));

/** The least role with which a question gets content. */
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

/**
 * Puts one of low's places into an aimed question. It looks at the scenario alone, so it is the same in both
 * workspaces.
 */
function takeAim(asked: AnyQuestion, { holdings }: Scenario): AnyQuestion {
  if (!('aim' in asked) || asked.aim === undefined) return asked;
  const roles: readonly Role[] = rolesFromBelow.slice(rolesFromBelow.indexOf(roleFor[asked.does]));
  const held = holdings.filter((each) => roles.includes(each.role)).map(({ on }) => on);
  const places =
    'folder' in asked ? held.filter((on) => !isDocument(on) && visibleIn(on).length > 0) : held.flatMap(visibleIn);
  const place = places[asked.aim % places.length];
  if (place === undefined) return asked;
  return 'folder' in asked ? { ...asked, folder: place } : { ...asked, path: place };
}

/** Puts ids for names. Most reverts are about the admin, who makes all changes, hidden or not. */
function complete(asked: AnyQuestion, ids: ReadonlyMap<string, string>, subject: Subject): Question {
  if (asked.does === 'send') return { ...asked, to: asked.to.map((name) => ids.get(name) ?? name) };
  if (asked.does === 'comment-on-passage') return { ...asked, mention: ids.get(asked.mention) ?? '' };
  if (asked.does === 'preview-revert' || asked.does === 'revert') {
    return { ...asked, principal: ids.get(asked.principal) ?? '' };
  }
  return 'role' in asked ? { ...asked, subject } : asked;
}

/** @returns the answers to the same scenario without and with the hidden actions, each in a workspace of its own */
export async function playTwice(
  openWorkspace: () => Promise<IsolatedWorkspace>,
  scenario: Scenario,
): Promise<readonly [readonly string[], readonly string[]]> {
  const answers: string[][] = [];
  for (const withHidden of [false, true]) {
    const isolated = await openWorkspace();
    isolated.service.clock.milliseconds = Date.UTC(2026, 0, 5, 9);
    try {
      answers.push(await play(isolated, scenario, withHidden));
    } finally {
      await isolated.close();
    }
  }
  return [answers[0] ?? [], answers[1] ?? []];
}
