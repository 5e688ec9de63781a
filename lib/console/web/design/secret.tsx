import { useId, type ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';

/** Characters of a line in a dialog, about. */
const lineLength = 50;

/** A text that is shown once: whole, selected when it gets the focus, with a button that copies it. */
export function Secret({ label, text }: { label: string; text: string }): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <div className="secret">
        <textarea
          id={id}
          className="mono"
          readOnly
          rows={Math.ceil(text.length / lineLength)}
          spellCheck={false}
          value={text}
          onFocus={(event) => event.target.select()}
        />
        <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
      </div>
    </div>
  );
}
