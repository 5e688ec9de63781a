import assert from 'node:assert/strict';
import { EgressFault } from '../../../lib/egress/egress-fault.js';
import type { SourceFaultClass } from '../../../lib/domain/connector.js';

/** The promise rejects with a fault of this class, whose message for people matches. */
export async function assertFault(promise: Promise<unknown>, fault: SourceFaultClass, message: RegExp): Promise<void> {
  await assert.rejects(promise, (error: unknown) => {
    if (!(error instanceof EgressFault)) throw error;
    assert.equal(error.fault, fault, error.message);
    assert.match(error.message, message);
    return true;
  });
}
