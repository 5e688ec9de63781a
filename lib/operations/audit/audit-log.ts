import { sourceOf } from '../../access/work-limits.js';
import type { Release } from '../../access/work-limiter.js';
import { exportChain, type ExportedLine } from '../../audit/export.js';
import { rootLocation } from '../../domain/location.js';
import { notFound } from '../../domain/refusal.js';
import { ReachWatch } from '../../workspace/watch-reach.js';
import { adminNeeds } from '../needs.js';
import type { AuditNote, ReadContext, ReadOperation } from '../operation.js';
import { recordRefusal } from '../perform.js';

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
    const { workspace, caller } = this.#context;
    if (caller.interface === 'command') return;
    const { principalId: principal, credentialId: credential, interface: face, requestId } = caller;
    const event = { principal, credential, interface: face, action: endAction, outcome: 'done', requestId } as const;
    const detail = this.#noteOfEnd.detail;
    workspace.journal
      .write({ isRecordOnly: true, run: (transaction) => transaction.audit({ ...event, detail }) })
      .catch((cause: unknown) => workspace.onFault('The end of an export could not be recorded', cause));
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
        const operation = { name: exportAudit.name, note: () => this.#noteOfEnd };
        throw await recordRefusal(workspace, caller, operation, undefined, error);
      }
      yield line;
      if ('record' in line) this.#records += 1;
    }
    this.#isComplete = true;
  }

  get #noteOfEnd(): AuditNote & { readonly detail: object } {
    return { detail: { records: this.#records, ...(this.#isComplete ? {} : { broken_off: true }) } };
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
