import { useRef, useState } from 'react';
import { useAttempts } from '../../api/use-attempts.ts';
import { relocate, type Outcome, type Relocation } from './send-relocation.ts';

/** A relocation and what came of it so far. */
export interface Attempt {
  readonly relocation: Relocation;
  /** The digest of the report that the person agreed to. */
  readonly agreed?: string | undefined;
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
  const keys = useAttempts();
  const current = useRef<readonly Attempt[]>([]);

  const keep = (next: readonly Attempt[]): void => {
    current.current = next;
    setAttempts(next);
  };
  const run = async (isDue: (attempt: Attempt) => boolean): Promise<readonly Attempt[]> => {
    setRunning(true);
    for (const [index, attempt] of current.current.entries()) {
      if (!isDue(attempt)) continue;
      const { relocation, outcome } = attempt;
      const agreed = outcome?.state === 'widens' ? outcome.report.digest : attempt.agreed;
      const key = keys.keyFor([relocation, agreed], relocation.location);
      const found = await relocate(workspace, relocation, key, agreed);
      if (found.state === 'done') keys.done(relocation.location);
      // What the agreed report said need not be said again.
      const next = found.state === 'done' && agreed !== undefined ? { ...found, losses: [] } : found;
      keep(current.current.with(index, { relocation, agreed, outcome: next }));
    }
    setRunning(false);
    return current.current;
  };
  return {
    attempts,
    isRunning,
    start(relocations) {
      const before = current.current;
      // After a lost answer it is the same request again, with what was agreed to.
      keep(relocations.map((relocation) => ({ relocation, agreed: before.find(isSameAs(relocation))?.agreed })));
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

const isSameAs =
  (relocation: Relocation) =>
  (attempt: Attempt): boolean =>
    JSON.stringify(attempt.relocation) === JSON.stringify(relocation);
