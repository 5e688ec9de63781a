import { useId, type ReactNode } from 'react';
import type { DescribedKind, Kind } from './connector-queries.ts';
import { wordsOfKind } from './connector-words.ts';

interface KindChoiceProps {
  readonly kinds: readonly DescribedKind[];
  readonly chosen: Kind | undefined;
  readonly onChoose: (kind: Kind) => void;
}

/** A choice among the kinds of sources that this service can mirror. */
export function KindChoice({ kinds, chosen, onChoose }: KindChoiceProps): ReactNode {
  const name = useId();
  return (
    <fieldset className="kinds">
      <legend className="field-label">What kind of source is it?</legend>
      {kinds.map(({ kind }) => {
        const { name: words, meaning, icon: Icon } = wordsOfKind[kind];
        return (
          <label key={kind} className="kind">
            <input
              type="radio"
              name={name}
              value={kind}
              checked={kind === chosen}
              aria-describedby={`${name}-${kind}`}
              aria-label={words}
              onChange={() => onChoose(kind)}
            />
            <Icon aria-hidden />
            <span className="kind-words">
              <span className="kind-name">{words}</span>
              <span className="soft small" id={`${name}-${kind}`}>
                {meaning}
              </span>
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}
