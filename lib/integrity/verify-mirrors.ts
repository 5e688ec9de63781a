import type { SidecarSnapshot } from '../sidecar/sidecar.js';
import { compareMirrors } from '../view/compare-mirror.js';
import type { Report } from './report.js';

const faults = {
  row: 'is in a mirror, and its connector does not know that it mirrored it.',
  document: 'has no document, and its connector takes it for mirrored.',
} as const;

/** Compares the documents of mirrors with what their connectors know of. The next sync would miss such a difference. */
export function verifyMirrors({ reader }: Pick<SidecarSnapshot, 'reader'>, report: Report): void {
  for (const { location, lacks } of compareMirrors(reader)) report('mirrors', faults[lacks], location);
}
