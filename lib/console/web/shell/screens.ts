import { lazy, type ComponentType, type LazyExoticComponent } from 'react';
import type { ScreenProps } from '../navigation/screen-props.ts';

type Screen = LazyExoticComponent<ComponentType<ScreenProps>>;

/** The screens by the part of the address that names them. Each is fetched at its first use. */
export const screens: Readonly<Record<string, Screen>> = {
  f: lazy(async () => ({ default: (await import('../screens/browser/browser.tsx')).Browser })),
  d: lazy(async () => ({ default: (await import('../screens/reader/reader.tsx')).Reader })),
  edit: lazy(async () => ({ default: (await import('../screens/editor/editor.tsx')).Editor })),
  new: lazy(async () => ({ default: (await import('../screens/editor/new-document.tsx')).NewDocument })),
  history: lazy(async () => ({ default: (await import('../screens/history/history.tsx')).History })),
  search: lazy(async () => ({ default: (await import('../screens/search/search.tsx')).Search })),
  trash: lazy(async () => ({ default: (await import('../screens/trash/trash.tsx')).Trash })),
  erase: lazy(async () => ({ default: (await import('../screens/erase/erase.tsx')).Erase })),
  erasures: lazy(async () => ({ default: (await import('../screens/erase/erasures.tsx')).Erasures })),
  applications: lazy(async () => ({
    default: (await import('../screens/applications/applications.tsx')).Applications,
  })),
  keys: lazy(async () => ({ default: (await import('../screens/keys/keys.tsx')).OwnKeys })),
  connectors: lazy(async () => ({ default: (await import('../screens/connectors/connectors.tsx')).Connectors })),
  changes: lazy(async () => ({ default: (await import('../screens/changes/changes-screen.tsx')).WhatChanged })),
  overview: lazy(async () => ({ default: (await import('../screens/overview/overview.tsx')).Overview })),
  undo: lazy(async () => ({ default: (await import('../screens/undo/undo.tsx')).Undo })),
  webhooks: lazy(async () => ({ default: (await import('../screens/webhooks/webhooks.tsx')).Webhooks })),
  access: lazy(async () => ({ default: (await import('../screens/access/access.tsx')).Access })),
  audit: lazy(async () => ({ default: (await import('../screens/audit/audit.tsx')).Audit })),
};
