import type { StateCommand } from '@codemirror/state';
import { Bold, Code, Heading, Italic, Link, List, ListOrdered, Quote, Search, type LucideIcon } from 'lucide-react';
import { useRef, type KeyboardEvent, type ReactNode } from 'react';
import { IconButton } from '../../design/button.tsx';
import { insertLink, toggleLines, toggleMark } from './format-markdown.js';

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
const keyName = (letter: string): string => (isApple ? `⌘${letter}` : `Ctrl-${letter}`);

/** The key that saves, as it is called on this machine. */
export const saveKey = keyName('S');

interface Tool {
  readonly label: string;
  readonly icon: LucideIcon;
  readonly command: StateCommand;
}

const tools: readonly Tool[] = [
  { label: `Make bold (${keyName('B')})`, icon: Bold, command: toggleMark('**') },
  { label: `Make italic (${keyName('I')})`, icon: Italic, command: toggleMark('_') },
  { label: `Make code (${keyName('E')})`, icon: Code, command: toggleMark('`') },
  { label: `Make a link (${keyName('K')})`, icon: Link, command: insertLink },
  { label: 'Make a heading', icon: Heading, command: toggleLines('heading') },
  { label: 'Make a list', icon: List, command: toggleLines('bullet') },
  { label: 'Make a numbered list', icon: ListOrdered, command: toggleLines('number') },
  { label: 'Quote lines', icon: Quote, command: toggleLines('quote') },
];

interface ToolbarProps {
  readonly isMarkdown: boolean;
  readonly isDisabled: boolean;
  readonly onRun: (command: StateCommand) => void;
  readonly onSearch: () => void;
}

/** The Markdown keys as buttons. One stop of Tab; arrows, Home and End move between them. */
export function Toolbar({ isMarkdown, isDisabled, onRun, onSearch }: ToolbarProps): ReactNode {
  const bar = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const buttons = [...(bar.current?.querySelectorAll('button') ?? [])];
    const at = buttons.findIndex((button) => button === document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const next = buttons[(to + buttons.length) % buttons.length];
    for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
    next?.focus();
  };
  const shown = isMarkdown ? tools : [];
  return (
    <div className="editor-tools" role="toolbar" aria-label="Format" tabIndex={-1} ref={bar} onKeyDown={move}>
      {shown.map(({ label, icon, command }, index) => (
        <IconButton
          key={label}
          label={label}
          icon={icon}
          tabIndex={index === 0 ? 0 : -1}
          disabled={isDisabled}
          onClick={() => onRun(command)}
        />
      ))}
      <IconButton
        label={`Find in the text (${keyName('F')})`}
        icon={Search}
        tabIndex={shown.length === 0 ? 0 : -1}
        onClick={onSearch}
      />
    </div>
  );
}
