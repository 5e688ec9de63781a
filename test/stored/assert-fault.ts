import assert from 'node:assert/strict';
import { BucketFault, type BucketFaultKind } from '../../lib/stored/bucket-fault.js';

/** The promise rejects with a fault of this kind, whose message matches. */
export async function assertFault(work: Promise<unknown>, kind: BucketFaultKind, message: RegExp): Promise<void> {
  await assert.rejects(work, (error) => {
    if (!(error instanceof BucketFault)) throw error;
    assert.equal(error.kind, kind, error.message);
    assert.match(error.message, message);
    return true;
  });
}
