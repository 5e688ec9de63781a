import { CloudOff, FileQuestionMark, LogIn, RotateCw, TriangleAlert, type LucideIcon } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { asProblem, Problem } from '../api/problem.ts';
import { againAddress, signInAddress } from '../navigation/addresses.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';

interface StateProps {
  readonly icon?: LucideIcon;
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

/** What a view shows in place of content: nothing here yet, or nothing can be shown. */
export function State({ icon: Icon, title, children, actions }: StateProps): ReactNode {
  return (
    <div className="state">
      {Icon !== undefined && <Icon className="state-icon" aria-hidden />}
      <h2>{title}</h2>
      {children}
      {actions !== undefined && <div className="cluster">{actions}</div>}
    </div>
  );
}

const widths = ['92%', '78%', '85%', '64%', '88%', '71%'];

/** Stands for content on its way, after a moment: a quick answer shows none. */
export function Skeleton({ lines = 6, label = 'Loading' }: { lines?: number; label?: string }): ReactNode {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => setShown(true), 150);
    return () => window.clearTimeout(timer);
  }, []);
  return (
    <div className="skeleton" role="status" style={{ visibility: isShown ? 'visible' : 'hidden' }}>
      <span className="visually-hidden">{label}…</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} aria-hidden style={{ width: widths[index % widths.length] }} />
      ))}
    </div>
  );
}

/** The id by which an operator finds the request in the log and the audit log. */
export function RequestId({ id }: { id: string }): ReactNode {
  return (
    <span className="request-id">
      Request <code>{id}</code> <CopyButton text={id} label="Copy request id" />
    </span>
  );
}

/**
 * A view that cannot be shown, for any reason. Absent and unreachable are one page: the console cannot tell them apart.
 * @param what the thing in lower case, for the sentence of the page: "document", "folder"
 */
export function ProblemState({
  error,
  what = 'page',
  onRetry,
}: {
  error: unknown;
  what?: string;
  onRetry?: () => void;
}): ReactNode {
  const problem = asProblem(error);
  const retry = onRetry !== undefined && (
    <Button icon={RotateCw} onClick={onRetry}>
      Try again
    </Button>
  );
  if (problem.code === 'NOT_FOUND') {
    return (
      <State icon={FileQuestionMark} title={`This ${what} does not exist, or you do not have access to it`}>
        <p>Check the address. If a colleague sent it to you, ask them to share it with you.</p>
      </State>
    );
  }
  if (problem.code === 'UNAUTHENTICATED') {
    return (
      <State icon={LogIn} title="You are signed out" actions={<SignInLink />}>
        <p>Your session has ended. Sign in to come back to this page.</p>
      </State>
    );
  }
  if (problem.code === 'UNAVAILABLE' || problem.code === 'UNREACHABLE') {
    return (
      <State icon={CloudOff} title="The service cannot answer at the moment" actions={retry}>
        <p>Nothing is lost, and nothing is known to be missing. Try again in a moment.</p>
        {problem.requestId !== undefined && <RequestId id={problem.requestId} />}
      </State>
    );
  }
  return (
    <State icon={TriangleAlert} title="That did not work" actions={retry}>
      <p>{problem.sentence}</p>
      {problem.requestId !== undefined && <RequestId id={problem.requestId} />}
    </State>
  );
}

/** Leads to the sign-in, and back to this page. */
export function SignInLink(): ReactNode {
  return (
    <a className="button primary" href={signInAddress()}>
      Sign in
    </a>
  );
}

/** A problem in a line, beside the form that met it. */
export function ProblemLine({ error }: { error: unknown }): ReactNode {
  if (error === null || error === undefined) return null;
  const problem = asProblem(error);
  return (
    <p className="field-error" role="alert">
      {problem.sentence} {problem.reason === 'sign_in_again' && <a href={againAddress()}>Sign in again</a>}
      {problem instanceof Problem && problem.requestId !== undefined && problem.code === 'INTERNAL' && (
        <RequestId id={problem.requestId} />
      )}
    </p>
  );
}
