import assert from 'node:assert/strict';
import { operatorId } from '../../lib/domain/principal.js';
import { Refusal } from '../../lib/domain/refusal.js';
import type { Operation } from '../../lib/operations/operation.js';
import { perform } from '../../lib/operations/perform.js';
import { Actor } from '../support/store/actor.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('A fault in the rules of an operation', () => {
  let test: TestService;
  beforeEach(async () => {
    test = await openTestService();
  });
  afterEach(() => test.close());

  const common = {
    note: () => ({}),
    needs: (): never => {
      throw new TypeError('It was written wrongly.');
    },
    run: () => 'done',
  };
  for (const operation of [
    { ...common, kind: 'read', name: 'document.read' },
    { ...common, kind: 'write', name: 'document.create' },
  ] as const satisfies readonly Operation<object, string>[]) {
    it(`is a fault of the service, no doubt about rights, and is on record: ${operation.kind}`, async () => {
      const { caller } = new Actor(test.workspace, operatorId);
      await assert.rejects(
        perform<object, string, unknown>(test.workspace, caller, operation, {}),
        (error: unknown) => error instanceof Refusal && error.code === 'INTERNAL',
      );
      const { audit } = test.workspace.journal.reader;
      const last = audit.after((audit.head()?.seq ?? 0) - 1, 1).map(({ action, code }) => [action, code]);
      assert.deepEqual(last, [[operation.name, 'INTERNAL']]);
    });
  }
});
