import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { addressOf } from '../navigation/addresses.ts';

/** Whether keys typed there are text. */
function takesText(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
}

/** The shortcuts of every screen: `/` and Cmd-K (Ctrl-K) go to the search. */
export function useShortcuts(workspace: string | undefined): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    if (workspace === undefined) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      const isSlash =
        event.key === '/' && !event.metaKey && !event.ctrlKey && !event.altKey && !takesText(event.target);
      const isCommandK =
        event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey;
      if ((!isSlash && !isCommandK) || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      navigate(addressOf.search(workspace));
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [workspace, navigate]);
}
