import type { ConnectorKind } from '../domain/connector.js';
import type { SourceKind } from './source.js';

/** The kinds of sources by name. The code of each is loaded when it is first used. */
export type SourceKinds = Readonly<Partial<Record<ConnectorKind, () => Promise<SourceKind>>>>;

export const sourceKinds: SourceKinds = {
  folder: async () => (await import('./folder/folder-kind.js')).folderKind,
  git: async () => (await import('./git/git-kind.js')).gitKind,
  webdav: async () => (await import('./webdav/webdav-kind.js')).webdavKind,
  s3: async () => (await import('./s3/s3-kind.js')).s3Kind,
  program: async () => (await import('./program/program-kind.js')).makeProgramKind(),
};
