import { UnfoldVertical } from 'lucide-react';
import { memo, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState, type ReactNode, type Ref } from 'react';
import { Button } from '../../design/button.tsx';
import { PlainText } from '../../design/plain-text.tsx';
import { showProblem } from '../../design/toast.tsx';
import { joinParts, makeBlocks, type DiffBlock, type DiffLine, type DiffRow, type Fold } from './diff-rows.ts';
import { useLines, type Diff } from './history-queries.ts';
import { useGradually } from './use-gradually.ts';

/** Blocks of rows shown without being asked for, and with each press of the button. */
const blocksAtFirst = 400;
const blocksMore = 100;

export interface DiffHandle {
  /** Shows and focuses a change, from 0. */
  goTo(change: number): void;
}

interface DiffViewProps {
  readonly location: string;
  readonly diff: NonNullable<Diff['diff']>;
  readonly to: string;
  readonly isSideBySide: boolean;
  readonly handle: Ref<DiffHandle>;
}

/** The changed lines with some around them; the others are folded. */
export function DiffView({ location, diff, to, isSideBySide, handle }: DiffViewProps): ReactNode {
  const { blocks, rest } = useMemo(() => makeBlocks(diff.hunks, isSideBySide), [diff, isSideBySide]);
  const [shown, show] = useGradually(blocks.length, blocksAtFirst);
  const root = useRef<HTMLDivElement>(null);
  const wanted = useRef<number | null>(null);
  const focusWanted = (): void => {
    if (wanted.current === null) return;
    const row = root.current?.querySelector<HTMLElement>(`[data-change="${wanted.current}"]`);
    if (row === null || row === undefined) return;
    wanted.current = null;
    row.scrollIntoView({ block: 'center' });
    row.focus({ preventScroll: true });
  };
  useImperativeHandle(handle, () => ({
    goTo(change) {
      const block = blocks.findIndex(({ rows }) => rows.some(({ startsChange }) => startsChange === change));
      if (block < 0) return;
      wanted.current = change;
      show(block + 1);
      focusWanted();
    },
  }));
  useLayoutEffect(focusWanted);
  return (
    <div className={isSideBySide ? 'diff side-by-side' : 'diff'} ref={root}>
      {blocks.slice(0, shown).map((block, index) => (
        <Block key={index} block={block} location={location} to={to} isSideBySide={isSideBySide} />
      ))}
      {shown < blocks.length ? (
        <div className="history-more">
          <Button onClick={() => show(shown + blocksMore)}>Show more changes</Button>
        </div>
      ) : (
        rest !== null && <Folded fold={rest} location={location} to={to} isSideBySide={isSideBySide} />
      )}
    </div>
  );
}

interface BlockProps {
  readonly location: string;
  readonly to: string;
  readonly isSideBySide: boolean;
}

const Block = memo(function Block({ block, ...more }: BlockProps & { block: DiffBlock }): ReactNode {
  return (
    <>
      {block.fold !== null && <Folded fold={block.fold} {...more} />}
      <Rows rows={block.rows} isSideBySide={more.isSideBySide} />
    </>
  );
});

/** Lines that one press unfolds. */
const linesAtOnce = 100;

