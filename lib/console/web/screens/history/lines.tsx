import { FileX2, GitCompareArrows, StepBack, type LucideIcon } from 'lucide-react';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useWorkspace } from '../../api/session.ts';
import { KindBadge, Who } from '../../design/badge.tsx';
import { Button, LinkButton } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { PlainText } from '../../design/plain-text.tsx';
import { ProblemState, Skeleton, State } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { addressOf, viewOf } from '../../navigation/addresses.ts';
import { describeOperation } from './describe-version.ts';
import { HistoryPage } from './head.tsx';
import { useAnnotation, useLines, type Annotation, type Writer } from './history-queries.ts';
import { useGradually } from './use-gradually.ts';

/** The text of one version, with who wrote each line. @param version left out: the current one */
export function Lines({ location, version }: { location: string; version: string | undefined }): ReactNode {
  const { name } = useWorkspace();
  const annotation = useAnnotation(location, version);
  const { data } = annotation;
  const lines = useLines(location, data?.version.id, data !== undefined && data.not_annotated_because === null);
  const error = annotation.error ?? lines.error;
  const retry = (): void => {
    void annotation.refetch();
    if (lines.error !== null) void lines.refetch();
  };
  return (
    <HistoryPage
      location={location}
      view="Who wrote each line"
      title={`Who wrote each line of ${location}`}
      size="wide"
      actions={
        version !== undefined && <LinkButton href={viewOf.lines(name, location)}>Show the current version</LinkButton>
      }
    >
      {data !== undefined && (
        <p className="diff-about">
          <span>{version === undefined ? 'The current version' : 'An older version'}, by</span>
          <Who name={data.version.author.display_name} kind={data.version.author.kind} />
          <span className="soft small">
            <Time at={data.version.created_at} form="exact" /> · <Time at={data.version.created_at} />
          </span>
        </p>
      )}
      {data !== undefined && data.not_annotated_because !== null ? (
        <NotAnnotated why={data.not_annotated_because} />
      ) : data !== undefined && lines.data !== undefined ? (
        <Annotated location={location} annotation={data} lines={lines.data} />
      ) : error === null ? (
        <Skeleton lines={14} label="Finding out who wrote each line" />
      ) : (
        <ProblemState error={error} what="document or version" onRetry={retry} />
      )}
    </HistoryPage>
  );
}

function NotAnnotated({ why }: { why: 'binary' | 'too_large' }): ReactNode {
  return (
    <State icon={FileX2} title={why === 'binary' ? 'This version is not text' : 'This version is too large'}>
      <p>Lines are shown for texts of up to 1 MiB and 50,000 lines.</p>
    </State>
  );
}

/** Lines next to each other by one version, or a part of them. */
interface Stretch {
  readonly line: number;
  readonly lines: number;
  readonly writer: Writer | undefined;
}

/** Lines that are shown together. */
const linesOfAStretch = 150;
const stretchesAtFirst = 600;
/** Shades from the newest change to the oldest. */
const shades = 5;

function cutStretches({ lines, writers }: Annotation): Stretch[] {
  return lines.flatMap(({ line, lines: count, writer }) =>
    Array.from({ length: Math.ceil(count / linesOfAStretch) }, (_, index) => ({
      line: line + index * linesOfAStretch,
      lines: Math.min(linesOfAStretch, count - index * linesOfAStretch),
      writer: writer === null ? undefined : writers[writer],
    })),
  );
}

/** The shade of each version: its place among all that wrote lines, by time. */
function shadeVersions(writers: readonly Writer[]): ReadonlyMap<string, number> {
  const sorted = writers.map(({ version }) => version).sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
  return new Map(sorted.map(({ id }, index) => [id, Math.floor((index * shades) / Math.max(sorted.length, 1))]));
}

interface AnnotatedProps {
  readonly location: string;
  readonly annotation: Annotation;
  readonly lines: readonly string[];
}

function Annotated({ location, annotation, lines }: AnnotatedProps): ReactNode {
  const stretches = useMemo(() => cutStretches(annotation), [annotation]);
  const ages = useMemo(() => shadeVersions(annotation.writers), [annotation]);
  const [shown, show] = useGradually(stretches.length, stretchesAtFirst, 12);
  const [open, setOpen] = useState<number | null>(null);
  const { older_than: older, is_exact: isExact } = annotation;
  if (lines.length === 0) {
    return (
      <State title="This version is empty">
        <p>It has no line that somebody could have written.</p>
      </State>
    );
  }
  return (
    <>
      {older !== null && (
        <Notice title="Not every line has a name">
          <p>
            Lines marked “earlier” are older than <Time at={older.version.created_at} form="exact" />.{' '}
            {older.because === 'too_large'
              ? 'A version before that is too large to compare.'
              : 'The history before that is too long to go through at once.'}
          </p>
        </Notice>
      )}
      {!isExact && (
        <Notice>
          <p>Two versions differ very much. Some lines can be older than shown.</p>
        </Notice>
      )}
      <Legend />
      <div className="lines">
        {stretches.slice(0, shown).map((stretch, index) => (
          <StretchOfLines
            key={stretch.line}
            stretch={stretch}
            goesOn={index > 0 && stretches[index - 1]?.writer === stretch.writer}
            shade={stretch.writer === undefined ? shades : (ages.get(stretch.writer.version.id) ?? 0)}
            location={location}
            lines={lines}
            isOpen={open === index}
            onOpen={(isOpen) => setOpen((before) => (isOpen ? index : before === index ? null : before))}
          />
        ))}
      </div>
      {shown < stretches.length && (
        <div className="history-more">
          <Button onClick={() => show(shown + stretchesAtFirst)}>Show more lines</Button>
        </div>
      )}
    </>
  );
}

