import { X } from 'lucide-react';
import { useEffect, useId, useRef, type FormEvent, type ReactNode } from 'react';
import { IconButton } from './button.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** The actions, the main one last. */
  readonly footer?: ReactNode;
  readonly size?: 'wide';
  /** Whether Escape, the backdrop and the cross close it. False for what must be confirmed. */
  readonly isDismissible?: boolean;
  /** Makes the dialog a form: Enter in a field submits it. */
  readonly onSubmit?: () => void;
}

/**
 * A modal dialog: the browser's own, so the rest of the page is inert and the focus returns where it was. It is open
 * for as long as it is rendered.
 */
export function Dialog(props: DialogProps): ReactNode {
  const { title, onClose, children, footer, size, isDismissible = true, onSubmit } = props;
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    if (dialog !== null && !dialog.open) {
      dialog.showModal();
      // A form begins in its first field, and not at the cross that closes it.
      dialog.querySelector<HTMLElement>('form .dialog-body :is(input, textarea, select)')?.focus();
    }
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const inner = (
    <>
      <header className="dialog-head">
        <h2 id={titleId}>{title}</h2>
        {isDismissible && <IconButton label="Close" icon={X} onClick={onClose} />}
      </header>
      <div className="dialog-body">{children}</div>
      {footer !== undefined && <footer className="dialog-foot">{footer}</footer>}
    </>
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit?.();
  };
  return (
    <dialog
      ref={element}
      className={size === 'wide' ? 'dialog wide' : 'dialog'}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        if (isDismissible) onClose();
      }}
      onMouseDown={(event) => {
        if (isDismissible && event.target === element.current) onClose();
      }}
    >
      {onSubmit === undefined ? (
        inner
      ) : (
        <form className="dialog-form" noValidate onSubmit={submit}>
          {inner}
        </form>
      )}
    </dialog>
  );
}
