/**
 * The steps of an erase after it was accepted, in order. If the process ends at any of them, the next start goes on.
 */
export const eraseSteps = [
  'flushed',
  'rewritten',
  'moved',
  'checkpointed',
  'repointed',
  'cleared',
  'forgotten',
  'dropped',
  'copied',
  'swept',
  'overwritten',
  'uncopied',
  'final',
] as const;

export type EraseStep = (typeof eraseSteps)[number];

/** The meaning of each step, for its waiting caller. */
export const meaningOfStep: Readonly<Record<EraseStep, string>> = {
  flushed: 'hidden; its history is being rewritten',
  rewritten: 'the history is rewritten but for its last commits',
  moved: 'the rewritten history is in force',
  checkpointed: 'the repository stands at the rewritten history',
  repointed: 'other documents point to their rewritten commits',
  cleared: 'what was said about it is deleted',
  forgotten: 'its words are removed from the search index',
  dropped: 'its name is deleted; packs are being rewritten',
  copied: 'new packs are written; the old ones are being removed',
  swept: 'the old packs are gone; deleted bytes are being overwritten',
  overwritten: 'deleted bytes are overwritten; copies elsewhere are being made anew',
  uncopied: 'copies elsewhere have no trace of it',
  final: 'erased for good',
};
