import { SourceFault } from '../source.js';
import type { GitSettings } from './git-settings.js';

/** A repository of an ssh server. */
export interface SshAddress {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  /** As the server's git gets it. */
  readonly path: string;
  /** The pinned key of the server; undefined where none is given. */
  readonly hostKey: HostKey | undefined;
}

export interface HostKey {
  /** Such as `ssh-ed25519`. */
  readonly type: string;
  readonly key: Buffer;
}

const usualPort = 22;
const types: readonly string[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
];

/**
 * Reads `ssh://user@host:port/path`, and git's short form `user@host:path`.
 * @returns undefined for an address of another protocol
 * @throws SourceFault
 */
export function parseSshAddress(settings: GitSettings): SshAddress | undefined {
  const { url } = settings;
  const parts = url.includes('://') ? readUrl(url) : readShortForm(url);
  if (parts === undefined) return undefined;
  const { host, port = usualPort, user, path } = parts;
  if (host === '' || path === '' || path === '/' || /[\0\r\n]/.test(path))
    throw new SourceFault('not_found', 'The address names no host or no repository. Correct the address.');
  const username = settings.username ?? (user === '' ? 'git' : user);
  return { host, port, username, path, hostKey: readHostKey(settings.host_key) };
}

interface Parts {
  readonly host: string;
  readonly port?: number;
  readonly user: string;
  readonly path: string;
}

function readUrl(text: string): Parts | undefined {
  if (!text.toLowerCase().startsWith('ssh://') || !URL.canParse(text)) return undefined;
  const { hostname, port, username, password, pathname } = new URL(text);
  if (password !== '') throw new SourceFault('auth', 'The address of the source must hold no password.');
  try {
    const path = decodeURIComponent(pathname);
    const user = decodeURIComponent(username);
    return { host: hostname, ...(port === '' ? {} : { port: Number(port) }), user, path };
  } catch {
    throw new SourceFault('not_found', 'The address is not written as an address of the web is. Correct it.');
  }
}

function readShortForm(text: string): Parts | undefined {
  const colon = text.indexOf(':');
  const slash = text.indexOf('/');
  if (colon < 1 || (slash >= 0 && slash < colon)) return undefined;
  const at = text.slice(0, colon).lastIndexOf('@');
  return { host: text.slice(at + 1, colon), user: text.slice(0, Math.max(at, 0)), path: text.slice(colon + 1) };
}

/** Reads `type key`, with or without the names of hosts before it and a comment after it. */
function readHostKey(text: string | undefined): HostKey | undefined {
  if (text === undefined) return undefined;
  const words = text.split(/\s/).filter((word) => word !== '');
  const at = words.findIndex((word) => types.includes(word));
  const key = Buffer.from(words[at + 1] ?? '', 'base64');
  const type = words[at] ?? '';
  // A key begins with the length of its type and the type.
  if (at < 0 || key.toString('latin1', 4, 4 + type.length) !== type)
    throw new SourceFault(
      'auth',
      'The key of the server is not readable. Give its type and the key, as ssh-keyscan shows it.',
    );
  return { type, key };
}
