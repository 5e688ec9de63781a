import { useQuery, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore, type ReactNode } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { faultOfLocation, faultOfNewLocation } from '../../../../domain/location.js';
import { useWorkspace } from '../../api/session.ts';
import { LinkButton } from '../../design/button.tsx';
import { TextField } from '../../design/field.tsx';
import { Notice } from '../../design/notice.tsx';
import { Page } from '../../design/page.tsx';
import { ProblemState, Skeleton } from '../../design/state.tsx';
import { showToast } from '../../design/toast.tsx';
import { addressOf, consoleBase, nameOf } from '../../navigation/addresses.ts';
import { leaveFreely } from '../../navigation/leaving.ts';
import type { ScreenProps } from '../../navigation/screen-props.ts';
import { takeCarried } from './carried-text.ts';
import { listNewDrafts, type Draft } from './drafts.ts';
import { Editing } from './editing.ts';
import { findFree, holdPlace } from './hold-place.ts';
import { Workbench } from './workbench.tsx';

/** New documents of one folder that can be written at once, each in a tab of its own. */
const atOnce = 10;
/** No location begins with a slash, so no document's draft is in the way. */
const placeOf = (folder: string, number: number): string => `/new ${number} ${folder}`;

/** The editor of a document that is not there yet. The address names its folder. */
export function NewDocument({ workspace }: ScreenProps): ReactNode {
  const { principal_id: owner } = useWorkspace();
  const [parameters] = useSearchParams();
  const folder = parameters.get('folder') ?? '';
  const [round, setRound] = useState(0);
  const crumbs = [
    { name: 'Documents', href: addressOf.folder(workspace, '') },
    ...folder
      .split('/')
      .filter((name) => name !== '')
      .map((name, index, names) => ({ name, href: addressOf.folder(workspace, names.slice(0, index + 1).join('/')) })),
    { name: 'New document' },
  ];
  return (
    <Page
      title="New document"
      heading={<span className="visually-hidden">New document</span>}
      crumbs={crumbs}
      actions={
        <LinkButton look="quiet" icon={X} href={addressOf.folder(workspace, folder)}>
          Close editor
        </LinkButton>
      }
      size="wide"
    >
      <FoundPlace
        key={`${owner} ${folder} ${round}`}
        workspace={workspace}
        owner={owner}
        folder={folder}
        round={round}
        onRestart={() => setRound(round + 1)}
      />
    </Page>
  );
}

interface FoundPlaceProps {
  readonly workspace: string;
  readonly owner: string;
  readonly folder: string;
  /** How often the person began again: what was found before is gone. */
  readonly round: number;
  readonly onRestart: () => void;
}

/** Goes on with a draft of the folder that no other tab has, or begins one. */
function FoundPlace(props: FoundPlaceProps): ReactNode {
  const { workspace, owner, folder, round } = props;
  const [carried] = useState(() => takeCarried(owner));
  const found = useQuery({
    queryKey: ['edited', workspace, 'new', owner, folder, round],
    queryFn: async (): Promise<{ place: string; draft: Draft | undefined }> => {
      const places = Array.from({ length: atOnce }, (_, number) => placeOf(folder, number));
      const locks = new Map(places.map((place) => [`${owner} ${workspace} ${place}`, place]));
      const free = new Set((await findFree([...locks.keys()])).map((lock) => locks.get(lock)));
      // A tab gives its place back after it has kept its draft there.
      const drafts = await listNewDrafts(owner, workspace).catch(() => []);
      const draft = carried === undefined ? drafts.find(({ place }) => free.has(place)) : undefined;
      const empty = places.find((place) => free.has(place) && !drafts.some((each) => each.place === place));
      return { place: draft?.place ?? empty ?? placeOf(folder, Date.now()), draft };
    },
    staleTime: Infinity,
    gcTime: 0,
  });
  if (found.data !== undefined) {
    return (
      <HeldNew
        key={`${found.data.place} ${found.dataUpdatedAt}`}
        {...props}
        {...found.data}
        carried={carried}
        onTaken={() => void found.refetch()}
      />
    );
  }
  if (found.error !== null) return <ProblemState error={found.error} onRetry={() => void found.refetch()} />;
  return <Skeleton lines={12} label="Opening the editor" />;
}

interface OpenNewProps extends FoundPlaceProps {
  readonly place: string;
  readonly draft: Draft | undefined;
  readonly carried: ReturnType<typeof takeCarried>;
}

