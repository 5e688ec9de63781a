import { Check } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import { diffSequences, Numbering, type Effort } from '../../../../text/diff-sequences.js';
import { Badge, type BadgeTone } from '../../design/badge.tsx';
import { Segments } from '../../design/segments.tsx';
import type { Choice, MergePart } from './merge-texts.js';

interface ChangedPartProps {
  readonly part: MergePart;
  /** Among all parts. */
  readonly index: number;
  /** Among the changed ones, from 1. */
  readonly place: number;
  readonly count: number;
  readonly choice: Choice | undefined;
  readonly onChoose: (choice: Choice) => void;
}

const kinds: Readonly<Record<Exclude<MergePart['kind'], 'same'>, { readonly name: string; readonly tone: BadgeTone }>> =
  {
    conflict: { name: 'Changed by both', tone: 'warning' },
    theirs: { name: 'Changed by them', tone: 'info' },
    mine: { name: 'Changed by you', tone: 'neutral' },
    both: { name: 'Same change by both', tone: 'success' },
  };

const options: Readonly<Record<Exclude<MergePart['kind'], 'same'>, readonly Choice[]>> = {
  conflict: ['theirs', 'mine', 'both', 'base'],
  theirs: ['theirs', 'base'],
  mine: ['mine', 'base'],
  both: ['mine', 'base'],
};

function nameOf(choice: Choice, kind: MergePart['kind']): string {
  if (choice === 'base') return kind === 'conflict' ? 'Neither' : 'As before';
  if (choice === 'both') return 'Theirs, then mine';
  if (kind === 'both') return 'The change';
  return choice === 'theirs' ? 'Theirs' : 'Mine';
}

/** A part that one or both changed: as it was, as they have it, as the person has it, and what to take. */
export function ChangedPart({ part, index, place, count, choice, onChoose }: ChangedPartProps): ReactNode {
  const kind = part.kind === 'same' ? 'both' : part.kind;
  const { name, tone } = kinds[kind];
  const texts = useMemo(
    () => ({ base: part.base.join(''), theirs: part.theirs.join(''), mine: part.mine.join('') }),
    [part],
  );
  const isEndOnly = new Set(Object.values(texts).map((text) => text.replace(/[\r\n]+/g, '\n'))).size === 1;
  const isTaken = (side: 'base' | 'theirs' | 'mine'): boolean =>
    choice === side ||
    (choice === 'both' && side !== 'base') ||
    (kind === 'both' && choice === 'mine' && side === 'theirs');
  return (
    <section
      className={kind === 'conflict' ? 'part undecidable' : 'part'}
      aria-label={`Part ${place} of ${count}: ${name}`}
      data-part={index}
    >
      <header className="part-head">
        <Badge tone={tone}>{name}</Badge>
        {isEndOnly && <span className="small soft">Only line ends or empty lines differ.</span>}
        <Segments
          label={`What to take of part ${place}`}
          options={options[kind].map((value) => ({ value, label: nameOf(value, kind) }))}
          value={choice}
          onChange={onChoose}
        />
      </header>
      <div className="part-sides">
        <Side title="Before" pieces={[{ text: texts.base, isChanged: false }]} isTaken={isTaken('base')} look="base" />
        {kind !== 'mine' && (
          <Side
            title={kind === 'both' ? 'Theirs and mine' : 'Theirs'}
            pieces={markWords(texts.base, texts.theirs)}
            isTaken={isTaken('theirs')}
            look="theirs"
          />
        )}
        {(kind === 'mine' || kind === 'conflict') && (
          <Side title="Mine" pieces={markWords(texts.base, texts.mine)} isTaken={isTaken('mine')} look="mine" />
        )}
      </div>
    </section>
  );
}

interface SideProps {
  readonly title: string;
  readonly pieces: readonly MarkedPiece[];
  readonly isTaken: boolean;
  readonly look: 'base' | 'theirs' | 'mine';
}

function Side({ title, pieces, isTaken, look }: SideProps): ReactNode {
  const isEmpty = pieces.every(({ text }) => text === '');
  return (
    <div className={`side ${look}${isTaken ? ' taken' : ''}`}>
      <h3>
        {title}
        {isTaken && (
          <span className="side-taken">
            <Check aria-hidden />
            taken
          </span>
        )}
      </h3>
      {isEmpty ? (
        <p className="soft small">Nothing here</p>
      ) : (
        <pre dir="auto">
          {pieces.map(({ text, isChanged }, index) => (isChanged ? <mark key={index}>{text}</mark> : text))}
        </pre>
      )}
    </div>
  );
}

/** A piece of a text, and whether the other text lacks it. */
interface MarkedPiece {
  readonly text: string;
  readonly isChanged: boolean;
}

const wordPattern = /[\p{L}\p{M}\p{N}_]+|\s+|[^\p{L}\p{M}\p{N}_\s]/gu;
/** Longer texts are shown without marks. UTF-16 units. */
const maxMarked = 20_000;
/** With more pieces than this, marks confuse more than they show. */
const maxPieces = 200;

/**
 * Marks the words of a text that another text does not have in that place.
 * @returns the whole text as one changed piece, where hardly a word is the same or the texts are long
 */
function markWords(from: string, to: string): readonly MarkedPiece[] {
  const whole = to === '' ? [] : [{ text: to, isChanged: from !== to }];
  if (from === to || from.length + to.length > maxMarked) return whole;
  const words = { from: from.match(wordPattern) ?? [], to: to.match(wordPattern) ?? [] };
  const numbering = new Numbering();
  const effort: Effort = { steps: 60_000, comparisons: 400_000, isExhausted: false };
  const ranges = diffSequences(numbering.numberOf(words.from), numbering.numberOf(words.to), effort);
  const pieces = ranges
    .map(({ isSame, toStart, toEnd }) => ({ text: words.to.slice(toStart, toEnd).join(''), isChanged: !isSame }))
    .filter(({ text }) => text !== '');
  const isAlike = pieces.some(({ text, isChanged }) => !isChanged && text.trim() !== '');
  return isAlike && pieces.length <= maxPieces ? pieces : whole;
}
