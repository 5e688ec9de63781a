import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { invalidRequest } from '../domain/refusal.js';
import { GitProgramMissing, RepositoryUnreadable } from '../git/errors.js';
import { SourceRepository } from '../git/source-repository.js';
import { unpackBundle } from '../git/unpack-bundle.js';
import { inWorkspace } from './command.js';
import { chooseSource, unsuitable, type Source } from './choose-source.js';
import { importFolder } from './import-folder.js';
import { importHistory } from './import-history.js';
import { importCommit } from './import-repository.js';
import { ImportRun } from './import-run.js';

/**
 * Brings in what is on this machine: the files below a folder, or a git repository, as it is at one commit or with its
 * history. Run again, it goes on where it was interrupted.
 */
export const importSource = inWorkspace(async (context, fields) => {
  const ref = fields.optionalText('ref');
  const withHistory = fields.flag('history');
  const { dataFolder } = context.host;
  const source = await chooseSource(fields.text('directory'), ref !== undefined || withHistory, dataFolder);
  const run = await ImportRun.start(context, fields.folder('into'));
  if (source.kind === 'folder') {
    await importFolder(run, source.path);
    return run.result;
  }
  try {
    return await readingRepository(source, context.signal, dataFolder ?? tmpdir(), async (repository) => {
      const commit = await repository.findCommit(ref ?? 'HEAD');
      if (commit === undefined) throw noCommit(ref);
      if (!withHistory) {
        await importCommit(run, repository, commit);
        return { ...run.result, commit };
      }
      const { commits, of } = await importHistory(run, repository, commit);
      return { ...run.result, ...run.changed, commit, commits, of };
    });
  } catch (error) {
    run.requireGoingOn();
    if (error instanceof GitProgramMissing) throw invalidRequest('git_missing', error.message);
    if (error instanceof RepositoryUnreadable) throw unsuitable(error.message);
    throw error;
  }
});

function noCommit(ref: string | undefined): Error {
  if (ref !== undefined) return unsuitable(`The repository has no commit "${ref}".`, 'ref');
  return unsuitable('The HEAD of the repository leads to no commit. Name a branch, tag or commit with --ref.', 'ref');
}

async function readingRepository<Result>(
  { kind, path }: Source,
  signal: AbortSignal,
  within: string,
  read: (repository: SourceRepository) => Promise<Result>,
): Promise<Result> {
  const folder = kind === 'bundle' ? await unpackBundle(path, within, signal) : path;
  try {
    const repository = await SourceRepository.open(folder, signal);
    try {
      return await read(repository);
    } finally {
      await repository.close();
    }
  } finally {
    if (kind === 'bundle') await rm(folder, { recursive: true, force: true });
  }
}
