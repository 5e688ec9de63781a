import { HttpClient, parseWebAddress, requirePrivacy } from '../../egress/http-client.js';
import { SourceFault, type Source, type SourceKind, type SourceMeans } from '../source.js';
import { decodeSegments, encodeSegments } from './resource-name.js';
import { WebdavSource } from './webdav-source.js';

export interface WebdavSettings {
  /** Of the files of one account, such as `https://cloud.example/remote.php/dav/files/alice`. */
  readonly url: string;
  readonly username?: string;
  /** Below the address, with `/` between its segments. */
  readonly folder?: string;
}

/** Folders of Nextcloud, ownCloud and everything else that speaks WebDAV. */
export const webdavKind: SourceKind<WebdavSettings> = {
  settingsSchema: {
    type: 'object',
    properties: {
      url: {
        type: 'string',
        pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@\\s]+(/[^?#\\s]*)?$',
        maxLength: 2000,
        description: 'The WebDAV address. In Nextcloud: https://HOST/remote.php/dav/files/USER.',
      },
      username: {
        type: 'string',
        pattern: '^[^:\\u0000-\\u001f]+$',
        maxLength: 255,
        description: 'Who signs in. Without it the secret is sent as a bearer token.',
      },
      folder: {
        type: 'string',
        minLength: 1,
        maxLength: 1000,
        description: 'The folder below the address that is mirrored, such as Team/Handbook.',
      },
    },
    required: ['url'],
    additionalProperties: false,
  },
  secretMeans: 'a password for this application, or a token',
  readsAtOnce: 6,
  describe: (settings) => {
    const root = rootOf(settings);
    return `WebDAV ${root.origin}/${(decodeSegments(root.pathname) ?? []).join('/')}`;
  },
  open: async (settings, secret, means) => Promise.resolve(openWebdav(settings, secret, means)),
};

function openWebdav(settings: WebdavSettings, secret: string | null, means: SourceMeans): Source {
  const root = rootOf(settings);
  if (secret !== null) requirePrivacy(root, means.allowance);
  const authorization = authorize(settings.username, secret);
  return new WebdavSource({
    root,
    headers: authorization === undefined ? {} : { authorization },
    http: new HttpClient(root, means),
    clock: means.clock,
    maxEntries: means.maxEntries,
  });
}

/** The address of the mirrored folder, with `/` at its end. */
function rootOf({ url, folder = '' }: WebdavSettings): URL {
  const root = parseWebAddress(url);
  const above = decodeSegments(root.pathname);
  const below = folder.split('/').filter(Boolean);
  if (
    above === undefined ||
    [...above, ...below].some((segment) => segment === '.' || segment === '..' || segment.includes('/'))
  )
    throw new SourceFault('not_found', 'The address or the folder of the source has parts such as "..". Correct it.');
  root.pathname = `${encodeSegments([...above, ...below])}/`;
  return root;
}

function authorize(username: string | undefined, secret: string | null): string | undefined {
  if (username !== undefined) return `Basic ${Buffer.from(`${username}:${secret ?? ''}`).toString('base64')}`;
  return secret === null ? undefined : `Bearer ${secret}`;
}
