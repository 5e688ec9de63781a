import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toHistoryRows } from '../../bin/history-rows.js';
import { gitEnvironment, runGit } from '../support/processes/run-git.js';
import { ask, askRefused, makeFolder } from '../support/processes/run-program.js';

export interface Imported {
  readonly created: number;
  readonly updated?: number;
  readonly deleted?: number;
  readonly unchanged: number;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  readonly commit: string;
  readonly commits?: number;
  readonly of?: number;
}

interface Entry {
  readonly what: string;
  readonly message: string | null;
  readonly by: string;
  readonly original_author: string | null;
  readonly original_at: string | null;
}

/** A work tree with its repository, and a data folder beside it. */
export interface Place {
  readonly folder: string;
  readonly tree: string;
  readonly data: string;
  git(...parameters: string[]): string;
  write(name: string, text: string | Buffer): Promise<void>;
  commit(message: string): string;
  bring(...parameters: string[]): Promise<Imported>;
  refuse(...parameters: string[]): Promise<{ code: string; message: string; details?: Record<string, unknown> }>;
}

const environment = {
  ...gitEnvironment,
  GIT_AUTHOR_DATE: '2020-02-03T04:05:06Z',
  GIT_COMMITTER_DATE: '2020-02-03T04:05:06Z',
};

export async function makePlace(...initParameters: string[]): Promise<Place> {
  const folder = await makeFolder();
  const [tree, data] = [join(folder, 'tree'), join(folder, 'data')];
  await mkdir(tree);
  const git = (...parameters: string[]): string => runGit(tree, parameters, environment).trim();
  git('init', '-q', '-b', 'main', ...initParameters);
  await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
  return {
    folder,
    tree,
    data,
    git,
    async write(name, text) {
      await mkdir(join(tree, name, '..'), { recursive: true });
      await writeFile(join(tree, name), text);
    },
    commit(message) {
      git('add', '-A');
      git('commit', '-q', '--allow-empty', '-m', message);
      return git('rev-parse', 'HEAD');
    },
    bring: (...parameters) => ask<Imported>('import', ...parameters, '--into', 'wiki', '--data', data),
    refuse: (...parameters) => askRefused('import', ...parameters, '--into', 'wiki', '--data', data),
  };
}

export const historyOf = async ({ data }: Place, location: string): Promise<readonly Entry[]> =>
  toHistoryRows(
    (await ask<{ items: unknown[] }>('document', 'history', location, '--data', data)).items,
  ) as unknown as readonly Entry[];

export const documentsIn = async ({ data }: Place): Promise<number | undefined> =>
  (await ask<{ workspaces: { documents: number }[] }>('verify', '--data', data)).workspaces[0]?.documents;
