import type { Readable } from 'node:stream';
import { sourceOf } from '../../limits/work-limits.js';
import type { Location } from '../../domain/location.js';
import { notFound } from '../../domain/refusal.js';
import { ReachWatch } from '../../workspace/watch-reach.js';
import type { ReadOperation } from '../operation.js';
import { LiveStream, usualBeat } from './live-stream.js';
import { lookAt, type LiveState } from './look-at.js';

export interface WatchLocationInput {
  readonly location: Location;
  /** `stream`: the states from now on. `state`: the present one, for clients that ask again and again. */
  readonly form: 'stream' | 'state';
  /** It belongs to a page whose record says that the page follows the place. */
  readonly isOfPage?: boolean;
  /** Milliseconds between two heartbeats of a stream. Left out: the usual ones. */
  readonly beat?: number | undefined;
}

export interface Watched {
  readonly state: LiveState;
  /** Null where only the state was asked for. A caller that does not open it has to leave it. */
  readonly stream: { readonly open: () => Readable; readonly leave: () => void } | null;
}

/**
 * What changes at a document or folder that a person looks at: its version, labels, claims and comments, but no content.
 * Reader of the document, or anyone who finds the folder.
 * @throws Refusal RATE_LIMITED, UNAVAILABLE where there are too many streams
 */
export const watchLocation: ReadOperation<WatchLocationInput, Watched> = {
  kind: 'read',
  name: 'location.watch',
  needs: () => [],
  note: ({ location, form }) => ({ target: location, detail: { form } }),
  isCovered: ({ isOfPage }) => isOfPage === true,
  run(context, { location, form, beat = usualBeat }) {
    const { workspace, caller, view } = context;
    const look = lookAt(view, location);
    if (look === undefined) throw notFound();
    if (form === 'state') return { state: look.state, stream: null };
    const watch = new ReachWatch(workspace, caller);
    const release = workspace.workLimits.streams.takeNow(sourceOf(workspace.name, caller));
    const action = watchLocation.name;
    const open = (): Readable => new LiveStream(context, location, { action, watch, release, beat });
    return { state: look.state, stream: { open, leave: release } };
  },
  discard: ({ stream }) => stream?.leave(),
};