/** A line in place of unchanged lines. They are fetched when somebody wants to see them. */
function Folded({ fold, location, to, isSideBySide }: BlockProps & { fold: Fold }): ReactNode {
  const [isWanted, setWanted] = useState(false);
  const [unfolded, setUnfolded] = useState(0);
  const first = useRef<HTMLDivElement>(null);
  const lines = useLines(location, to, isWanted);
  const total = fold.lines ?? (lines.data === undefined ? undefined : Math.max(0, lines.data.length - fold.line + 1));
  const left = total === undefined ? undefined : total - unfolded;
  const unfold = async (): Promise<void> => {
    setWanted(true);
    const { data, error } = lines.data === undefined ? await lines.refetch() : lines;
    if (data === undefined) {
      showProblem(error);
      return;
    }
    const all = fold.lines ?? Math.max(0, data.length - fold.line + 1);
    setUnfolded((before) => Math.min(all, before + linesAtOnce));
  };
  useLayoutEffect(() => {
    // The button is gone with the last line: the focus goes to what it showed.
    if (unfolded > 0 && left === 0) first.current?.focus({ preventScroll: true });
  }, [unfolded, left]);
  const rows = useMemo(
    () => Array.from({ length: unfolded }, (_, index) => rowOf(fold, index, lines.data?.[fold.line + index - 1] ?? '')),
    [fold, unfolded, lines.data],
  );
  return (
    <>
      {rows.length > 0 && (
        <div ref={first} tabIndex={-1}>
          <Rows rows={rows} isSideBySide={isSideBySide} />
        </div>
      )}
      {left !== 0 && (
        <div className="diff-fold">
          <Button
            look="quiet"
            size="small"
            icon={UnfoldVertical}
            isPending={lines.isFetching}
            onClick={() => void unfold()}
          >
            {left === undefined
              ? 'Show the unchanged rest'
              : left <= linesAtOnce
                ? `Show ${left} unchanged ${left === 1 ? 'line' : 'lines'}`
                : `Show ${linesAtOnce} of ${left} unchanged lines`}
          </Button>
        </div>
      )}
    </>
  );
}

function rowOf({ line, offset }: Fold, index: number, text: string): DiffRow {
  const to = line + index;
  const same: DiffLine = { kind: 'same', from: to + offset, to, text, parts: null, is_ended: true };
  return { left: same, right: same, startsChange: null };
}

function Rows({ rows, isSideBySide }: { rows: readonly DiffRow[]; isSideBySide: boolean }): ReactNode {
  return (
    <table className="diff-block">
      <colgroup>
        <col className="diff-numbers" />
        <col className={isSideBySide ? undefined : 'diff-numbers'} />
        {isSideBySide && <col className="diff-numbers" />}
        <col />
      </colgroup>
      <thead className="visually-hidden">
        <tr>
          {isSideBySide ? (
            <>
              <th scope="col">Line before</th>
              <th scope="col">Text before</th>
              <th scope="col">Line after</th>
              <th scope="col">Text after</th>
            </>
          ) : (
            <>
              <th scope="col">Line before</th>
              <th scope="col">Line after</th>
              <th scope="col">Text</th>
            </>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index} {...(row.startsChange !== null && { 'data-change': row.startsChange, tabIndex: -1 })}>
            {isSideBySide ? (
              <>
                <Side line={row.left} number={row.left?.from ?? null} isOld />
                <Side line={row.right} number={row.right?.to ?? null} />
              </>
            ) : (
              <Unified row={row} />
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Side({
  line,
  number,
  isOld = false,
}: {
  line: DiffLine | null;
  number: number | null;
  isOld?: boolean;
}): ReactNode {
  const kind = line === null ? 'none' : line.kind;
  return (
    <>
      <td className={`diff-number ${kind}`}>{number}</td>
      <td className={`diff-text ${kind}${isOld ? ' old' : ''}`}>{line !== null && <LineText line={line} />}</td>
    </>
  );
}

function Unified({ row }: { row: DiffRow }): ReactNode {
  const line = row.right ?? row.left;
  if (line === null) return null;
  return (
    <>
      <td className={`diff-number ${line.kind}`}>{line.from}</td>
      <td className={`diff-number ${line.kind}`}>{line.to}</td>
      <td className={`diff-text ${line.kind}`}>
        <LineText line={line} />
      </td>
    </>
  );
}

function LineText({ line }: { line: DiffLine }): ReactNode {
  const parts = line.parts === null ? null : joinParts(line.parts);
  const text =
    parts === null ? (
      <PlainText text={line.text} />
    ) : (
      parts.map((part, index) =>
        part.is_changed ? (
          <span key={index} className="diff-mark">
            <PlainText text={part.text} />
          </span>
        ) : (
          <PlainText key={index} text={part.text} />
        ),
      )
    );
  const whole = (
    <bdi>
      {text}
      {!line.is_ended && <span className="diff-end">no line end</span>}
    </bdi>
  );
  if (line.kind === 'removed') return <del>{whole}</del>;
  return line.kind === 'added' ? <ins>{whole}</ins> : whole;
}
