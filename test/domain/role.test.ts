import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { higherRole, roleContains, roles, type Role } from '../../lib/domain/role.js';

describe('Roles', () => {
  it('are three, each containing those before it', () => {
    assert.deepEqual(roles, ['reader', 'editor', 'approver']);
    for (const [held, own] of roles.entries()) {
      for (const [needed, other] of roles.entries()) assert.equal(roleContains(own, other), held >= needed);
    }
  });

  it('contain nothing where there is none', () => {
    for (const role of roles) assert.ok(!roleContains(undefined, role));
  });

  it('only add up: the higher of any two is the one that contains the other, in any order', () => {
    const some = fc.option(fc.constantFrom<Role>(...roles), { nil: undefined });
    fc.assert(
      fc.property(some, some, some, (a, b, c) => {
        const higher = higherRole(a, b);
        assert.equal(higher, higherRole(b, a));
        assert.ok(higher === a || higher === b);
        for (const part of [a, b]) assert.ok(part === undefined || roleContains(higher, part));
        assert.equal(higherRole(higher, c), higherRole(a, higherRole(b, c)));
      }),
      { seed: 1 },
    );
  });
});
