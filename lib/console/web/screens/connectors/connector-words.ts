import { Cable, Cloud, Database, FolderSync, GitBranch, type LucideIcon } from 'lucide-react';
import type { BadgeTone } from '../../design/badge.tsx';
import type { Connector, ConnectorRun, Fault, Kind, SkipReason } from './connector-queries.ts';

interface KindWords {
  readonly name: string;
  readonly meaning: string;
  readonly icon: LucideIcon;
}

/** The kinds of sources, in people's words. */
export const wordsOfKind: Readonly<Record<Kind, KindWords>> = {
  git: {
    name: 'Git repository',
    meaning: 'A branch of a repository on GitHub, GitLab, Gitea or any other host, or one folder of it.',
    icon: GitBranch,
  },
  webdav: {
    name: 'Nextcloud or WebDAV',
    meaning: 'A folder of Nextcloud, ownCloud or any WebDAV server.',
    icon: Cloud,
  },
  s3: {
    name: 'S3 bucket',
    meaning: 'A bucket of Amazon S3, MinIO or any store that speaks its protocol.',
    icon: Database,
  },
  folder: {
    name: 'Folder of the server',
    meaning: 'A folder on the machine where Cartulary runs. Its operator has to allow it.',
    icon: FolderSync,
  },
  program: {
    name: 'Program',
    meaning: 'A program on the machine where Cartulary runs, for sources of any other kind.',
    icon: Cable,
  },
};

/** What kind of trouble it is, and who can end it. */
export const wordsOfFault: Readonly<Record<Fault, { readonly title: string; readonly remedy: string }>> = {
  auth: { title: 'The source refuses the credential', remedy: 'Make a new one at the source, then set it here.' },
  not_found: { title: 'Nothing at this address can be mirrored', remedy: 'Compare the settings with the source.' },
  denied_egress: {
    title: 'This service may not go there',
    remedy:
      'The operator of the service can allow it: a server in connector_hosts, a folder in connector_folders, a program in connector_programs.',
  },
  rate: { title: 'The source asks for patience', remedy: 'Nothing has to be done. It is tried again later.' },
  network: {
    title: 'The source cannot be reached',
    remedy: 'Check that the source is up and that its address is right. It is tried again by itself.',
  },
  corrupt: {
    title: 'The answer of the source makes no sense',
    remedy: 'Check that the address is that of the source.',
  },
  limit: { title: 'The source is larger than allowed', remedy: 'Choose a smaller part of it, such as one folder.' },
  internal: {
    title: 'The service met a fault of its own',
    remedy: 'Its log says more. It is tried again by itself.',
  },
};

/** What a connector is up to, from the worst to the best. */
export type Condition = 'held' | 'stopped' | 'failing' | 'running' | 'waiting' | 'partial' | 'well' | 'paused' | 'over';

/** In which order a list shows them: what waits for people comes first. */
export const urgency: Readonly<Record<Condition, number>> = {
  held: 0,
  stopped: 1,
  failing: 2,
  partial: 3,
  running: 4,
  waiting: 4,
  well: 4,
  paused: 5,
  over: 6,
};

export const wordsOfCondition: Readonly<Record<Condition, { readonly name: string; readonly tone: BadgeTone }>> = {
  held: { name: 'needs approval', tone: 'danger' },
  stopped: { name: 'stopped', tone: 'danger' },
  failing: { name: 'failing', tone: 'warning' },
  partial: { name: 'some files unread', tone: 'warning' },
  running: { name: 'syncing', tone: 'info' },
  waiting: { name: 'starts soon', tone: 'info' },
  well: { name: 'up to date', tone: 'success' },
  paused: { name: 'paused', tone: 'neutral' },
  over: { name: 'disconnected', tone: 'neutral' },
};

export function conditionOf({ state, last_run: lastRun, failures }: Connector): Condition {
  if (state === 'held' || state === 'stopped' || state === 'paused') return state;
  if (state === 'disconnected') return 'over';
  if (lastRun?.outcome === null) return 'running';
  if (failures > 0) return 'failing';
  if (lastRun === null) return 'waiting';
  return lastRun.outcome === 'partial' ? 'partial' : 'well';
}

