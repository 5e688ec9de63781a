import { Save } from 'lucide-react';
import { useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react';
import { useConnection } from '../../api/connection.ts';
import { Button } from '../../design/button.tsx';
import { ConfirmDialog } from '../../design/form-dialog.tsx';
import { TextField } from '../../design/field.tsx';
import { Notice } from '../../design/notice.tsx';
import { Segments } from '../../design/segments.tsx';
import { Time } from '../../design/time.tsx';
import { useAskBeforeLeaving } from '../../navigation/leaving.ts';
import { ConflictView } from './conflict-view.tsx';
import type { Editing, EditingState } from './editing.ts';
import { RestoredNotice, SaveProblem } from './notices.tsx';
import { Preview } from './editor-preview.tsx';
import { SourceView } from './source-view.ts';
import { saveKey, Toolbar } from './toolbar.tsx';
import { usePreview } from './use-preview.ts';

type View = 'write' | 'split' | 'preview';

interface WorkbenchProps {
  readonly editing: Editing;
  readonly isMarkdown: boolean;
  /** Whether another tab goes on with the text. */
  readonly isReadOnly: boolean;
  /** Whether the text may not be saved now; the notices say why. */
  readonly isBlocked: boolean;
  readonly saveLabel: string;
  readonly notices?: ReactNode;
  /** Called instead of a save, for checks of the screen's own. */
  readonly onSave: () => void;
  /** Called when the person gives the text up. */
  readonly onDiscard: () => void;
  readonly onSaveAsNew?: () => void;
}

/** The text, its preview, its note and its state: what both the editor and the new document have. */
export function Workbench(props: WorkbenchProps): ReactNode {
  const { editing, isMarkdown, isReadOnly, isBlocked, notices, onSave, onDiscard, onSaveAsNew } = props;
  const state = useSyncExternalStore(editing.subscribe, editing.read);
  const [source] = useState(() => {
    const made = new SourceView(editing.shown, isMarkdown);
    editing.attach(made);
    return made;
  });
  const [view, setView] = useState<View>(usualView);
  const preview = usePreview(() => source.read());
  const [isDiscarding, setDiscarding] = useState(false);
  const shownView = isMarkdown ? view : 'write';
  const isMerging = state.theirs !== undefined && state.base !== null;
  useEffect(() => {
    const keep = (): void => void editing.flush();
    document.addEventListener('visibilitychange', keep);
    window.addEventListener('pagehide', keep);
    return () => {
      document.removeEventListener('visibilitychange', keep);
      window.removeEventListener('pagehide', keep);
    };
  }, [editing]);
  const save = (): void => {
    if (!isBlocked && !isReadOnly && !isMerging) onSave();
  };
  useEffect(() => source.setReadOnly(isReadOnly), [source, isReadOnly]);
  useEffect(() => {
    source.listen({
      onSave: save,
      onChange: () => {
        editing.noteChange();
        if (shownView !== 'write') preview.noteChange();
      },
    });
    const onKey = (event: KeyboardEvent): void => {
      const isSave = event.key.toLowerCase() === 's' && (event.metaKey || event.ctrlKey) && !event.altKey;
      if (!isSave || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      save();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  });
  const isSignedOut = useConnection() === 'signed-out';
  // The way to the sign-in is the way back: the draft waits.
  const leaving = useAskBeforeLeaving(state.isChanged && !isReadOnly && !(isSignedOut && state.draft === 'kept'));
  return (
    <div className="workbench">
      {notices}
      {state.restoredFrom !== undefined && !isMerging && (
        <RestoredNotice
          from={state.restoredFrom}
          onDiscard={() => setDiscarding(true)}
          onDismiss={() => editing.dismissRestored()}
        />
      )}
      {state.draft === 'lost' && (
        <Notice tone="warning" isUrgent title="This browser does not keep your draft">
          <p>It has no room, or keeps nothing in this window. Save before you leave this page.</p>
        </Notice>
      )}
      {state.problem !== undefined && (
        <SaveProblem
          state={state}
          problem={state.problem}
          readText={() => editing.text}
          onRetry={save}
          onSaveAsNew={onSaveAsNew}
        />
      )}
      {isMerging && state.theirs !== undefined && state.base !== null && (
        <ConflictView
          key={state.theirs.etag}
          base={state.base.text}
          theirs={state.theirs}
          mine={editing.text}
          isSaving={state.isSaving}
          isBlocked={isBlocked}
          onClose={() => {
            editing.closeMerge();
            source.focus();
          }}
          onEdit={(merged) => {
            void editing.takeMerged(merged).then(() => source.focus());
          }}
          onSave={(merged) => {
            void editing.takeMerged(merged).then(onSave);
          }}
        />
      )}
      <div className={`editor-panel ${shownView}`} hidden={isMerging}>
        <div className="editor-head">
          <Toolbar
            isMarkdown={isMarkdown}
            isDisabled={isReadOnly || shownView === 'preview'}
            onRun={(command) => source.run(command)}
            onSearch={() => source.openSearch()}
          />
          {isMarkdown && (
            <Segments
              label="View"
              options={views}
              value={view}
              onChange={(next) => {
                setView(next);
                preview.update();
                localStorage.setItem(viewKey, next);
              }}
            />
          )}
        </div>
        <div className="editor-body">
          <div className="editor-source" hidden={shownView === 'preview'}>
            <Source source={source} />
          </div>
          {shownView !== 'write' && (
            <Preview preview={preview} workspace={editing.place.workspace} location={state.location} />
          )}
        </div>
        <footer className="editor-foot">
          <TextField
            label="Note on this version"
            isLabelHidden
            placeholder="What changed? (optional)"
            maxLength={1000}
            value={state.note}
            disabled={isReadOnly}
            onChange={({ target }) => editing.setNote(target.value)}
          />
          <Status state={state} />
          {state.isChanged && (
            <Button look="quiet" disabled={isReadOnly || state.isSaving} onClick={() => setDiscarding(true)}>
              Discard
            </Button>
          )}
          <Button
            look="primary"
            icon={Save}
            title={`${props.saveLabel} (${saveKey})`}
            isPending={state.isSaving}
            disabled={isBlocked || isReadOnly}
            onClick={save}
          >
            {props.saveLabel}
          </Button>
        </footer>
      </div>
      {isDiscarding && (
        <ConfirmDialog
          title="Discard your changes?"
          action="Discard changes"
          onClose={() => setDiscarding(false)}
          onConfirm={() => {
            setDiscarding(false);
            void editing.discard().then(onDiscard);
          }}
        >
          <p>The draft in this browser is deleted. This cannot be undone.</p>
        </ConfirmDialog>
      )}
      {leaving.goOn !== undefined && (
        <ConfirmDialog
          title="Leave without saving?"
          action="Leave"
          look="primary"
          onClose={leaving.stay}
          onConfirm={() => {
            const { goOn } = leaving;
            leaving.stay();
            void editing.flush().then(() => goOn?.());
          }}
        >
          <p>
            {state.draft === 'lost'
              ? 'This browser does not keep your text. If you leave, it is lost.'
              : 'Your text is kept in this browser as a draft. Open the editor here again to go on with it.'}
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

const views = [
  { value: 'write', label: 'Write' },
  { value: 'split', label: 'Split' },
  { value: 'preview', label: 'Preview' },
] as const;
const viewKey = 'cartulary-editor-view';
const wideEnough = '(min-width: 64rem)';

function usualView(): View {
  const kept = localStorage.getItem(viewKey);
  const isWide = window.matchMedia(wideEnough).matches;
  const known = views.find(({ value }) => value === kept)?.value;
  return isWide ? (known ?? 'split') : 'write';
}

function Source({ source }: { source: SourceView }): ReactNode {
  const parent = useRef<HTMLDivElement>(null);
  useEffect(() => (parent.current === null ? undefined : source.mount(parent.current)), [source]);
  return <div className="source-editor" ref={parent} />;
}

/** Whether everything is saved, or where the rest is. */
function Status({ state }: { state: EditingState }): ReactNode {
  const { isSaving, isChanged, draft, savedAt } = state;
  return (
    <span className="editor-status" role="status">
      {isSaving ? (
        'Saving…'
      ) : isChanged ? (
        draft === 'kept' ? (
          'Draft kept in this browser'
        ) : (
          'Not saved'
        )
      ) : savedAt === undefined ? (
        'No changes'
      ) : (
        <>
          Saved <Time at={new Date(savedAt).toISOString()} />
        </>
      )}
    </span>
  );
}
