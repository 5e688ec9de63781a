import { describeError } from '../domain/describe-error.js';
import { hashObject, inflateObject } from '../git/objects/objects.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import type { PendingObject } from '../sidecar/tables/object-table.js';
import type { ReadOnlyWorkspace } from './open-data-folder.js';
import type { Report } from './report.js';

const together = 100;
const bytesTogether = 8 * 1024 * 1024;

/** Checks that every pending object matches its name. Pending objects lie in the sidecar only. */
export async function verifyPending({ sidecar }: ReadOnlyWorkspace, report: Report): Promise<void> {
  const { objects } = sidecar.reader;
  const newest = objects.newest();
  for (let after = 0; ;) {
    const some = objects.between(after, newest, together, bytesTogether);
    for (const object of some) {
      const fault = faultOf(object);
      if (fault !== undefined) report('pending', `The pending ${object.type} ${object.oid} ${fault}`);
    }
    const last = some.at(-1);
    if (last === undefined) return;
    after = last.number;
    await yieldToLoop();
  }
}

function faultOf(object: PendingObject): string | undefined {
  try {
    const bytes = inflateObject(object);
    return hashObject(object.type, bytes) === object.oid ? undefined : 'holds something else.';
  } catch (error) {
    return `cannot be read: ${describeError(error)}`;
  }
}
