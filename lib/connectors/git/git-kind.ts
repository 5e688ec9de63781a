import { mkdir } from 'node:fs/promises';
import { GitProgramMissing } from '../../git/errors.js';
import type { ForeignExtent } from '../../git/program/git-bounds.js';
import type { ForeignGit } from '../../git/program/git-program.js';
import { requireForeignGit } from '../../git/sources/require-foreign-git.js';
import { parseWebAddress, requirePrivacy } from '../../egress/http-client.js';
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
import type { GitUpstream } from './git-upstream.js';
import { HttpUpstream } from './http-upstream.js';
import { parseSshAddress } from './ssh-address.js';
import { GitSource } from './git-source.js';

/** Repositories of git, over HTTP and ssh. @param limits of one run */
export function makeGitKind(limits: GitLimits = usualLimits): SourceKind<GitSettings> {
  return {
    settingsSchema: gitSettingsSchema,
    secretMeans: 'a password or an access token; for ssh the private key, without a passphrase',
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
  const wanted = { reference: readReference(settings), folder: readFolder(settings) };
  const upstream = await openUpstream(settings, secret, means, limits);
  const program = await findProgram();
  await mkdir(means.cacheFolder, { recursive: true, mode: 0o700 });
  return new GitSource({ program, upstream, ...wanted, means, limits });
}

async function openUpstream(
  settings: GitSettings,
  secret: string | null,
  { allowance, clock }: SourceMeans,
  { idleTime, fetchTime }: GitLimits,
): Promise<GitUpstream> {
  const address = parseSshAddress(settings);
  if (address !== undefined) {
    // Few sources need it, and loading it takes its time.
    const { SshUpstream } = await import('./ssh-upstream.js');
    return new SshUpstream(address, secret, { allowance, idleTime });
  }
  const url = parseWebAddress(settings.url);
  requirePrivacy(url, allowance, secret !== null);
  const timeouts = { head: idleTime, idle: idleTime, body: fetchTime };
  return new HttpUpstream(url, writeAuthorization(settings, secret), { allowance, clock, timeouts });
}

/** What a fetch can bring at most counts: one commit with more files than a run lists. */
const copiedExtent: ForeignExtent = { objects: 500_000, bytes: 0 };
/** Seconds of a processor for one git: a fetch has half an hour for all. */
const copyingTime = 15 * 60;

async function findProgram(): Promise<ForeignGit> {
  try {
    return await requireForeignGit('mirror a repository', copiedExtent, copyingTime);
  } catch (error) {
    if (error instanceof GitProgramMissing) throw new SourceFault('internal', error.message, { cause: error });
    throw error;
  }
}

export const gitKind = makeGitKind();
