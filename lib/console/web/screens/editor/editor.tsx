import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Lock, LockOpen, PanelTopOpen, X } from 'lucide-react';
import { useCallback, useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useLive } from '../../api/live-connection.ts';
import { asProblem } from '../../api/problem.ts';
import { useWorkspace } from '../../api/session.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { Page } from '../../design/page.tsx';
import { ProblemState, Skeleton, State } from '../../design/state.tsx';
import { showToast } from '../../design/toast.tsx';
import { addressOf, folderOf, nameOf } from '../../navigation/addresses.ts';
import { leaveFreely } from '../../navigation/leaving.ts';
import type { ScreenProps } from '../../navigation/screen-props.ts';
import { CannotEdit, readText, type StoredText } from './document-text.ts';
import { readDraft, type Draft } from './drafts.ts';
import { Editing } from './editing.ts';
import { crumbsOfEditor } from '../../navigation/crumbs.ts';
import { holdPlace, type Holding } from './hold-place.ts';
import { ChangedSinceNotice, ClaimNotices } from './notices.tsx';
import { carryText } from './carried-text.ts';
import { Uneditable } from './uneditable.tsx';
import { useClaims } from './use-claims.ts';
import { useMayWrite } from '../../api/use-may-write.ts';
import { Workbench } from './workbench.tsx';

/** What was found where the editor opens: a stored text, a draft, or both. */
interface Found {
  readonly stored: StoredText | undefined;
  readonly draft: Draft | undefined;
  /** Why nothing stored could be read, although there is a draft. */
  readonly problem: unknown;
}

/** The editor of one document. */
export function Editor({ workspace, rest: location }: ScreenProps): ReactNode {
  const { principal_id: owner } = useWorkspace();
  const [round, setRound] = useState(0);
  return (
    <HeldEditor
      key={`${owner} ${location} ${round}`}
      workspace={workspace}
      owner={owner}
      location={location}
      round={round}
      onRestart={() => setRound(round + 1)}
    />
  );
}

