import type { Reach } from '../access/reach.js';
import type { Sidecar } from '../sidecar/sidecar.js';
import { View } from './view.js';

/** A view that goes on showing one committed state while the workspace changes under it. */
export interface PinnedView {
  readonly view: View;
  /** Ends it; may be called twice. */
  readonly close: () => void;
}

/** Pins the state that is committed now, for work that takes longer than one synchronous stretch. */
export function pinView(sidecar: Sidecar, reach: Reach, now: number): PinnedView {
  const snapshot = sidecar.openSnapshot();
  return { view: new View(snapshot.tables, reach, now), close: () => snapshot.close() };
}
