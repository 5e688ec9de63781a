import { useRef, type ReactNode } from 'react';
import { CopyButton } from '../../design/copy-button.tsx';

/** A text that is shown once: whole, selected by a click, with a button that copies it. */
export function Secret({ label, text }: { label: string; text: string }): ReactNode {
  const box = useRef<HTMLElement>(null);
  const selectAll = (): void => {
    if (box.current !== null) window.getSelection()?.selectAllChildren(box.current);
  };
  return (
    <div className="secret">
      <span className="field-label">{label}</span>
      <div className="secret-box">
        <code
          ref={box}
          tabIndex={0}
          role="textbox"
          aria-readonly
          aria-label={label}
          onClick={selectAll}
          onFocus={selectAll}
        >
          {text}
        </code>
        <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
      </div>
    </div>
  );
}