interface EditorPageProps {
  readonly workspace: string;
  readonly location: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

function EditorPage({ workspace, location, actions, children }: EditorPageProps): ReactNode {
  return (
    <Page
      title={`Edit ${nameOf(location)}`}
      heading={<span className="visually-hidden">Edit {nameOf(location)}</span>}
      crumbs={crumbsOfEditor(workspace, location)}
      actions={
        <>
          {actions}
          <LinkButton href={addressOf.document(workspace, location)} icon={X}>
            Close editor
          </LinkButton>
        </>
      }
      size="wide"
    >
      {children}
    </Page>
  );
}

interface HeldProps {
  readonly workspace: string;
  readonly owner: string;
  readonly location: string;
  /** How often the document was opened again: what was found before may be gone. */
  readonly round: number;
  /** Opens the stored document again. */
  readonly onRestart: () => void;
}

/** Makes sure that the document is edited in one tab alone. */
function HeldEditor(props: HeldProps): ReactNode {
  const { workspace, owner, location } = props;
  const [holding, setHolding] = useState<Holding>('asking');
  const [isAsking, setAsking] = useState(false);
  const editing = useRef<Editing>(undefined);
  const [hasBegun, setBegun] = useState(false);
  const open = useCallback((opened: Editing) => {
    editing.current = opened;
  }, []);
  useEffect(() => {
    return holdPlace(`${owner} ${workspace} ${location}`, {
      isAsking,
      onChange: (next) => {
        setHolding(next);
        if (next === 'here') setBegun(true);
      },
      onAsked: async () => editing.current?.giveUp(),
    });
  }, [owner, workspace, location, isAsking]);
  if (hasBegun) return <LoadedEditor {...props} isElsewhere={holding === 'elsewhere'} onOpen={open} />;
  return (
    <EditorPage workspace={workspace} location={location}>
      {holding === 'elsewhere' ? (
        <Elsewhere
          onAsk={() => {
            setHolding('asking');
            setAsking(true);
          }}
        />
      ) : (
        <Skeleton lines={12} label="Opening the editor" />
      )}
    </EditorPage>
  );
}

/** The document is open in another tab. */
function Elsewhere({ onAsk }: { onAsk: () => void }): ReactNode {
  return (
    <State
      icon={PanelTopOpen}
      title="You are editing this document in another tab"
      actions={
        <Button look="primary" onClick={onAsk}>
          Go on here
        </Button>
      }
    >
      <p>Both tabs would write one draft. If you go on here, the other tab keeps its text and stops.</p>
    </State>
  );
}

interface LoadedProps extends HeldProps {
  readonly isElsewhere: boolean;
  readonly onOpen: (editing: Editing) => void;
}

function LoadedEditor(props: LoadedProps): ReactNode {
  const { workspace, owner, location, round } = props;
  const found = useQuery({
    queryKey: ['edited', workspace, location, owner, round],
    queryFn: async ({ signal }): Promise<Found> => {
      // A browser that keeps nothing has no draft to find.
      const draft = await readDraft(owner, workspace, location).catch(() => undefined);
      try {
        return { stored: await readText(workspace, location, signal), draft, problem: undefined };
      } catch (error) {
        if (draft === undefined) throw error;
        return { stored: undefined, draft, problem: error };
      }
    },
    // The text that is edited changes by its editor alone.
    staleTime: Infinity,
    gcTime: 0,
    retry: (count, error) => !(error instanceof CannotEdit) && asProblem(error).code === 'UNREACHABLE' && count < 2,
  });
  if (found.data !== undefined) return <OpenEditor {...props} found={found.data} />;
  return (
    <EditorPage workspace={workspace} location={location}>
      {found.error instanceof CannotEdit ? (
        <Uneditable workspace={workspace} location={location} why={found.error} />
      ) : found.error !== null ? (
        <ProblemState error={found.error} what="document" onRetry={() => void found.refetch()} />
      ) : (
        <Skeleton lines={12} label="Opening the editor" />
      )}
    </EditorPage>
  );
}

function OpenEditor(props: LoadedProps & { readonly found: Found }): ReactNode {
  const { workspace, owner, location, found, isElsewhere, onOpen, onRestart } = props;
  const { stored, problem } = found;
  const draft = found.draft !== undefined && found.draft.text !== stored?.text ? found.draft : undefined;
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const [editing] = useState(() => {
    const base = stored === undefined ? null : { etag: stored.etag, text: stored.text };
    return new Editing({ owner, workspace, place: location }, base, location, draft);
  });
  const state = useSyncExternalStore(editing.subscribe, editing.read);
  const claims = useClaims(location);
  useEffect(() => onOpen(editing), [editing, onOpen]);
  useEffect(() => {
    if (isElsewhere) editing.end();
  }, [editing, isElsewhere]);
  const [newest, setNewest] = useState(stored?.etag);
  useLive(workspace, location, null, {
    onState: (live, before) => {
      if (live.version !== undefined) setNewest(`"${live.version}"`);
      if (live.claims !== before?.claims) claims.refresh();
      if (live.record !== before?.record)
        void queries.invalidateQueries({ queryKey: ['sharing', workspace, location] });
    },
    onGone: () => void editing.noteGone(),
  });
  const hasChangedSince =
    state.base !== null &&
    newest !== undefined &&
    !state.isSaving &&
    state.theirs === undefined &&
    newest !== state.base.etag;
  const save = async (): Promise<void> => {
    const isSaved = await editing.save();
    if (isSaved) {
      setNewest(editing.read().base?.etag);
      showToast({
        text: 'Saved.',
        action: { label: 'Read the document', run: () => navigate(addressOf.document(workspace, location)) },
      });
      await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'edited' });
    } else if (editing.read().problem?.reason === 'claimed') claims.refresh();
  };
  const mayWrite = useMayWrite(location);
  const isMirror = stored?.isReadOnly === true;
  const isReadOnly = isElsewhere || isMirror;
  return (
    <EditorPage
      workspace={workspace}
      location={location}
      actions={<ClaimButton claims={claims} isDisabled={isReadOnly} />}
    >
      <Workbench
        editing={editing}
        isMarkdown={stored?.isMarkdown ?? /\.(?:md|markdown)$/i.test(location)}
        isReadOnly={isReadOnly}
        isBlocked={claims.blocking !== undefined || mayWrite === false}
        saveLabel="Save"
        onSave={() => void save()}
        onDiscard={onRestart}
        onSaveAsNew={() => {
          carryText({ owner, text: editing.text, name: nameOf(location) });
          void editing.flush().then(() => {
            leaveFreely();
            navigate(addressOf.newDocument(workspace, folderOf(location)));
          });
        }}
        notices={
          <>
            {isElsewhere && (
              <Notice
                title="You are editing this document in another tab"
                action={
                  <Button size="small" onClick={onRestart}>
                    Go on here
                  </Button>
                }
              >
                <p>This tab has kept your text, and shows it as it was.</p>
              </Notice>
            )}
            {isMirror && (
              <Notice title="A connector mirrors this document">
                <p>It can be read here, and changed at its source only.</p>
              </Notice>
            )}
            {problem !== undefined && !isElsewhere && (
              <Notice tone="warning" title="Only your draft can be shown">
                <p>{asProblem(problem).sentence} Your draft of this document is kept in this browser.</p>
              </Notice>
            )}
            {hasChangedSince && (
              <ChangedSinceNotice isChanged={state.isChanged} onCompare={() => void editing.compare()} />
            )}
            {mayWrite === false && !isMirror && (
              <Notice tone="warning" title="You may read this document, but not change it">
                <p>
                  Changing it needs the editor role here. An approver can give it to you. Your text stays in this
                  browser.
                </p>
              </Notice>
            )}
            <ClaimNotices claims={claims} />
          </>
        }
      />
    </EditorPage>
  );
}

/** Claims the document for the person, or gives the claim up. */
function ClaimButton({ claims, isDisabled }: { claims: ReturnType<typeof useClaims>; isDisabled: boolean }): ReactNode {
  const { own, blocking, isChanging, take, release } = claims;
  if (own !== undefined) {
    return (
      <Button look="quiet" icon={LockOpen} isPending={isChanging} onClick={release} title="Others may save again">
        Release claim
      </Button>
    );
  }
  return (
    <Button
      look="quiet"
      icon={Lock}
      isPending={isChanging}
      disabled={isDisabled || blocking !== undefined}
      onClick={take}
      title="No one else can save while you have it"
    >
      Claim document
    </Button>
  );
}
