import { existsSync } from 'node:fs';
import { packagePath } from '../config.js';
import {
  compareFormat,
  markFormat,
  nameFormat,
  readFormat,
  refuseMissingFile,
  refuseNewer,
  refuseOlder,
  type DataFormat,
  type ProgramFormat,
} from '../integrity/data-format.js';
import { listSteps } from '../sidecar/schema-number.js';
import type { Clock } from '../domain/clock.js';
import { readBuild } from './read-build.js';

/** A path in the package's schema folder. */
export function schemaPath(...parts: string[]): string {
  return packagePath('schema', ...parts);
}

/** The format that this program reads and writes. */
function programFormat(): DataFormat {
  const newest = (folder: string): number => listSteps(schemaPath(folder)).at(-1)?.number ?? 0;
  return { workspaces: newest('sidecar'), service: newest('service') };
}

/** This program's version and format. */
export const thisProgram = (): ProgramFormat => ({ version: readBuild().version, format: programFormat() });

/**
 * Looks at a data folder before anything of it is opened.
 * @param reads whether the data is to be read as it is, so that an earlier format is refused too
 * @throws OtherFormat
 */
export async function requireFormat(
  dataFolder: string,
  reads: 'this format' | 'any that can be upgraded',
): Promise<void> {
  const program = thisProgram();
  const found = existsSync(dataFolder) ? await readFormat(dataFolder, program.format) : undefined;
  if (found === undefined) return;
  refuseNewer(dataFolder, found, program);
  if (reads === 'this format') refuseOlder(dataFolder, found, program);
}

/** For `status`. A folder without data yet has neither. */
export async function describeFormat(dataFolder: string): Promise<{
  readonly data_format: string | null;
  readonly written_by: string | null;
}> {
  const found = await readFormat(dataFolder, programFormat());
  return { data_format: found === undefined ? null : nameFormat(found.newest), written_by: found?.version ?? null };
}

export interface UpgradeOptions {
  readonly upgrade?: 'auto' | 'never' | undefined;
  readonly onNews?: ((what: string, figures: Readonly<Record<string, unknown>>) => void) | undefined;
  readonly clock: Clock;
}

/** An opening of a data folder, which may upgrade it. */
export interface PreparedUpgrade {
  /** Says what is about to happen, and notes this version. Called once this process has the folder for itself. */
  begin(): void;
  /** Called once every workspace was opened. */
  end(): Promise<void>;
}

/**
 * Looks at a data folder before anything of it is opened or changed.
 * @throws OtherFormat when a newer version wrote it, when it needs an upgrade and `upgrade` is `never`, or when the
 * service's own file is gone
 */
export async function prepareUpgrade(
  dataFolder: string,
  { upgrade, onNews, clock }: UpgradeOptions,
): Promise<PreparedUpgrade> {
  const program = thisProgram();
  const found = existsSync(dataFolder) ? await readFormat(dataFolder, program.format) : undefined;
  if (found === undefined) refuseMissingFile(dataFolder);
  else refuseNewer(dataFolder, found, program);
  if (found !== undefined && upgrade === 'never') refuseOlder(dataFolder, found, program);
  const isOlder = found !== undefined && compareFormat(found, program.format) === 'older';
  const startedAt = clock.now();
  return {
    begin() {
      if (isOlder) {
        const figures = {
          data: dataFolder,
          from: nameFormat(found.oldest),
          to: nameFormat(program.format),
          written_by: found.version,
        };
        onNews?.(
          'The data folder is upgraded to the format of this version. Earlier versions cannot open it afterwards: the way back is a backup made before',
          figures,
        );
      }
      markFormat(dataFolder, program);
    },
    async end() {
      if (!isOlder) return;
      // A workspace that could not be upgraded is set aside, and the log says why.
      const reached = await readFormat(dataFolder, program.format);
      if (reached === undefined || compareFormat(reached, program.format) !== 'same') return;
      const milliseconds = clock.now() - startedAt;
      onNews?.('The data folder has the format of this version', { data: dataFolder, milliseconds });
    },
  };
}
