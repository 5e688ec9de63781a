import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { exportChain, type ChainSource } from '../../lib/audit/export.js';
import type { ExportedLine } from '../../lib/audit/exported-line.js';
import { writeArchive } from '../../lib/audit/write-archive.js';
import { verifyChain } from '../../lib/audit/verify-chain.js';
import { archiveAudit } from '../../lib/operations/audit/archive-audit.js';
import { listPrincipals } from '../../lib/operations/principals/list-principals.js';
import { perform } from '../../lib/operations/perform.js';
import { findCommand } from '../../lib/commands/command-tables.js';
import { runCommand } from '../../lib/commands/carrier/run-command.js';
import { clearArchived } from '../../lib/journal/clear-archived.js';
import { makeWorkbench, type Workbench } from '../support/faults/workbench.js';
import { gather } from '../support/gather.js';
import { operator } from '../support/store/service.js';

/** As many as an archive holds, and some more. */
const many = 20_600;

describe('archiving a long audit log', function () {
  this.timeout(30_000);
  let bench: Workbench;

  beforeEach(async () => {
    bench = await makeWorkbench();
  });
  afterEach(() => bench.remove());

  it('yields while it reads, checks and packs, and while it is exported', async () => {
    await record(many);
    const fromRows = await maxInOneTurn(exportChain(source(), true));
    const counter = new TurnCounter();
    const { archived, more } = await archive(1e9);
    counter.stop();
    assert.deepEqual([archived?.firstSeq, archived?.lastSeq, more], [1, 20_000, true]);
    assert.ok(counter.turns >= 20_000 / 500, `${counter.turns} turns`);
    const fromArchive = await maxInOneTurn(exportChain(source(), true));
    // A signature is a line of its own.
    assert.ok(fromRows <= 502 && fromArchive <= 502, `${fromRows} and ${fromArchive} lines in one turn`);
  });

  it('removes the rows a thousand at a time, and each record is there once after a break at any of them', async () => {
    await record(2600);
    const before = await exported();
    const { archived } = await archive(2501);
    assert.equal(archived?.lastSeq, 2500);
    assertWhole(await exported(), 2600);
    for (const first of [1001, 2001]) {
      let turns = 0;
      await clearArchived(bench.workspace.journal, () => (turns += 1) > 1);
      assert.equal(firstRow(), first);
      const lines = await exported();
      assertWhole(lines, 2600);
      assert.deepEqual(lines.slice(0, before.length), before);
    }
    // The next start continues the work that breaks off here.
    await bench.reopen();
    while (firstRow() <= 2500) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(firstRow(), 2501);
    assertWhole(await exported(), 2600);
  });

  it('leaves an archive to a quicker process, and takes its move for no fault', async () => {
    await record(6000);
    const { journal, archives } = bench.workspace;
    const quicker = await writeArchive(journal.reader, archives ?? '', 600);
    assert.equal(quicker?.lastSeq, 600);
    // Reading the whole takes a dozen turns of the event loop; these reads take two.
    const slower = archive(1e9);
    await journal.write({
      isRecordOnly: true,
      run: ({ tables, now }) => tables.auditArchives.insert({ ...quicker, archivedAt: now }),
    });
    await clearArchived(journal, () => false);
    assert.deepEqual(await slower, { archived: null, more: true });
    const again = await archive(1e9);
    assert.deepEqual([again.archived?.firstSeq, again.more], [601, false]);
    assertWhole(await exported(), 6000);
    assert.equal((await readdir(bench.workspace.archives ?? '')).length, 2);
  });

  describe('by the command', () => {
    for (const before of ['999999999', '2999-01-01']) {
      it(`ends although new records come all the time, and takes the ones present at its start: --before ${before}`, async () => {
        await record(50);
        // A command is loaded at its first use; others write meanwhile.
        await findCommand('audit.archive');
        const stop = new AbortController();
        const head = bench.workspace.journal.state.chain.seq;
        const over = new AbortController();
        let rounds = 0;
        const load = async (): Promise<void> => {
          while (!over.signal.aborted)
            await perform(bench.workspace, operator, listPrincipals, { after: '', limit: 200 });
        };
        const loads = [load(), load()];
        const { result } = await run(before, stop.signal, () => {
          rounds += 1;
          if (rounds > 5) stop.abort();
        });
        over.abort();
        await Promise.all(loads);
        assert.deepEqual([result?.archived_up_to, result?.files.length], [head - 1, 1]);
        assert.ok(bench.workspace.journal.state.chain.seq > head + 2, 'others went on');
        assertWhole(await exported(), head);
      });
    }

    it('stops on command, reports how far it came, and continues from there', async () => {
      await record(many);
      const stop = new AbortController();
      const { error } = await run('999999999', stop.signal, () => stop.abort());
      assert.match(error?.message ?? '', /^It was stopped\. Everything up to record 20000 is archived\./);
      assert.deepEqual([error?.details['reason'], error?.details['archived_up_to']], ['stopped', 20_000]);
      const nothing = await run('999999999', stop.signal);
      assert.match(nothing.error?.message ?? '', /Nothing was archived\./);
      const rest = await run('999999999', new AbortController().signal);
      assert.equal(rest.result?.files.length, 1);
      assert.equal(firstRow(), (rest.result?.archived_up_to ?? 0) + 1);
      assertWhole(await exported(), many);
    });

    async function run(before: string, signal: AbortSignal, onProgress: () => void = () => undefined) {
      const { clock } = bench;
      const host = { clock, find: () => bench.workspace, names: () => ['acme'], randomness: bench.files.randomness };
      const answer = await runCommand({ command: 'audit.archive', fields: { before } }, {
        host,
        server: null,
        address: '',
        signal,
        onProgress: async () => onProgress(),
        onFault: () => undefined,
      } as unknown as Parameters<typeof runCommand>[1]);
      return answer as {
        readonly result?: { readonly archived_up_to: number | null; readonly files: readonly string[] };
        readonly error?: { readonly message: string; readonly details: Readonly<Record<string, unknown>> };
      };
    }
  });

  const archive = async (seq: number) =>
    (await perform(bench.workspace, operator, archiveAudit, { before: { seq } })).result;

  const source = (): ChainSource => ({
    workspace: 'acme',
    tables: bench.workspace.journal.reader,
    archives: bench.workspace.archives,
  });

  const exported = (): Promise<ExportedLine[]> => gather(exportChain(source(), true));

  const firstRow = (): number => bench.workspace.journal.reader.audit.after(0, 1)[0]?.seq ?? 0;

  /** Makes records, without an operation for each. */
  async function record(count: number): Promise<void> {
    const { journal } = bench.workspace;
    for (let left = count; left > 0; left -= 1000) {
      await journal.write({
        isRecordOnly: true,
        run(transaction) {
          for (let index = 0; index < Math.min(left, 1000); index += 1) {
            const event = { principal: null, credential: null, interface: 'command', requestId: null } as const;
            transaction.audit({ ...event, action: 'test.note', outcome: 'done', target: `thing ${index}` });
          }
        },
      });
    }
  }

  /** Every record is there once, in its place. */
  function assertWhole(lines: readonly ExportedLine[], atLeast: number): void {
    const seqs = lines.flatMap((line) => ('record' in line ? [line.record.seq] : []));
    assert.ok(seqs.length >= atLeast, `${seqs.length} records`);
    assert.deepEqual(
      seqs,
      seqs.map((_, index) => index + 1),
    );
    assert.ok(verifyChain(lines).sound);
  }
});

/** Notes the turn of the event loop at each call, until it is stopped. */
class TurnCounter {
  turns = 0;
  #isStopped = false;

  constructor() {
    const next = (): void => {
      this.turns += 1;
      if (!this.#isStopped) setImmediate(next);
    };
    setImmediate(next);
  }

  stop(): void {
    this.#isStopped = true;
  }
}

/** The most items of one turn of the event loop. */
async function maxInOneTurn(items: AsyncIterable<unknown>): Promise<number> {
  const counter = new TurnCounter();
  const perTurn = new Map<number, number>();
  for await (const _ of items) perTurn.set(counter.turns, (perTurn.get(counter.turns) ?? 0) + 1);
  counter.stop();
  return Math.max(...perTurn.values());
}
