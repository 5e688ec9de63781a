import { useRef, useState } from 'react';
import { relocate, type Outcome, type Relocation } from './relocations.ts';

/** A relocation and what came of it so far. */
export interface Attempt {
  readonly relocation: Relocation;
  /** Left out: not tried yet. */
  readonly outcome?: Outcome | { readonly state: 'left' };
}

export interface Relocating {
  readonly attempts: readonly Attempt[];
  readonly isRunning: boolean;
  /** Tries them one after the other, without giving anybody access. */
  readonly start: (relocations: readonly Relocation[]) => Promise<readonly Attempt[]>;
  /** Does those that would give access, as their reports say. */
  readonly acknowledge: () => Promise<readonly Attempt[]>;
  /** Leaves those that would give access where they are. */
  readonly leave: () => readonly Attempt[];
}

/** Renames or moves a few things, one after the other. */
export function useRelocating(workspace: string): Relocating {
  const [attempts, setAttempts] = useState<readonly Attempt[]>([]);
  const [isRunning, setRunning] = useState(false);
  const current = useRef<readonly Attempt[]>([]);

  const keep = (next: readonly Attempt[]): void => {
    current.current = next;
    setAttempts(next);
  };
  const run = async (isDue: (attempt: Attempt) => boolean): Promise<readonly Attempt[]> => {
    setRunning(true);
    for (const [index, attempt] of current.current.entries()) {
      if (!isDue(attempt)) continue;
      const { outcome } = attempt;
      const digest = outcome?.state === 'widens' ? outcome.report.digest : undefined;
      const found = await relocate(workspace, attempt.relocation, digest);
      // What the agreed report said need not be said again.
      const next = found.state === 'done' && digest !== undefined ? { ...found, losses: [] } : found;
      keep(current.current.with(index, { relocation: attempt.relocation, outcome: next }));
    }
    setRunning(false);
    return current.current;
  };
  return {
    attempts,
    isRunning,
    start(relocations) {
      keep(relocations.map((relocation) => ({ relocation })));
      return run(() => true);
    },
    acknowledge: () => run(({ outcome }) => outcome?.state === 'widens'),
    leave() {
      keep(
        current.current.map((attempt) =>
          attempt.outcome?.state === 'widens' ? { ...attempt, outcome: { state: 'left' } } : attempt,
        ),
      );
      return current.current;
    },
  };
}
