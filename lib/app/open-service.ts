import type { Config } from '../config.js';
import type { Log } from '../domain/log.js';
import { Extractor } from '../extraction/extractor.js';
import { findUnreachedCopies } from './open-follower.js';
import { readBuild } from './read-build.js';
import { makeSystemRandomness, systemClock } from './real-world.js';
import { Service, type ServiceOptions } from './service.js';

/** The settings with which a data folder is opened. */
export type OpeningSetting =
  | 'git'
  | 'upgrade'
  | 'diskReserve'
  | 'derivedBudget'
  | 'extraction'
  | 'connectorHosts'
  | 'connectorFolders'
  | 'connectorPrograms'
  | 'webhookHosts';

/**
 * Opens the data folder as configured.
 * @throws DataFolderInUse; OtherFormat; Error when a file cannot be read
 */
export function openService(
  config: Pick<Config, OpeningSetting> & { readonly data: string | null },
  onFault: ServiceOptions['onFault'],
  onNews?: ServiceOptions['onNews'],
  log?: Log,
  observers?: ServiceOptions['observers'],
  copies?: ServiceOptions['copies'],
): Promise<Service> {
  return Service.open({
    dataFolder: config.data,
    git: config.git,
    upgrade: config.upgrade,
    diskReserve: config.diskReserve,
    derivedBudget: config.derivedBudget,
    extractor: new Extractor({ ...config.extraction, ...observers?.texts }),
    clock: systemClock,
    randomness: makeSystemRandomness(),
    onFault,
    onNews,
    observers,
    release: readBuild().version,
    connectors: {
      allowance: {
        hosts: config.connectorHosts,
        folders: config.connectorFolders,
        programs: config.connectorPrograms,
      },
      ...(log === undefined ? {} : { log }),
    },
    webhooks: { hosts: config.webhookHosts },
    copies: copies ?? (config.data === null ? undefined : findUnreachedCopies(config.data)),
  });
}
