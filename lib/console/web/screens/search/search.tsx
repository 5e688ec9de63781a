import { FileImage, FileText, Folder as FolderIcon, Search as SearchIcon, SearchX } from 'lucide-react';
import { useDeferredValue, useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { components } from '../../api/described.d.ts';
import { given, itemsOf, usePages } from '../../api/read.ts';
import { announce } from '../../design/announce.tsx';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { SelectField, TextField } from '../../design/field.tsx';
import { Page } from '../../design/page.tsx';
import { ProblemState, Skeleton, State } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { addressOf, folderOf } from '../../navigation/addresses.ts';
import type { ScreenProps } from '../../navigation/screen-props.ts';
import { LineHits } from './line-hits.tsx';
import { markSnippet } from './mark-snippet.ts';

const pageSize = 20;
/** Milliseconds without a key before a search begins: each search leaves its record. */
const pause = 250;
const longest = 2000;
const longestOfLines = 500;

interface Question {
  readonly q: string;
  readonly location: string;
  readonly label: string;
  readonly kind: '' | 'text' | 'binary';
  /** Words of documents, or lines by their characters or a pattern. */
  readonly match: '' | 'exact' | 'pattern';
}

type Hit = components['schemas']['SearchHit'];
type Folder = components['schemas']['Folder'];

/** Finds documents by their words. The question is kept in the address, so that it can be sent and gone back to. */
export function Search({ workspace }: ScreenProps): ReactNode {
  const [parameters, setParameters] = useSearchParams();
  const [text, setText] = useState(parameters.get('q') ?? '');
  const question: Question = {
    q: parameters.get('q') ?? '',
    location: parameters.get('in') ?? '',
    label: parameters.get('label') ?? '',
    kind: readKind(parameters.get('kind')),
    match: readMatch(parameters.get('match')),
  };
  const list = useRef<HTMLOListElement>(null);
  const set = (name: string, value: string): void => {
    setParameters(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === '') next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  };
  useEffect(() => {
    const asked = text.trim();
    if (asked === question.q) return undefined;
    const timer = window.setTimeout(() => set('q', asked), pause);
    return () => window.clearTimeout(timer);
  });
  const { q, location, label, kind, match } = question;
  const found = usePages(
    workspace,
    ['search', workspace, question],
    '/search',
    {
      query: {
        q,
        limit: pageSize,
        ...given({ location, label }),
        kind: kind === '' ? undefined : kind,
        partial: true,
        places: true,
      },
    },
    { enabled: q !== '' && match === '' },
  );
  const hits = useDeferredValue(itemsOf(found));
  const isFiltered = location !== '' || label !== '' || kind !== '' || match !== '';
  const folders = useDeferredValue(found.data?.pages[0]?.folders ?? []);
  const isEmpty = found.isSuccess && hits?.length === 0 && folders.length === 0;
  const meant = found.data?.pages[0]?.did_you_mean ?? [];
  useEffect(() => {
    if (!found.isSuccess) return;
    announce(isEmpty ? 'Nothing found.' : `Results for ${question.q}.`);
  }, [found.isSuccess, isEmpty, question.q]);
  return (
    <Page title="Search">
      <search className="search-form">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            set('q', text.trim());
            list.current?.querySelector('a')?.focus();
          }}
        >
          <div className="search-words">
            <SearchIcon aria-hidden />
            <TextField
              label="Search for"
              isLabelHidden
              type="search"
              placeholder="Search documents"
              autoFocus
              maxLength={match === '' ? longest : longestOfLines}
              value={text}
              onChange={(event) => setText(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'ArrowDown') return;
                event.preventDefault();
                list.current?.querySelector('a')?.focus();
              }}
            />
          </div>
          <details className="search-filters" open={isFiltered || undefined}>
            <summary>Filters and query language</summary>
            <div className="search-filter-fields">
              <SelectField label="Look for" value={match} onChange={(event) => set('match', event.target.value)}>
                <option value="">Words</option>
                <option value="exact">Exact text, line by line</option>
                <option value="pattern">Pattern, line by line</option>
              </SelectField>
              <TextField
                label="Folder"
                placeholder="Everywhere"
                value={question.location}
                onChange={(event) => set('in', event.target.value)}
              />
              <TextField
                label="Label"
                placeholder="Any"
                value={question.label}
                onChange={(event) => set('label', event.target.value)}
              />
              <SelectField label="Kind" value={question.kind} onChange={(event) => set('kind', event.target.value)}>
                <option value="">Any</option>
                <option value="text">Text</option>
                <option value="binary">Binary</option>
              </SelectField>
            </div>
            <p className="soft small">
              <code>"a phrase"</code>, <code>+must</code>, <code>-mustnot</code>, <code>title:word</code>,{' '}
              <code>title:"a phrase"</code>, <code>label:word</code>, <code>label:"a label"</code>,{' '}
              <code>folder:name</code>, <code>trav*</code> and <code>travle~1</code> are understood. A pattern is an
              expression such as <code>(?i)draft \d+</code>, in the syntax of RE2.
            </p>
          </details>
        </form>
      </search>
      {question.q === '' ? (
        <State icon={SearchIcon} title="Search what you can reach">
          <p>Words are found in the content, the names and the labels of documents that are shared with you.</p>
        </State>
      ) : match !== '' ? (
        <LineHits workspace={workspace} q={q} match={match} location={location} label={label} />
      ) : found.error !== null ? (
        <ProblemState error={found.error} what="search" onRetry={() => void found.refetch()} />
      ) : hits === undefined ? (
        <Skeleton lines={8} label="Searching" />
      ) : isEmpty && found.hasNextPage ? (
        <State icon={SearchIcon} title="Nothing found yet">
          <p>Only some of the documents have been read for the phrase so far.</p>
        </State>
      ) : isEmpty ? (
        <State icon={SearchX} title="Nothing found">
          <p>No document that you can reach has these words{isFiltered ? ' and passes the filters' : ''}.</p>
          {meant.length > 0 && (
            <p className="cluster">
              Did you mean
              {meant.map((word) => (
                <Button
                  key={word}
                  onClick={() => {
                    setText(word);
                    set('q', word);
                  }}
                >
                  {word}
                </Button>
              ))}
            </p>
          )}
        </State>
      ) : (
        <Hits hits={hits} folders={folders} workspace={workspace} listRef={list} />
      )}
      {match === '' && found.hasNextPage && (
        <Button isPending={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
          {isEmpty ? 'Search on' : 'Load more'}
        </Button>
      )}
    </Page>
  );
}

