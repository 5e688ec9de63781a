import { ArrowDown, FileCheck2, Pencil, Undo2 } from 'lucide-react';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { announce } from '../../design/announce.tsx';
import { Who } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { Time } from '../../design/time.tsx';
import { ChangedPart } from './changed-part.tsx';
import type { StoredText } from './document-text.ts';
import { joinParts, mergeTexts, usualChoice, type Choice, type MergePart } from './merge-texts.js';
import { SamePart } from './same-part.tsx';

interface ConflictViewProps {
  readonly base: string;
  readonly theirs: StoredText;
  readonly mine: string;
  readonly isSaving: boolean;
  /** Whether the merged text may be saved now. */
  readonly isBlocked: boolean;
  readonly onSave: (merged: string) => void;
  readonly onEdit: (merged: string) => void;
  readonly onClose: () => void;
}

/** Two changes of one text, part by part: a person decides on each part that both changed. */
export function ConflictView(props: ConflictViewProps): ReactNode {
  const { base, theirs, mine, isSaving, isBlocked, onSave, onEdit, onClose } = props;
  const parts = useMemo(() => mergeTexts(base, theirs.text, mine), [base, theirs.text, mine]);
  const [choices, setChoices] = useState<ReadonlyMap<number, Choice>>(new Map());
  const heading = useRef<HTMLHeadingElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const open = parts.flatMap((part, index) => (part.kind === 'conflict' && !choices.has(index) ? [index] : []));
  const merged = useMemo(() => joinParts(parts, choices), [parts, choices]);
  const places = useMemo(() => countChanged(parts), [parts]);
  const changed = places.at(-1) ?? 0;
  const goToOpen = (): void => {
    const [next] = open;
    list.current?.querySelector<HTMLElement>(`[data-part="${next}"] input`)?.focus();
  };
  const choose = (index: number, choice: Choice): void => {
    const next = new Map(choices).set(index, choice);
    setChoices(next);
    const left = parts.filter((part, at) => part.kind === 'conflict' && !next.has(at)).length;
    announce(left === 0 ? 'Every part is decided.' : leftOf(left));
  };
  const chooseAll = (choice: Choice): void => {
    const next = new Map(choices);
    for (const [index, { kind }] of parts.entries()) if (kind === 'conflict') next.set(index, choice);
    setChoices(next);
    announce('Every part is decided.');
  };
  return (
    <section className="conflict" aria-labelledby="conflict-heading">
      <h2 id="conflict-heading" tabIndex={-1} ref={heading}>
        Someone else changed this document
      </h2>
      <Notice tone="warning">
        <p>
          <Who name={theirs.author.display_name} kind={theirs.author.kind} /> saved a newer version{' '}
          <Time at={theirs.at} />
          {theirs.note === null ? (
            '.'
          ) : (
            <>
              : “<bdi>{theirs.note}</bdi>”
            </>
          )}
        </p>
        <p>Nothing is lost and nothing is overwritten. Decide part by part what the document becomes, then save.</p>
      </Notice>
      {parts.some(({ kind }) => kind === 'conflict') && (
        <div className="cluster">
          <Button size="small" icon={ArrowDown} onClick={goToOpen} disabled={open.length === 0}>
            Go to next undecided part
          </Button>
          <Button size="small" onClick={() => chooseAll('theirs')}>
            Take theirs everywhere
          </Button>
          <Button size="small" onClick={() => chooseAll('mine')}>
            Take mine everywhere
          </Button>
        </div>
      )}
      <div className="conflict-parts" ref={list}>
        {parts.map((part, index) => {
          if (part.kind === 'same') {
            return <SamePart key={index} lines={part.base} isFirst={index === 0} isLast={index === parts.length - 1} />;
          }
          return (
            <ChangedPart
              key={index}
              index={index}
              part={part}
              place={places[index] ?? 0}
              count={changed}
              choice={choices.get(index) ?? usualChoice(part)}
              onChoose={(choice) => choose(index, choice)}
            />
          );
        })}
      </div>
      <div className="conflict-foot">
        <span className="editor-status" role="status">
          {open.length === 0 ? 'Every part is decided.' : leftOf(open.length)}
        </span>
        <Button icon={Undo2} look="quiet" onClick={onClose}>
          Back to my text
        </Button>
        <Button
          icon={Pencil}
          disabled={merged === undefined || isSaving}
          onClick={() => merged !== undefined && onEdit(merged)}
        >
          Edit the result
        </Button>
        <Button
          look="primary"
          icon={FileCheck2}
          isPending={isSaving}
          disabled={merged === undefined || isBlocked}
          onClick={() => merged !== undefined && onSave(merged)}
        >
          Save the result
        </Button>
      </div>
    </section>
  );
}

/** For each part, how many changed parts there are up to it. */
function countChanged(parts: readonly MergePart[]): readonly number[] {
  let count = 0;
  return parts.map(({ kind }) => {
    if (kind !== 'same') count += 1;
    return count;
  });
}

function leftOf(count: number): string {
  return count === 1 ? 'One part is undecided.' : `${count} parts are undecided.`;
}
