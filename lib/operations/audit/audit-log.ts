import { sourceOf } from '../../limits/work-limits.js';
import type { Release } from '../../limits/work-limiter.js';
import { exportChain, type ExportedLine } from '../../audit/export.js';
import { rootLocation } from '../../domain/location.js';
import { notFound } from '../../domain/refusal.js';
import { ReachWatch } from '../../workspace/watch-reach.js';
import { adminNeeds } from '../needs.js';
import type { ReadContext, ReadOperation } from '../operation.js';
import { recordRefusal } from '../perform.js';
import { recordEnd } from '../record-end.js';

/** The audit log's action for the end of an export of it, however it ended. */
const endAction = 'audit.exported';

/** Each line is read on request. Refused once the caller is no admin any more, or its key or session has ended. */
export interface AuditExport extends AsyncIterable<ExportedLine> {
  /** Gives its place to others. Call it where it is left before its end, or is not begun. */
  readonly close: () => void;
}

/** The present chain, line by line. The last line is a signature over its end. Admin. */
export const exportAudit: ReadOperation<{ readonly withTexts: boolean }, AuditExport> = {
  kind: 'read',
  name: 'audit.export',
  needs: () => adminNeeds,
  note: ({ withTexts }) => ({ detail: { with_texts: withTexts } }),
  async run({ workspace, caller }, { withTexts }) {
    const release =
      // Only the machine limits the operator's commands, and who gives one sees its end.
      caller.interface === 'command'
        ? () => undefined
        : await workspace.workLimits.exports.take(sourceOf(workspace.name, caller));
    try {
      // Rights may have changed meanwhile.
      const view = workspace.view(caller);
      if (!view.reach.holds('approver', rootLocation)) throw notFound();
      return new RunningExport({ workspace, caller, view }, withTexts, release);
    } catch (error) {
      release();
      throw error;
    }
  },
  discard: ({ close }) => close(),
};

/** Its own record was written at its beginning. Its end is recorded too, with the number of its records. */
class RunningExport implements AuditExport {
  readonly #withTexts: boolean;
  readonly #watch: ReachWatch;
  readonly #tables: ReadContext['view']['tables'];
  readonly #context: ReadContext;
  readonly #release: Release;
  #records = 0;
  #isComplete = false;
  #hasEnded = false;

  constructor(context: ReadContext, withTexts: boolean, release: Release) {
    this.#context = context;
    this.#release = release;
    this.#withTexts = withTexts;
    this.#tables = context.view.tables;
    this.#watch = new ReachWatch(context.workspace, context.caller);
  }

  readonly close = (): void => {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#release();
    if (this.#context.caller.interface === 'command') return;
    const note = { detail: { records: this.#records } };
    recordEnd(this.#context, { action: endAction, note, isComplete: this.#isComplete });
  };

  async *[Symbol.asyncIterator](): AsyncGenerator<ExportedLine, undefined> {
    try {
      yield* this.#read();
    } finally {
      this.close();
    }
  }

  async *#read(): AsyncGenerator<ExportedLine, undefined> {
    const { workspace, caller } = this.#context;
    const { name, archives, clock, signer } = workspace;
    const source = { workspace: name, tables: this.#tables, archives };
    for await (const line of exportChain(source, this.#withTexts, (head) => signer.sign(head, clock.now(), true))) {
      try {
        this.#watch.requireAdmin();
      } catch (error) {
        const detail = { records: this.#records, broken_off: true };
        const operation = { name: exportAudit.name, note: () => ({ detail }) };
        throw await recordRefusal(workspace, caller, operation, undefined, error);
      }
      yield line;
      if ('record' in line) this.#records += 1;
    }
    this.#isComplete = true;
  }
}

/** The public key for signatures over the chain: SubjectPublicKeyInfo in PEM. Admin. */
export const showAuditKey: ReadOperation<Record<string, never>, { readonly publicKey: string }> = {
  kind: 'read',
  name: 'audit.key',
  needs: () => adminNeeds,
  note: () => ({}),
  run: ({ workspace }) => ({ publicKey: workspace.signer.publicKey }),
};
