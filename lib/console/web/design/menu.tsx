import { Suspense, lazy, useRef, useState, type ReactNode } from 'react';
import type { MenuAction } from './menu-list.tsx';

interface MenuProps {
  /** The name of the button: "Actions for report.md". */
  readonly label: string;
  readonly actions: readonly MenuAction[];
  /** The look of the button: its classes. */
  readonly className?: string;
  /** -1 keeps the button out of the order of Tab: for a list where only the active row's is in it. */
  readonly tabIndex?: -1;
  readonly children: ReactNode;
}

const load = () => import('./menu-list.tsx');
const MenuList = lazy(async () => ({ default: (await load()).MenuList }));

/**
 * A button that opens a list of actions: arrows, Home, End and first letters move in it. Until its first use it is a
 * plain button, so that a list of many menus is cheap.
 */
export function Menu({ label, actions, className = 'icon-button', tabIndex, children }: MenuProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  return (
    <>
      <button
        ref={trigger}
        type="button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        className={className}
        tabIndex={tabIndex}
        onPointerEnter={() => void load()}
        onFocus={() => void load()}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        {children}
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <MenuList label={label} actions={actions} trigger={trigger} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
