import type { ReactNode } from 'react';
import { Button, Menu, MenuItem, MenuTrigger, Popover, Separator } from 'react-aria-components';
import type { MenuProps } from './menu.tsx';

/** The menu itself, opened. Its library is a third of what a first view weighs, so it is fetched when it is wanted. */
export function MenuList({ label, actions, className = 'icon-button', tabIndex, children }: MenuProps): ReactNode {
  return (
    <MenuTrigger defaultOpen>
      <Button aria-label={label} className={className} excludeFromTabOrder={tabIndex === -1}>
        {children}
      </Button>
      <Popover className="menu-popover" placement="bottom end">
        <Menu className="menu" autoFocus="first">
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
    </MenuTrigger>
  );
}
