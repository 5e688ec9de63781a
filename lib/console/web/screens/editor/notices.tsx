import { GitCompare, RotateCw } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { announce } from '../../design/announce.tsx';
import { Who } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { copyText } from '../../design/copy-button.tsx';
import { Notice } from '../../design/notice.tsx';
import { RequestId, SignInLink } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { showToast } from '../../design/toast.tsx';
import type { Problem } from '../../api/problem.ts';
import type { EditingState } from './editing.ts';
import type { Claims } from './use-claims.ts';

/** Says that a draft of an earlier time is shown. */
export function RestoredNotice({
  from,
  onDiscard,
  onDismiss,
}: {
  from: number;
  onDiscard: () => void;
  onDismiss: () => void;
}): ReactNode {
  return (
    <Notice
      title="Your draft is back"
      action={
        <>
          <Button size="small" onClick={onDiscard}>
            Discard draft
          </Button>
          <Button size="small" look="quiet" onClick={onDismiss}>
            Keep writing
          </Button>
        </>
      }
    >
      <p>
        You wrote this <Time at={new Date(from).toISOString()} /> and did not save it. This browser kept it.
      </p>
    </Notice>
  );
}

/** Says that the document has a newer version than the one that the text changes. */
export function ChangedSinceNotice({ isChanged, onCompare }: { isChanged: boolean; onCompare: () => void }): ReactNode {
  return (
    <Notice
      tone="warning"
      title="This document has a newer version"
      action={
        <Button size="small" icon={GitCompare} onClick={onCompare}>
          {isChanged ? 'Compare and merge' : 'Show it'}
        </Button>
      }
    >
      {isChanged && <p>Nothing is overwritten: compare it with your text now, or when you save.</p>}
    </Notice>
  );
}

/** Who has claimed the document, and until when. */
export function ClaimNotices({ claims }: { claims: Claims }): ReactNode {
  const { blocking, sections } = claims;
  const wasBlocked = useRef(false);
  const isBlocked = blocking !== undefined;
  useEffect(() => {
    if (wasBlocked.current && !isBlocked) {
      showToast({ text: 'The claim has ended. You can save again.' });
    }
    if (isBlocked && !wasBlocked.current) announce('Someone has claimed this document. Saving is disabled.');
    wasBlocked.current = isBlocked;
  }, [isBlocked]);
  return (
    <>
      {blocking !== undefined && (
        <Notice tone="warning" title="Someone is working on this document">
          <p>
            <Who name={blocking.holder.display_name} kind={blocking.holder.kind} /> has claimed it. The claim ends{' '}
            <Time at={blocking.expires_at} />, unless it is renewed.
            {blocking.purpose !== null && (
              <>
                {' '}
                Purpose: “<bdi>{blocking.purpose}</bdi>”.
              </>
            )}
          </p>
          <p>
            You can go on writing: your draft is kept in this browser. Saving works again as soon as the claim ends.
          </p>
        </Notice>
      )}
      {sections.map(({ id, holder, section, expires_at: end }) => (
        <Notice key={id} title="Someone is working on a section">
          <p>
            <Who name={holder.display_name} kind={holder.kind} /> has claimed “<bdi>{section}</bdi>” until{' '}
            <Time at={end} form="exact" />. You can save changes of everything else.
          </p>
        </Notice>
      ))}
    </>
  );
}

interface SaveProblemProps {
  readonly state: EditingState;
  readonly problem: Problem;
  readonly readText: () => string;
  readonly onRetry: () => void;
  readonly onSaveAsNew: (() => void) | undefined;
}

/** Why the text was not saved, what is safe, and what can be done. */
export function SaveProblem({ state, problem, readText, onRetry, onSaveAsNew }: SaveProblemProps): ReactNode {
  const copy = (
    <Button
      size="small"
      onClick={() => {
        copyText(readText()).then(
          () => showToast({ text: 'Text copied.' }),
          () => showToast({ text: 'The browser does not allow copying. Select the text and copy it.', tone: 'danger' }),
        );
      }}
    >
      Copy text
    </Button>
  );
  const retry = (
    <Button size="small" icon={RotateCw} onClick={onRetry}>
      Save again
    </Button>
  );
  const isKept = state.draft !== 'lost';
  const kept = isKept ? 'Your text is kept in this browser.' : 'Copy your text before you leave this page.';
  if (problem.code === 'UNAUTHENTICATED') {
    return (
      <Notice
        tone="warning"
        isUrgent
        title="You are signed out, so this is not saved yet"
        action={
          <>
            {copy}
            <SignInLink />
          </>
        }
      >
        <p>{kept} After you sign in, you come back to it.</p>
      </Notice>
    );
  }
  if (problem.code === 'UNREACHABLE' || problem.code === 'UNAVAILABLE' || problem.code === 'RATE_LIMITED') {
    const title = problem.code === 'RATE_LIMITED' ? 'Too many requests' : 'The service cannot be reached';
    return (
      <Notice
        tone="warning"
        isUrgent
        title={`${title}, so this is not saved yet`}
        action={
          <>
            {copy}
            {retry}
          </>
        }
      >
        <p>{kept} Save again as soon as the service answers.</p>
      </Notice>
    );
  }
  if (problem.code === 'NOT_FOUND') {
    const title =
      state.base === null
        ? 'You may not create a document there'
        : state.isReadable === true
          ? 'You may read this document, but no longer change it'
          : 'This document is gone, or you no longer have access to it';
    const saveAsNew = onSaveAsNew !== undefined && (
      <Button size="small" onClick={onSaveAsNew}>
        Save as a new document
      </Button>
    );
    return (
      <Notice
        tone="danger"
        isUrgent
        title={title}
        action={
          <>
            {copy}
            {saveAsNew}
          </>
        }
      >
        <p>
          {kept}{' '}
          {state.base === null
            ? 'Choose another folder, or ask for the editor role there.'
            : 'Ask an approver for the editor role, or keep your text elsewhere.'}
        </p>
      </Notice>
    );
  }
  return (
    <Notice
      tone="danger"
      isUrgent
      title={titleOf(problem)}
      action={
        <>
          {copy}
          {retry}
        </>
      }
    >
      <p>
        {problem.message} {kept}
      </p>
      {problem.requestId !== undefined && <RequestId id={problem.requestId} />}
    </Notice>
  );
}

function titleOf({ reason }: Problem): string {
  if (reason === 'claimed') return 'Someone has claimed this document, so this is not saved yet';
  if (reason === 'name_taken') return 'Something is at this location already';
  if (reason === 'read_only_source') return 'A connector mirrors this place: change the document at its source';
  return 'This is not saved';
}
