import { X } from 'lucide-react';
import { useEffect, useRef, useSyncExternalStore, type ReactNode } from 'react';
import { asProblem } from '../api/problem.ts';
import { againAddress } from '../navigation/addresses.ts';
import { Button, IconButton } from './button.tsx';

interface Toast {
  readonly text: string;
  readonly tone?: 'success' | 'danger';
  /** The way back: "Undo". */
  readonly action?: { readonly label: string; readonly run: () => void };
}

interface ShownToast extends Toast {
  readonly id: number;
}

const lifetime = 9000;
const most = 3;
let shown: readonly ShownToast[] = [];
let next = 1;
const listeners = new Set<() => void>();

function change(to: readonly ShownToast[]): void {
  shown = to;
  for (const listener of listeners) listener();
}

function dismiss(id: number): void {
  change(shown.filter((toast) => toast.id !== id));
}

/** Says what has been done, in a corner, for some seconds. Nothing that a person must read belongs here. */
export function showToast(toast: Toast): void {
  change([...shown, { ...toast, id: next++ }].slice(-most));
}

/** Says that something was not done, and why. */
export function showProblem(error: unknown): void {
  const { sentence: text, reason } = asProblem(error);
  if (reason !== 'sign_in_again') return showToast({ text, tone: 'danger' });
  const action = { label: 'Sign in again', run: () => window.location.assign(againAddress()) };
  showToast({ text, tone: 'danger', action });
}

function Message({ toast }: { toast: ShownToast }): ReactNode {
  const { id, text, tone = 'success', action } = toast;
  const isHeld = useRef(false);
  useEffect(() => {
    // A toast under the pointer or with the focus stays: reading and reaching "Undo" takes time.
    const timer = window.setInterval(() => {
      if (!isHeld.current) dismiss(id);
    }, lifetime);
    return () => window.clearInterval(timer);
  }, [id]);
  const hold = (value: boolean) => () => {
    isHeld.current = value;
  };
  return (
    <li
      className={`toast ${tone}`}
      onMouseEnter={hold(true)}
      onMouseLeave={hold(false)}
      onFocus={hold(true)}
      onBlur={hold(false)}
    >
      <span className="toast-text">{text}</span>
      {action !== undefined && (
        <Button
          size="small"
          onClick={() => {
            dismiss(id);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton label="Dismiss" icon={X} onClick={() => dismiss(id)} />
    </li>
  );
}

/** Where toasts appear. One for the whole console. */
export function Toasts(): ReactNode {
  const toasts = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
  return (
    <ol className="toasts" aria-live="polite" aria-relevant="additions" aria-label="Messages">
      {toasts.map((toast) => (
        <Message key={toast.id} toast={toast} />
      ))}
    </ol>
  );
}