type Outcome = NonNullable<ConnectorRun['outcome']>;

export const wordsOfOutcome: Readonly<Record<Outcome, { readonly name: string; readonly tone: BadgeTone }>> = {
  changed: { name: 'changed', tone: 'success' },
  unchanged: { name: 'nothing new', tone: 'neutral' },
  partial: { name: 'some files unread', tone: 'warning' },
  held: { name: 'waited for approval', tone: 'warning' },
  failed: { name: 'failed', tone: 'danger' },
  interrupted: { name: 'interrupted', tone: 'warning' },
  cancelled: { name: 'cancelled', tone: 'neutral' },
};

export const wordsOfTrigger: Readonly<Record<ConnectorRun['trigger'], string>> = {
  schedule: 'by schedule',
  manual: 'by hand',
  webhook: 'by webhook',
  approval: 'after an approval',
};

/** Why a file is left out, and what to do if it should not be. */
export const wordsOfSkip: Readonly<Record<SkipReason, { readonly title: string; readonly remedy: string }>> = {
  bad_name: { title: 'The name cannot be a location here', remedy: 'Rename it at the source.' },
  name_twin: {
    title: 'Another file has the same name but for upper and lower case',
    remedy: 'Rename one of them at the source.',
  },
  symlink: { title: 'A link, not a file', remedy: 'Put the file itself there, if it should be mirrored.' },
  submodule: {
    title: 'Another repository inside this one',
    remedy: 'Mirror that repository by a connector of its own.',
  },
  special_file: { title: 'No ordinary file', remedy: 'Nothing has to be done.' },
  lfs_pointer: { title: 'Its content is in Git LFS', remedy: 'Put the file itself in the repository.' },
  too_large: { title: 'Larger than a document may be', remedy: 'Make it smaller, or keep it at the source alone.' },
  not_utf8: { title: 'The name is not UTF-8', remedy: 'Rename it at the source.' },
  unreadable: {
    title: 'The source did not hand it out',
    remedy: 'Let the account of this connector read it. What was mirrored before stays, and it is tried again.',
  },
  restricted: { title: 'The source keeps it from others', remedy: 'Change its permissions at the source.' },
  suppressed: { title: 'It was erased here', remedy: 'What is erased in a mirror does not come back.' },
  name_taken: { title: 'Another file stands in its way', remedy: 'Rename one of them at the source.' },
  not_decodable: {
    title: 'The source could not hand it out whole',
    remedy: 'Look at the file there. It is tried again.',
  },
};

const minute = 60;
/** Seconds between two runs, with their words. */
export const intervals: readonly (readonly [number, string])[] = [
  [5 * minute, 'Every 5 minutes'],
  [15 * minute, 'Every 15 minutes'],
  [60 * minute, 'Every hour'],
  [6 * 60 * minute, 'Every 6 hours'],
  [24 * 60 * minute, 'Every day'],
  [7 * 24 * 60 * minute, 'Every week'],
];
export const usualInterval = 60 * minute;

/** "Every hour", and any other number of seconds in the largest unit that fits. */
export function nameInterval(seconds: number): string {
  const known = intervals.find(([each]) => each === seconds);
  if (known !== undefined) return known[1];
  const units = [
    ['day', 24 * 60 * minute],
    ['hour', 60 * minute],
    ['minute', minute],
    ['second', 1],
  ] as const;
  const [unit, size] = units.find(([, each]) => seconds % each === 0) ?? ['second', 1];
  return seconds === size ? `Every ${unit}` : `Every ${seconds / size} ${unit}s`;
}

/** "4 s", "2 min 10 s", "1 h 5 min". @param milliseconds not negative */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 1) return 'under 1 s';
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export const countFiles = (count: number): string => (count === 1 ? '1 file' : `${count.toLocaleString('en')} files`);

export const startWithCapital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
