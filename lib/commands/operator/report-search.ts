import type { SearchProgress } from '../../indexing/search-keeper.js';
import type { CommandDependencies } from '../command.js';
import { openedOf } from './report-health.js';

/** A running process's report on a workspace's search index. */
export interface SearchReport {
  readonly workspace: string;
  /** Whether searches are answered; if not they are refused as UNAVAILABLE. */
  readonly answers: boolean;
  /** Codes of the languages of its answers. */
  readonly languages: readonly string[];
  readonly by_meaning: boolean;
  /** The background work on all of it. */
  readonly progress: SearchProgress | null;
}

/** Shown only to callers with access to the socket, because the number of documents is secret from others. */
export function reportSearch(host: CommandDependencies): readonly SearchReport[] {
  return openedOf(host).map(({ name: workspace, search }) => {
    const { progress, isReady: answers, index } = search;
    return { workspace, answers, languages: index.languages.codes, by_meaning: index.ranksByMeaning, progress };
  });
}

/** As people read it; nothing when there is nothing to wait for. */
export function describeSearch({ answers, languages, progress }: SearchReport): string[] {
  if (progress === null) return answers ? [] : ['  search: no index yet; searches are refused (UNAVAILABLE)'];
  const far = `${progress.done} of ${progress.documents} documents`;
  if (progress.task === 'build')
    return [`  search: being built, ${far}; until then searches are refused (UNAVAILABLE)`];
  if (progress.task === 'meaning') return [`  search: being revised for meaning, ${far}; until then words alone rank`];
  if (progress.task === 'analysis') return [`  search: being built for this version, ${far}; the former index answers`];
  return [`  search: being built in other languages, ${far}; until then it answers in ${languages.join(', ')}`];
}
