import { mkdir } from 'node:fs/promises';
import { GitProgramMissing } from '../../git/errors.js';
import { requireGit, type GitProgram } from '../../git/program/git-program.js';
import { parseWebAddress, requirePrivacy } from '../egress/http-client.js';
import { SourceFault, type Source, type SourceKind, type SourceMeans } from '../source.js';
import {
  describeGit,
  gitSettingsSchema,
  readFolder,
  readReference,
  writeAuthorization,
  type GitSettings,
} from './git-settings.js';
import { usualLimits, type GitLimits } from './git-limits.js';
import { GitSource } from './git-source.js';

/** Repositories of git, over HTTP. @param limits of one run */
export function makeGitKind(limits: GitLimits = usualLimits): SourceKind<GitSettings> {
  return {
    settingsSchema: gitSettingsSchema,
    secretMeans: 'a password or an access token',
    readsAtOnce: 8,
    describe: describeGit,
    open: (settings, secret, means) => openGit(settings, secret, means, limits),
  };
}

async function openGit(
  settings: GitSettings,
  secret: string | null,
  means: SourceMeans,
  limits: GitLimits,
): Promise<Source> {
  const url = parseWebAddress(settings.url);
  requirePrivacy(url, means.allowance);
  const wanted = { reference: readReference(settings), folder: readFolder(settings) };
  const authorization = writeAuthorization(settings, secret);
  const program = await findProgram();
  await mkdir(means.cacheFolder, { recursive: true, mode: 0o700 });
  return new GitSource({ program, url, authorization, ...wanted, means, limits });
}

async function findProgram(): Promise<GitProgram> {
  try {
    return await requireGit('mirror a repository');
  } catch (error) {
    if (error instanceof GitProgramMissing) throw new SourceFault('internal', error.message, { cause: error });
    throw error;
  }
}

export const gitKind = makeGitKind();
