/**
 * The child of the kill campaign: opens the data folder and sends requests from many actors at once until it is killed.
 * Before a request and after its answer it writes a line of JSON to file descriptor 3. So the parent knows all requests
 * and acknowledgements at any end.
 */
import { readFileSync, writeSync } from 'node:fs';
import { inspect } from 'node:util';
import { makeSystemRandomness, systemClock } from '../../lib/app/real-world.js';
import { Service, type ServiceOptions } from '../../lib/app/service.js';
import type { Caller } from '../../lib/domain/caller.js';
import type { FileSystem } from '../../lib/git/file-system.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { chooseStep, makeRandom, runStep } from '../support/faults/load.js';
import { applyStep, type Model, type Step } from '../support/faults/model.js';
import { makeDeadly, type Death } from './deadly-file-system.js';

/** The parent's orders, as JSON in the file named by the only argument. */
export interface Orders extends Death {
  readonly dataFolder: string;
  readonly seed: string;
  readonly git: 'auto' | 'never';
  /** Principals by home folder, each an actor with its knowledge. */
  readonly actors: readonly { readonly home: string; readonly principal: string; readonly model: Model }[];
  /** Shared documents of all actors, with their current versions. */
  readonly shared: Readonly<Record<string, string>>;
  /** The subjects of grants. */
  readonly subject: string;
  /** Milliseconds between checkpoints besides the usual ones; 0 for none. */
  readonly checkpointEvery: number;
  /** Milliseconds between joinings of packs besides the usual ones; 0 for none. */
  readonly maintainEvery: number;
}

/** A line of the child's. */
export type Line =
  | { readonly at: 'opening' | 'open' }
  | { readonly at: 'ask'; readonly actor: number; readonly request: string; readonly step: Step }
  | {
      readonly at: 'done';
      readonly request: string;
      readonly etag?: string;
      readonly id?: string;
      readonly ids?: Record<string, string>;
    }
  | { readonly at: 'refused'; readonly request: string; readonly code: string; readonly reason: string }
  | { readonly at: 'fault'; readonly what: string };

const orders = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Orders;
const tell = (line: Line): void => void writeSync(3, `${JSON.stringify(line)}\n`);

tell({ at: 'opening' });
const options: ServiceOptions & { readonly fs: FileSystem } = {
  dataFolder: orders.dataFolder,
  git: orders.git,
  clock: systemClock,
  randomness: makeSystemRandomness(),
  onFault: (what, cause) => tell({ at: 'fault', what: `${what}: ${String(cause)}` }),
  fs: makeDeadly(orders),
};
const service = await Service.open(options);
const workspace = service.find('acme');
if (workspace === undefined) throw new Error('There is no workspace.');
tell({ at: 'open' });
// An idle process would end by itself, and the campaign wants to kill it.
setInterval(() => undefined, 1000);

if (orders.checkpointEvery > 0) {
  setInterval(() => void workspace.checkpointer.run().catch(() => undefined), orders.checkpointEvery);
}
if (orders.maintainEvery > 0) setInterval(() => void workspace.maintainer.run(), orders.maintainEvery);

const shared: Record<string, string> = { ...orders.shared };

async function act(number: number): Promise<never> {
  const { home, principal, model } = orders.actors[number] ?? orders.actors[0]!;
  const random = makeRandom(`${orders.seed} ${number}`);
  for (let count = 0; ; count++) {
    const tag = `${orders.seed.replaceAll(/[^a-z0-9]/g, '-')}-${count}`;
    const request = `req_${orders.seed.replaceAll(' ', '_')}_${number}_${count}`;
    const caller: Caller = {
      principalId: principal,
      kind: 'person',
      credentialId: null,
      interface: 'rest',
      requestId: request,
    };
    const contended =
      random() < 0.1 ? Object.keys(shared)[Math.floor(random() * Object.keys(shared).length)] : undefined;
    const step: Step =
      contended === undefined
        ? chooseStep(model, home, tag, random)
        : { kind: 'update', location: contended, ifMatch: shared[contended] ?? '', content: { tag, size: 200 } };
    tell({ at: 'ask', actor: number, request, step });
    try {
      const { replayed: _, ...outcome } = await runStep(workspace!, caller, orders.subject, step, request);
      tell({ at: 'done', request, ...outcome } as Line);
      if (contended === undefined) applyStep(model, step, outcome);
      else shared[contended] = outcome.etag ?? '';
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const reason = error.details?.reason ?? inspect(error.cause);
      tell({ at: 'refused', request, code: error.code, reason });
      if (contended !== undefined && error.details?.reason === 'stale_if_match') {
        shared[contended] = error.details.current.id;
      }
    }
  }
}

await Promise.all(orders.actors.map((_, number) => act(number)));
