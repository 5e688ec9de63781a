import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.js';
import type { Log } from '../domain/log.js';
import { Extractor } from '../extraction/extractor.js';
import type { Copies } from '../journal/copies.js';
import { followFolder } from '../stored/follow-folder.js';
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

/**
 * For a process that opens a data folder without following: what was copied before has to forget what is erased, and
 * cannot now. So an erase waits for the service.
 * @returns undefined where nothing was ever copied
 */
export function findUnreachedCopies(dataFolder: string): Copies | undefined {
  if (!existsSync(join(followFolder(dataFolder), 'life.json'))) return undefined;
  return {
    areKept: false,
    status: undefined,
    refusal: () => undefined,
    // It is all done again once the copies can be reached.
    forgetKeys: () => Promise.resolve(),
    forgetPast: () =>
      Promise.reject(
        new Error(
          'A copy of this data is in a bucket, and has to forget it too. Start the service with its setting follow; or ' +
            'end the copy with `cartulary follow end`, which leaves what is in the bucket as it is.',
        ),
      ),
  };
}
