import { useSyncExternalStore } from 'react';

/** What a person can choose; `system` follows the device. */
export type Theme = 'system' | 'light' | 'dark';

const key = 'cartulary-theme';
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

function read(): Theme {
  const kept = localStorage.getItem(key);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

function apply(): void {
  const theme = read();
  document.documentElement.dataset['theme'] = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
  for (const listener of listeners) listener();
}

/** Applies the theme before the first paint, and follows the device and other tabs from then on. */
export function startTheme(): void {
  apply();
  dark.addEventListener('change', apply);
  window.addEventListener('storage', (event) => {
    if (event.key === key) apply();
  });
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(key);
  else localStorage.setItem(key, theme);
  apply();
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, read);
}
