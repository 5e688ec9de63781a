import * as fc from 'fast-check';
import type { Role, Scope } from './reference-model.js';

/** Random histories: the initial state, and the commands of people. */

export const people = ['ada', 'ben', 'cem', 'dia'];
export const groups = ['red', 'green', 'blue'];
export const names = ['a', 'b', 'c', 'd'];
/** Every path of up to three segments over few names, so that things meet. */
export const paths = names.flatMap((x) => [
  x,
  ...names.flatMap((y) => [`${x}/${y}`, ...names.map((z) => `${x}/${y}/${z}`)]),
]);

/** Ada is approver of the root to begin with, and Ben its editor: they act most. */
const person = fc.constantFrom('ada', 'ben', 'ben', ...people);
/** A path, or a number for one of the occupied paths at the time of the command. */
const path = fc.oneof({ weight: 3, arbitrary: fc.nat(99) }, { weight: 2, arbitrary: fc.constantFrom(...paths) });
const folder = fc.oneof({ weight: 2, arbitrary: fc.nat(99) }, { weight: 1, arbitrary: fc.constantFrom('', ...paths) });
const acknowledged = fc.nat(2).map((n) => n === 0);
const subject = fc.constantFrom(...people, ...groups);
const role = fc.constantFrom<Role>('reader', 'editor', 'approver');
const grantOn = fc.oneof(
  { weight: 3, arbitrary: fc.record({ scope: fc.constant<Scope>('folder'), path: folder, subject, role }) },
  { weight: 2, arbitrary: fc.record({ scope: fc.constant<Scope>('document'), path, subject, role }) },
);
/** The initial state: documents, and Ada's grants. */
export const beginning = fc.record({
  documents: fc.uniqueArray(fc.constantFrom(...paths.filter((at) => at.includes('/'))), { minLength: 4, maxLength: 9 }),
  grants: fc.array(grantOn, { minLength: 3, maxLength: 10 }),
  memberships: fc.array(fc.record({ group: fc.constantFrom(...groups), subject }), { maxLength: 5 }),
});
export const command = fc.oneof(
  { weight: 5, arbitrary: fc.record({ does: fc.constant('create' as const), by: person, path }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('update' as const), by: person, path }) },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('delete' as const), by: person, path: fc.nat(99) }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('undelete' as const), by: person, path: fc.nat(99) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('create-folder' as const), by: person, path }) },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constantFrom('delete-folder' as const, 'undelete-folder' as const),
      by: person,
      path: fc.nat(99),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constantFrom(
        'restore' as const,
        'claim' as const,
        'claim' as const,
        'release' as const,
        'comment' as const,
        'label' as const,
      ),
      by: person,
      path: fc.nat(99),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('break' as const),
      by: person,
      path: fc.nat(99),
      holder: fc.constantFrom(...people),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('revert' as const),
      by: person,
      folder: fc.constantFrom('', ...names),
      of: fc.constantFrom(...people),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('rename' as const),
      by: person,
      path,
      name: fc.constantFrom(...names),
      acknowledged,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('move' as const),
      by: person,
      path,
      folder,
      acknowledged,
    }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('grant' as const), by: person, grant: grantOn }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('revoke' as const), by: person, grant: grantOn, instead: fc.nat(99) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('join' as const), group: fc.constantFrom(...groups), subject }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('leave' as const),
      group: fc.constantFrom(...groups),
      subject,
      instead: fc.nat(99),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('disable' as const),
      by: fc.constantFrom(...people.slice(1)),
      disabled: fc.boolean(),
    }),
  },
);
export type Given = typeof command extends fc.Arbitrary<infer Value> ? Value : never;
/** A command with its paths. */
type Resolved<Value> = { readonly [Key in keyof Value]: Key extends 'path' | 'folder' ? string : Value[Key] };
type ResolvedCommand<One> = One extends { grant: infer Grant }
  ? Resolved<Omit<One, 'grant'>> & { readonly grant: Resolved<Grant> }
  : Resolved<One>;
export type Command = ResolvedCommand<Given>;