/** Makes sure that no other tab writes at the place: one may have taken it since it was found free. */
function HeldNew({ onTaken, ...props }: OpenNewProps & { readonly onTaken: () => void }): ReactNode {
  const { workspace, owner, place } = props;
  const [isHeld, setHeld] = useState(false);
  const giveWay = useEffectEvent(onTaken);
  useEffect(() => {
    let hasBegun = false;
    return holdPlace(`${owner} ${workspace} ${place}`, {
      isAsking: false,
      onChange: (holding) => {
        if (holding === 'here') {
          hasBegun = true;
          setHeld(true);
        } else if (!hasBegun) giveWay();
      },
      // No tab asks for the place of a new document.
      onAsked: () => Promise.resolve(),
    });
  }, [owner, workspace, place]);
  return isHeld ? <OpenNew {...props} /> : <Skeleton lines={12} label="Opening the editor" />;
}

function OpenNew(props: OpenNewProps): ReactNode {
  const { workspace, owner, folder, place, draft, carried, onRestart } = props;
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const [editing] = useState(() => {
    const start = folder === '' ? '' : `${folder}/`;
    const made = new Editing({ owner, workspace, place }, null, `${start}${carried?.name ?? ''}`, draft);
    if (carried !== undefined) made.startWith(carried.text);
    return made;
  });
  const state = useSyncExternalStore(editing.subscribe, editing.read);
  const [fault, setFault] = useState<string>();
  const isCompleted = useRef(draft !== undefined || carried !== undefined);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const input = field.current;
    input?.focus();
    input?.setSelectionRange(input.value.length, input.value.length);
  }, []);
  /** A name without an ending becomes Markdown, once: a person who takes the ending away means it. */
  const complete = (): string => {
    const { location } = editing.read();
    const name = nameOf(location);
    if (isCompleted.current || name === '' || name.includes('.')) return location;
    isCompleted.current = true;
    editing.setLocation(`${location}.md`);
    return `${location}.md`;
  };
  const save = async (): Promise<void> => {
    const found = faultOf(complete());
    setFault(found);
    if (found !== undefined) {
      field.current?.focus();
      return;
    }
    const isSaved = await editing.save();
    const { location, problem, base } = editing.read();
    if (isSaved && base !== null) {
      const hasMore = await editing.moveDraft(location);
      showToast({ text: `${nameOf(location)} is created.` });
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'edited' });
      if (hasMore === undefined) return;
      leaveFreely();
      navigate(hasMore ? addressOf.editor(workspace, location) : addressOf.document(workspace, location), {
        replace: true,
      });
    } else if (problem?.reason === 'name_taken' || problem?.reason === 'bad_location') field.current?.focus();
  };
  const { problem } = state;
  const taken =
    problem?.reason === 'name_taken' ? 'Something is at this location already. Choose another one.' : undefined;
  const refused = problem?.reason === 'bad_location' ? problem.message : undefined;
  const name = nameOf(state.location);
  return (
    <Workbench
      editing={editing}
      isMarkdown={!/\.[^./]+$/.test(name) || /\.(?:md|markdown)$/i.test(name)}
      isReadOnly={false}
      isBlocked={false}
      saveLabel="Create document"
      onSave={() => void save()}
      onDiscard={onRestart}
      notices={
        <>
          {carried !== undefined && state.base === null && (
            <Notice title="This is the text that could not be saved">
              <p>Choose where it goes. The other document stays as it is.</p>
            </Notice>
          )}
          <div className="new-location">
            <TextField
              ref={field}
              label="Location"
              hint="Folders on the way are made with it. A name that ends in .md is Markdown."
              error={fault ?? taken ?? refused}
              value={state.location}
              onChange={({ target }) => {
                setFault(undefined);
                editing.setLocation(target.value);
              }}
              onBlur={complete}
            />
            {taken !== undefined && faultOfLocation(state.location) === undefined && (
              <a href={`${consoleBase}${addressOf.document(workspace, state.location)}`} target="_blank" rel="noopener">
                Read what is there, in a new tab
              </a>
            )}
          </div>
        </>
      }
    />
  );
}

/** What is wrong with a location for a new document, as a sentence; undefined when it is fine. */
function faultOf(location: string): string | undefined {
  if (location === '') return 'A document needs a location.';
  if (location.endsWith('/')) return 'Write the name of the document after the folder.';
  const fault = faultOfLocation(location) ?? faultOfNewLocation(location);
  return fault === undefined ? undefined : `The location ${fault}.`;
}
