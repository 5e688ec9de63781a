import * as fc from 'fast-check';
import type { Role } from '../../../lib/domain/role.js';

/**
 * Two workspaces with no difference in the low caller's reach. Both have the same visible documents, grants and
 * questions. In one of them an admin does all sorts of hidden actions in between.
 */
export const written = ['a/one.md', 'a/two.md', 'a/x/three.md', 'b/four.md', 'b/c/five.md', 'b/c/d/six.md', 'seven.md'];
/** A folder with these documents mirrors a source. */
export const mirrorFolder = 'm';
export const mirrored = ['m/eight.md', 'm/y/nine.md'];
export const visible = [...written, ...mirrored];
const grantable = ['a', 'a/x', 'b/c', 'b/c/d', 'e', 'm', ...visible];
/** Names that no visible document or folder ever has. */
const hiddenNames = ['hidden.md', 'four.md~', 'aaa.md', 'zzz.md'];
const shownFolders = ['', 'a', 'a/x', 'b', 'b/c', 'b/c/d', 'e'];
const hiddenFolders = [...shownFolders, 'hidden', 'b/hidden', 'hidden/deep/down'];
export const isDocument = (path: string): boolean => path.endsWith('.md');

export const rolesFromBelow = ['reader', 'editor', 'approver'] as const satisfies readonly Role[];
const role = fc.constantFrom<Role>(...rolesFromBelow);
const hiddenPath = fc
  .tuple(fc.constantFrom(...hiddenFolders), fc.constantFrom(...hiddenNames))
  .map(([folder, name]) => (folder === '' ? name : `${folder}/${name}`));

/** Low's grants; `byGroup` through a group two deep, or directly. */
const holding = fc.record({ on: fc.constantFrom(...grantable), role, byGroup: fc.boolean() });

const hiddenAction = fc.oneof(
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
  // Another document lived and was deleted at the place of a document that low alone can see.
  { weight: 3, arbitrary: fc.record({ does: fc.constant('shadow' as const), path: fc.constantFrom(...written) }) },
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
  // A connector mirrors into a hidden folder, and syncs, fails or stops.
  { weight: 3, arbitrary: fc.record({ does: fc.constant('mirror' as const), path: hiddenPath }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('people' as const) }) },
  // People unknown to low talk about documents out of its reach, and a group unknown to it gets members.
  { weight: 2, arbitrary: fc.record({ does: fc.constant('talk' as const), path: hiddenPath }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('crowd' as const), path: hiddenPath, role }) },
);
export type HiddenAction = typeof hiddenAction extends fc.Arbitrary<infer Value> ? Value : never;

/** The actions of others in both workspaces, so that there is news. */
const openAction = fc.oneof(
  fc.record({
    does: fc.constantFrom('update' as const, 'claim' as const, 'comment' as const, 'tell' as const),
    path: fc.constantFrom(...visible),
  }),
  fc.record({ does: fc.constant('rename' as const), path: fc.constantFrom(...visible) }),
  fc.record({ does: fc.constant('sync' as const), path: fc.constantFrom(...mirrored) }),
);
/** Changes of access, and documents that go elsewhere: what low sees comes and goes. */
const sharingAction = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constantFrom('unshare' as const, 'share' as const), holding: fc.nat(6) }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('carry-off' as const), path: fc.constantFrom(...written) }) },
);
export type SharingAction = typeof sharingAction extends fc.Arbitrary<infer Value> ? Value : never;
export type OpenAction = (typeof openAction extends fc.Arbitrary<infer Value> ? Value : never) | SharingAction;

const anyPath = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...visible) }, { weight: 2, arbitrary: hiddenPath });
const anyFolder = fc.constantFrom(...hiddenFolders);
const scope = fc.constantFrom<'folder' | 'document'>('folder', 'document');
const ifMatch = fc.constantFrom('*', `"${'0'.repeat(40)}"`);
const acknowledged = fc.boolean();
const listing = fc.record({
  does: fc.constantFrom('list' as const, 'list-folders' as const, 'browse' as const, 'trash' as const),
  folder: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...shownFolders) }, { weight: 1, arbitrary: anyFolder }),
  limit: fc.integer({ min: 1, max: 2 }),
});
const limit = fc.integer({ min: 1, max: 2 });
/** The index of one of low's places with the needed role; none in one of four. */
const aim = fc.option(fc.nat(99), { nil: undefined, freq: 3 });
/** Placeholders of people and groups, until there are ids. */
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
  // At random places they seldom succeed; so some are aimed at low's places.
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
export type AnyQuestion = typeof question extends fc.Arbitrary<infer Value> ? Value : never;

/** A visible history with the hidden actions before each of its steps. */
const scenarioWith = (open: fc.Arbitrary<OpenAction>) =>
  fc.record({
    holdings: fc.uniqueArray(holding, { minLength: 2, maxLength: 7, selector: ({ on }) => on }),
    deletedBefore: fc.subarray(written, { maxLength: 3 }),
    foldersDeletedBefore: fc.subarray(['a/x', 'b/c'], { maxLength: 1 }),
    hiddenAtFirst: fc.array(hiddenAction, { minLength: 6, maxLength: 20, size: 'max' }),
    questions: fc.array(
      fc.record({
        question,
        openBefore: fc.array(open, { maxLength: 2 }),
        hiddenBefore: fc.array(hiddenAction, { maxLength: 3 }),
      }),
      { minLength: 4, maxLength: 14, size: 'max' },
    ),
  });
export const scenario = scenarioWith(openAction);
/** The same, in which low's access changes too. */
export const sharingScenario = scenarioWith(
  fc.oneof({ weight: 2, arbitrary: openAction }, { weight: 1, arbitrary: sharingAction }),
);
export type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;