const readKind = (kind: string | null): Question['kind'] => (kind === 'text' || kind === 'binary' ? kind : '');

const readMatch = (match: string | null): Question['match'] => (match === 'exact' || match === 'pattern' ? match : '');

/** The page, slide or sheet of a file whose text has the words. */
function partOf({ extracted, section }: Hit): string {
  const [, kind, name] = /^(page|slide|sheet)-(.+)$/.exec(extracted === true ? (section ?? '') : '') ?? [];
  return kind === undefined ? '' : `${kind} ${name} · `;
}

/** The part of an address that leads to the section of a hit. */
const sectionOf = ({ section }: Hit): string => (section === undefined ? '' : `#${encodeURIComponent(section)}`);

/** Arrow keys go from hit to hit. */
function moveFocus(event: KeyboardEvent<HTMLOListElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const links = [...event.currentTarget.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  if (at < 0) return;
  event.preventDefault();
  if (event.key === 'ArrowUp' && at === 0) document.querySelector<HTMLElement>('.search-words input')?.focus();
  else links[event.key === 'ArrowDown' ? at + 1 : at - 1]?.focus();
}

function Hits({
  hits,
  folders,
  workspace,
  listRef,
}: {
  hits: readonly Hit[];
  folders: readonly Folder[];
  workspace: string;
  listRef: React.RefObject<HTMLOListElement | null>;
}): ReactNode {
  const id = useId();
  return (
    <>
      <h2 id={id} className="visually-hidden">
        Results
      </h2>
      {/* The arrow keys are a shorter way: each hit is a link that Tab reaches too. */}
      <ol ref={listRef} className="hits" aria-labelledby={id} onKeyDown={moveFocus}>
        {folders.map(({ location, name }) => (
          <li key={`${location}/`} className="hit">
            <FolderIcon aria-hidden />
            <div className="hit-text">
              <Link href={addressOf.folder(workspace, location)} className="hit-name">
                <bdi>{name}</bdi>
              </Link>
              <p className="hit-place soft small">
                {folderOf(location) === '' ? (
                  'Folder at the top level'
                ) : (
                  <>
                    Folder in <bdi>{folderOf(location)}</bdi>
                  </>
                )}
              </p>
            </div>
          </li>
        ))}
        {hits.map((hit) => (
          <li key={hit.location} className="hit">
            {hit.kind === 'text' ? <FileText aria-hidden /> : <FileImage aria-hidden />}
            <div className="hit-text">
              <Link href={addressOf.document(workspace, hit.location) + sectionOf(hit)} className="hit-name">
                <bdi>{hit.name}</bdi>
              </Link>
              <p className="hit-place soft small">
                <bdi>{folderOf(hit.location) === '' ? 'Top level' : folderOf(hit.location)}</bdi> · {partOf(hit)}
                <Time at={hit.updated_at} />
              </p>
              {hit.snippet !== null && hit.snippet !== '' && (
                <p className="hit-snippet">
                  {markSnippet(hit.snippet, hit.highlights ?? []).map(({ start, text, isMarked }) =>
                    isMarked ? <mark key={start}>{text}</mark> : <span key={start}>{text}</span>,
                  )}
                </p>
              )}
              {hit.labels.length > 0 && (
                <p className="cluster">
                  {hit.labels.map((label) => (
                    <Badge key={label} tone="label">
                      {label}
                    </Badge>
                  ))}
                </p>
              )}
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}
