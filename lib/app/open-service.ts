import type { Config } from '../config.js';
import { readBuild } from './read-build.js';
import { makeSystemRandomness, systemClock } from './real-world.js';
import { Service, type ServiceOptions } from './service.js';

/**
 * Opens the data folder as configured.
 * @throws DataFolderInUse; Error when a file cannot be read
 */
export function openService(
  config: Pick<Config, 'git' | 'diskReserve'> & { readonly data: string | null },
  onFault: ServiceOptions['onFault'],
  onNews?: ServiceOptions['onNews'],
): Promise<Service> {
  return Service.open({
    dataFolder: config.data,
    git: config.git,
    diskReserve: config.diskReserve,
    clock: systemClock,
    randomness: makeSystemRandomness(),
    onFault,
    onNews,
    release: readBuild().version,
  });
}
