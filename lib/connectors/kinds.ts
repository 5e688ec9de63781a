import type { ConnectorKind } from '../domain/connector.js';
import type { SourceKind } from './source.js';

/** The kinds of sources by name. The code of each is loaded when it is first used. */
export type SourceKinds = Readonly<Partial<Record<ConnectorKind, () => Promise<SourceKind>>>>;

export const sourceKinds: SourceKinds = {
  git: async () => (await import('./git/git-kind.js')).gitKind,
  webdav: async () => (await import('./webdav/webdav-kind.js')).webdavKind,
};
