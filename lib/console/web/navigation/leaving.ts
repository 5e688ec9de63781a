import { useEffect, useState } from 'react';
import type { AroundNavHandler } from 'wouter';

/** Called with the way on, where a page must be asked before it is left. */
type Guard = (goOn: () => void) => void;

let guard: Guard | undefined;

/** Asks the page's guard before a link of the console is followed. */
export const aroundNavigation: AroundNavHandler = (navigate, to, options) => {
  const goOn = (): void => {
    navigate(to, options);
  };
  if (guard === undefined) goOn();
  else guard(goOn);
};

/** Lets the page be left without a question: what it has is safe. */
export function leaveFreely(): void {
  guard = undefined;
}

/** The part of the browser's Navigation interface that is used, where a browser has it. */
interface Traversal extends Event {
  readonly navigationType: string;
  readonly destination: { readonly key: string };
}
interface Navigation extends EventTarget {
  readonly traverseTo: (key: string) => unknown;
}

/**
 * Keeps a page from being left unasked: by a link, by the browser's back button, by closing the tab.
 * @returns the way on that waits for an answer, and how to drop it
 */
export function useAskBeforeLeaving(isAsked: boolean): {
  readonly goOn: (() => void) | undefined;
  readonly stay: () => void;
} {
  const [goOn, setGoOn] = useState<(() => void) | undefined>();
  useEffect(() => {
    if (!isAsked) return undefined;
    const own: Guard = (next) =>
      setGoOn(() => () => {
        guard = undefined;
        next();
      });
    guard = own;
    const onUnload = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', onUnload);
    const { navigation } = window as { navigation?: Navigation };
    const onNavigate = (event: Event): void => {
      const { navigationType, destination } = event as Traversal;
      if (navigationType !== 'traverse' || !event.cancelable || guard === undefined) return;
      event.preventDefault();
      guard(() => void navigation?.traverseTo(destination.key));
    };
    navigation?.addEventListener('navigate', onNavigate);
    return () => {
      if (guard === own) guard = undefined;
      window.removeEventListener('beforeunload', onUnload);
      navigation?.removeEventListener('navigate', onNavigate);
    };
  }, [isAsked]);
  return { goOn, stay: () => setGoOn(undefined) };
}
