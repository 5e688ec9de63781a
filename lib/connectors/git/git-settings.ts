import { SourceFault } from '../source.js';

/** Which repository is mirrored, and which part of it. */
export interface GitSettings {
  readonly url: string;
  /** The repository's own main branch when left out. */
  readonly branch?: string;
  /** Only this folder of the repository. */
  readonly folder?: string;
  /** Who signs in with the secret. Most hosts look only at the secret when it is a token. */
  readonly username?: string;
  /** The public key of an ssh server. */
  readonly host_key?: string;
}

export const gitSettingsSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['url'],
  properties: {
    url: {
      type: 'string',
      minLength: 1,
      maxLength: 2000,
      description:
        'Address of the repository, as for git clone: https://host/path, ssh://git@host/path or git@host:path. It holds no password.',
    },
    branch: {
      type: 'string',
      minLength: 1,
      maxLength: 250,
      description: "The mirrored branch. The repository's own main branch when left out.",
    },
    folder: {
      type: 'string',
      maxLength: 1000,
      description: 'Only this folder of the repository, with all below it. All of it when left out.',
    },
    username: {
      type: 'string',
      minLength: 1,
      maxLength: 250,
      description: 'User name that belongs to the secret. Not needed where the secret is a token.',
    },
    host_key: {
      type: 'string',
      minLength: 1,
      maxLength: 4000,
      description:
        'For ssh: the public key of the server, as ssh-keyscan or the host shows it: its type and the key. Only a server with this key is spoken to.',
    },
  },
} as const;

/** What git forbids in the name of a branch, and what would be a pattern for many. */
const forbidden = /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[/.]$/;

/** The reference to fetch: a branch, or HEAD. @throws SourceFault */
export function readReference({ branch }: GitSettings): string {
  if (branch === undefined) return 'HEAD';
  if (forbidden.test(branch)) throw new SourceFault('not_found', 'No branch can have this name. Correct the name.');
  return `refs/heads/${branch}`;
}

/** The mirrored folder's path, '' for all. @throws SourceFault */
export function readFolder({ folder = '' }: GitSettings): string {
  const segments = folder.split('/').filter((segment) => segment !== '');
  if (segments.some((segment) => segment === '.' || segment === '..') || folder.includes('\0'))
    throw new SourceFault('not_found', 'No folder of a repository can have this path. Correct the path.');
  return segments.join('/');
}

/**
 * The header that signs in.
 * @throws SourceFault when no such header can be sent
 */
export function writeAuthorization({ username = 'git' }: GitSettings, secret: string | null): string | undefined {
  if (secret === null) return undefined;
  if (username.includes(':')) throw new SourceFault('auth', 'A user name cannot hold a colon. Correct the user name.');
  return `Basic ${Buffer.from(`${username}:${secret}`, 'utf8').toString('base64')}`;
}

/** One line for people. */
export function describeGit({ url, branch, folder }: GitSettings): string {
  const what = branch === undefined ? 'The main branch' : `Branch "${branch}"`;
  const where = folder === undefined || folder === '' ? '' : `, folder "${folder}"`;
  return `${what} of ${url}${where}`;
}
