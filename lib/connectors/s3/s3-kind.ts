import { HttpClient, parseWebAddress, requirePrivacy } from '../../egress/http-client.js';
import { SourceFault, type Source, type SourceKind, type SourceMeans } from '../source.js';
import { ObjectStore } from './object-store.js';
import { S3Source } from './s3-source.js';

export interface S3Settings {
  readonly endpoint: string;
  readonly bucket: string;
  /** Keys below it are mirrored. */
  readonly prefix?: string;
  readonly region?: string;
  /** Whether the bucket stands in the path of the address instead of its host. It does by default. */
  readonly path_style?: boolean;
  /** Left out for a bucket that is open to everybody. */
  readonly access_key_id?: string;
}

/** A bucket, or a part of it, of everything that speaks the protocol of Amazon S3. */
export const s3Kind: SourceKind<S3Settings> = {
  settingsSchema: {
    type: 'object',
    properties: {
      endpoint: {
        type: 'string',
        pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@\\s]+(/[^?#\\s]*)?$',
        maxLength: 2000,
        description: 'The address of the service, such as https://s3.eu-central-1.amazonaws.com.',
      },
      bucket: {
        type: 'string',
        pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,253}[A-Za-z0-9]$',
        description: 'The name of the bucket.',
      },
      prefix: {
        type: 'string',
        minLength: 1,
        maxLength: 1000,
        description: 'The folder in the bucket that is mirrored, such as team/handbook.',
      },
      region: {
        type: 'string',
        pattern: '^[A-Za-z0-9-]{1,64}$',
        description: 'The region of the bucket. Without it: the one in the address, or us-east-1.',
      },
      path_style: {
        type: 'boolean',
        description: 'Whether the bucket stands in the path of the address (the default) or in its host.',
      },
      access_key_id: {
        type: 'string',
        pattern: '^[\\w.:+=@/-]{1,255}$',
        description: 'The id of the access key. Without it requests are not signed.',
      },
    },
    required: ['endpoint', 'bucket'],
    additionalProperties: false,
  },
  secretMeans: 'the secret access key',
  readsAtOnce: 8,
  describe: ({ endpoint, bucket, prefix = '' }) =>
    `S3 bucket ${bucket}${prefix === '' ? '' : `, ${prefix}`} at ${parseWebAddress(endpoint).host}`,
  open: async (settings, secret, means) => Promise.resolve(openS3(settings, secret, means)),
};

function openS3(settings: S3Settings, secret: string | null, means: SourceMeans): Source {
  const { bucket, prefix = '', region, access_key_id: accessKeyId } = settings;
  const root = rootOf(settings);
  if (secret !== null) requirePrivacy(root, means.allowance);
  if ((accessKeyId === undefined) !== (secret === null))
    throw new SourceFault('auth', 'An access key has an id and a secret. Give both, or none for an open bucket.');
  const store = new ObjectStore({
    root,
    http: new HttpClient(root, means),
    clock: means.clock,
    key: accessKeyId === undefined || secret === null ? null : { id: accessKeyId, secret },
    region,
  });
  return new S3Source({
    store,
    bucket,
    prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
    clock: means.clock,
    maxEntries: means.maxEntries,
  });
}

/** The address of the bucket, without `/` at its end. */
function rootOf({ endpoint, bucket, path_style: isPathStyle = true }: S3Settings): URL {
  const root = parseWebAddress(endpoint);
  const above = root.pathname.endsWith('/') ? root.pathname.slice(0, -1) : root.pathname;
  if (!isPathStyle) {
    const host = `${bucket}.${root.hostname}`.toLowerCase();
    root.hostname = host;
    // An address of numbers takes no name before it.
    if (root.hostname !== host)
      throw new SourceFault('not_found', 'The name of this bucket cannot stand in the host. Set path_style to true.');
  }
  root.pathname = isPathStyle ? `${above}/${bucket}` : above;
  return root;
}