function Legend(): ReactNode {
  return (
    <p className="lines-legend soft small">
      Newer
      {Array.from({ length: shades }, (_, index) => (
        <span key={index} className={`lines-shade shade-${index}`} aria-hidden />
      ))}
      older
    </p>
  );
}

interface StretchProps {
  readonly stretch: Stretch;
  /** Whether it goes on where the one before was cut. */
  readonly goesOn: boolean;
  readonly shade: number;
  readonly location: string;
  readonly lines: readonly string[];
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}

function StretchOfLines(props: StretchProps): ReactNode {
  const { stretch, goesOn, shade, lines } = props;
  const { line, lines: count, writer } = stretch;
  return (
    <section className={`lines-stretch shade-${shade}`} aria-label={labelOf(stretch)}>
      <div className="lines-who">
        {goesOn ? null : writer === undefined ? (
          <span className="soft small">earlier</span>
        ) : (
          <WriterCard {...props} writer={writer} />
        )}
      </div>
      <ol className="lines-text">
        {Array.from({ length: count }, (_, index) => (
          <li key={index}>
            <span className="lines-number" aria-hidden>
              {line + index}
            </span>
            <bdi>
              <PlainText text={lines[line + index - 1] ?? ''} />
            </bdi>
          </li>
        ))}
      </ol>
    </section>
  );
}

function labelOf({ line, lines, writer }: Stretch): string {
  const place = lines === 1 ? `Line ${line}` : `Lines ${line} to ${line + lines - 1}`;
  return writer === undefined ? place : `${place} by ${writer.version.author.display_name}`;
}

/** Who wrote some lines. Shows more with the pointer over it, with the focus, or pressed. */
function WriterCard({ writer, location, isOpen, onOpen }: StretchProps & { writer: Writer }): ReactNode {
  const { name } = useWorkspace();
  const box = useRef<HTMLDivElement>(null);
  const { version, operation, previous } = writer;
  const { author, created_at: at, message, original_author: source } = version;
  useEffect(() => {
    if (!isOpen) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      if (box.current?.contains(document.activeElement) === true) box.current.querySelector('button')?.focus();
      onOpen(false);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  });
  return (
    <div
      ref={box}
      className={isOpen ? 'open' : undefined}
      onMouseEnter={() => onOpen(true)}
      onMouseLeave={() => {
        if (box.current?.contains(document.activeElement) !== true) onOpen(false);
      }}
      onBlur={(event) => {
        if (!box.current?.contains(event.relatedTarget)) onOpen(false);
      }}
    >
      <button type="button" className="lines-writer" aria-expanded={isOpen} onClick={() => onOpen(true)}>
        <bdi className="truncate">{source?.name ?? author.display_name}</bdi>
        <KindBadge kind={author.kind} />
        <span className="soft small lines-when">
          <Time at={at} />
        </span>
      </button>
      {isOpen && (
        <div className="lines-card">
          <p className="cluster">
            <span className="history-title">{describeOperation(operation)}</span>
            <Who name={author.display_name} kind={author.kind} />
          </p>
          {source !== undefined && (
            <p className="soft small">
              Written by <bdi>{source.name}</bdi>
              {source.at !== null && (
                <>
                  , <Time at={source.at} form="exact" />
                </>
              )}
              , according to its source
            </p>
          )}
          <p className="soft small">
            <Time at={at} form="exact" /> · <Time at={at} />
          </p>
          {message !== null && (
            <p>
              <bdi>
                <PlainText text={message} />
              </bdi>
            </p>
          )}
          <p className="lines-links">
            <CardLink icon={GitCompareArrows} href={viewOf.changes(name, location, version.id)}>
              Show this change
            </CardLink>
            {previous !== null && (
              <CardLink icon={StepBack} href={viewOf.lines(name, location, previous)}>
                Before this change
              </CardLink>
            )}
            <Link href={addressOf.version(name, location, version.id)}>View version</Link>
          </p>
        </div>
      )}
    </div>
  );
}

function CardLink({ icon: Icon, href, children }: { icon: LucideIcon; href: string; children: ReactNode }): ReactNode {
  return (
    <Link href={href} className="cluster">
      <Icon aria-hidden />
      {children}
    </Link>
  );
}
