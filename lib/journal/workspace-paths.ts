import { join } from 'node:path';

/** The service's own file, in the data folder. */
export const serviceName = 'service.sqlite';

const repositoryName = 'content.git';
const sidecarName = 'sidecar.sqlite';
const archivesName = 'audit';
const searchName = 'search';
/** Texts that were made of files. */
const textsName = 'texts';
/** Caches of connectors. */
const sourcesName = 'sources';
/** Git repositories of principals, which can be made again. */
const derivedName = 'derived';

/** Where a workspace's parts lie. */
export function pathsOf(
  dataFolder: string,
  name: string,
): {
  folder: string;
  repository: string;
  sidecar: string;
  archives: string;
  search: string;
  texts: string;
  sources: string;
  derived: string;
} {
  const folder = join(dataFolder, name);
  return {
    folder,
    repository: join(folder, repositoryName),
    sidecar: join(folder, sidecarName),
    archives: join(folder, archivesName),
    search: join(folder, searchName),
    texts: join(folder, textsName),
    sources: join(folder, sourcesName),
    derived: join(folder, derivedName),
  };
}
