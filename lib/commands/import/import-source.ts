import { tmpdir } from 'node:os';
import { invalidRequest } from '../../domain/refusal.js';
import { GitProgramMissing, RepositoryUnreadable } from '../../git/errors.js';
import { borrowObjects } from '../../git/sources/borrow-objects.js';
import { SourceRepository } from '../../git/sources/source-repository.js';
import { unpackBundle, unpackedPrefix } from '../../git/sources/unpack-bundle.js';
import { inWorkspace } from '../command.js';
import { badField, parseBytes, type Fields } from '../fields.js';
import { usualBounds, type ImportBounds } from './count-entries.js';
import { chooseSource, unsuitable, type Source } from './choose-source.js';
import { importFolder } from './import-folder.js';
import { importHistory } from './import-history.js';
import { importCommit } from './import-repository.js';
import { ImportRun } from './import-run.js';

/**
 * Imports a source on this machine: the files below a folder, or a git repository, at one commit or with its history.
 * Run again, it goes on where it was interrupted.
 */
export const importSource = inWorkspace(async (context, fields) => {
  const ref = fields.optionalText('ref');
  const withHistory = fields.flag('history');
  const { dataFolder } = context.host;
  const source = await chooseSource(fields.text('directory'), ref !== undefined || withHistory, dataFolder);
  const leftOut = readNames(fields);
  if (leftOut.size > 0 && source.kind !== 'folder')
    throw badField('skip', 'is for folders: a repository comes in as it is');
  const isDry = fields.flag('dry_run');
  if (isDry && withHistory)
    throw badField('dry_run', 'looks at one commit. Leave the history out, and name the commit with --ref');
  const heedsIgnored = !fields.flag('no_ignore');
  const run = await ImportRun.start(context, fields.folder('into'), { bounds: readBounds(fields), isDry });
  if (source.kind === 'folder') {
    await importFolder(run, source.path, { leftOut, heedsIgnored });
    return run.result;
  }
  try {
    return await readingRepository(run, source, async (repository) => {
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

/** Names to leave out, with commas between them. */
function readNames(fields: Fields): ReadonlySet<string> {
  const text = fields.optionalText('skip') ?? '';
  return new Set(text.split(',').filter((name) => name !== ''));
}

/** The bounds of one import; the usual ones without the caller's. */
function readBounds(fields: Fields): ImportBounds {
  const bytes = fields.optionalText('max_bytes');
  return {
    maxFiles: fields.optionalCount('max_files') ?? usualBounds.maxFiles,
    maxBytes: bytes === undefined ? usualBounds.maxBytes : parseBytes('max_bytes', bytes),
  };
}

function noCommit(ref: string | undefined): Error {
  if (ref !== undefined) return unsuitable(`The repository has no commit "${ref}".`, 'ref');
  return unsuitable('The HEAD of the repository leads to no commit. Name a branch, tag or commit with --ref.', 'ref');
}

async function readingRepository<Result>(
  run: ImportRun,
  { kind, path }: Source,
  read: (repository: SourceRepository) => Promise<Result>,
): Promise<Result> {
  const { signal, host } = run.context;
  const within = host.dataFolder ?? tmpdir();
  const foreign =
    kind === 'bundle'
      ? await unpackBundle(path, within, signal)
      : await borrowObjects(path, { within, prefix: unpackedPrefix, signal });
  try {
    const repository = await SourceRepository.open(foreign, signal, (objects) => run.reportProgress(objects));
    try {
      return await read(repository);
    } finally {
      await repository.close();
    }
  } finally {
    await foreign.remove();
  }
}
