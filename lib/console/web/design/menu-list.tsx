import type { LucideIcon } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { Menu, MenuItem, Popover, Separator } from 'react-aria-components';

export interface MenuAction {
  /** Verb and object. */
  readonly label: string;
  readonly icon?: LucideIcon;
  readonly run?: () => void;
  readonly isDangerous?: boolean;
  /** The key that does the same. */
  readonly shortcut?: string;
  /** A line above it. */
  readonly startsGroup?: boolean;
}

interface MenuListProps {
  readonly label: string;
  readonly actions: readonly MenuAction[];
  /** The button that opened it: it gets the focus back. */
  readonly trigger: RefObject<HTMLButtonElement | null>;
  readonly onClose: () => void;
}

/** An open menu. Its library is a third of what a first view weighs, so it is fetched when it is wanted. */
export function MenuList({ label, actions, trigger, onClose }: MenuListProps): ReactNode {
  return (
    <Popover
      aria-label={label}
      className="menu-popover"
      placement="bottom end"
      triggerRef={trigger}
      isOpen
      onOpenChange={(isOpen) => isOpen || onClose()}
    >
      <Menu className="menu" autoFocus="first" aria-label={label} onClose={onClose}>
        {actions.flatMap(({ label: name, icon: Icon, run, isDangerous, shortcut, startsGroup }) => [
          ...(startsGroup === true ? [<Separator key={`${name} rule`} className="menu-rule" />] : []),
          <MenuItem
            key={name}
            textValue={name}
            className={isDangerous === true ? 'menu-item danger' : 'menu-item'}
            {...(run !== undefined && { onAction: run })}
          >
            {Icon !== undefined && <Icon aria-hidden />}
            <span>{name}</span>
            {shortcut !== undefined && <kbd>{shortcut}</kbd>}
          </MenuItem>,
        ])}
      </Menu>
    </Popover>
  );
}
