import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { exportChain, type ChainSource } from '../../lib/audit/export.js';
import { verifySource } from '../../lib/audit/verify-source.js';
import { writeArchive } from '../../lib/audit/write-archive.js';
import { makeWorkbench, type Workbench } from '../support/faults/workbench.js';
import { gather } from '../support/gather.js';
import { longestTurnOf } from '../support/processes/longest-turn.js';

const many = 6000;
/** Milliseconds of processor time. Work rests after 8, and a collection of garbage may be added to it. */
const maxTurn = 20;
/** The first rounds compile the program. */
const rounds = 4;

describe('work on a whole audit log', function () {
  this.timeout(60_000);
  let bench: Workbench;
  let source: ChainSource;

  before(async () => {
    bench = await makeWorkbench();
    const { workspace } = bench;
    // Records with long details, as those of a search or of a folder with long names are.
    const detail = { note: 'words '.repeat(100) };
    for (let made = 0; made < many; made += 500) {
      await workspace.journal.write({
        isRecordOnly: true,
        run(transaction) {
          for (let index = 0; index < 500; index += 1) {
            const event = { principal: null, credential: null, interface: 'command', requestId: null } as const;
            transaction.audit({ ...event, action: 'test.note', outcome: 'done', target: `thing ${index}`, detail });
          }
        },
      });
    }
    source = { workspace: workspace.name, tables: workspace.journal.reader, archives: workspace.archives };
  });
  after(() => bench.remove());

  it('lets others have their turn while it is checked', () =>
    requireShort(async () => {
      const publicKey = createPublicKey(bench.workspace.signer.publicKey);
      const verdict = await verifySource(source, [], { publicKey });
      assert.ok(verdict.sound && verdict.records >= many);
    }));

  it('lets others have their turn while it is read', () =>
    requireShort(async () => assert.ok((await gather(exportChain(source, true))).length > many)));

  it('lets others have their turn while it is archived', () =>
    requireShort(async () => {
      const written = await writeArchive(source.tables, source.archives ?? assert.fail(), many - 1);
      assert.equal(written?.lastSeq, many - 1);
    }));

  async function requireShort(work: () => Promise<unknown>): Promise<void> {
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds && least >= maxTurn; round += 1) {
      least = Math.min(least, await longestTurnOf(work));
    }
    assert.ok(least < maxTurn, `others wait for ${least.toFixed(0)} ms`);
  }
});
