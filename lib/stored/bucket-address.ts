/** A bucket, and the part of it that is ours. */
export interface BucketAddress {
  readonly bucket: string;
  /** '' for all of it; otherwise without a slash at either end. */
  readonly prefix: string;
}

const form = /^s3:\/\/([a-z0-9][a-z0-9._-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*))?\/?$/;
const longest = 200;

export const isBucketAddress = (text: string): boolean => parseBucketAddress(text) !== undefined;

/** Reads `s3://bucket/prefix`. @returns undefined for anything else */
export function parseBucketAddress(text: string): BucketAddress | undefined {
  const [, bucket, prefix = ''] = form.exec(text) ?? [];
  if (bucket === undefined || prefix.length > longest) return undefined;
  if (prefix.split('/').some((part) => part === '.' || part === '..')) return undefined;
  return { bucket, prefix };
}
