import { copyShortString, copyString } from '../copy-string.js';
import { EgressFault } from '../egress-fault.js';
import { readXml, textOf, type XmlElement } from '../read-xml.js';

/** An object as a listing has it. */
export interface ListedObject {
  readonly key: string;
  readonly etag: string | undefined;
  readonly size: number | undefined;
  readonly modifiedAt: number | undefined;
  readonly storageClass: string | undefined;
}

/** A part of a listing. */
export interface Page {
  readonly objects: readonly ListedObject[];
  /** Where the next part begins; null after the last one. */
  readonly next: string | null;
}

/** Objects that a store may put into one part. Ours asks for a thousand. */
const maxObjects = 10_000;
const maxToken = 8192;
/** Characters. Longer ones are none. */
const maxTagLength = 512;
const maxClassLength = 64;
/** Bytes of one part of a listing, with keys of their greatest length. */
export const maxPage = 16 * 1024 * 1024;
const pageSize = 1000;

/**
 * What to ask of a bucket for a part of its listing (ListObjectsV2).
 * @param prefix of the keys; '' for all
 * @param token where the part begins; null for the first one
 */
export function queryOfPage(prefix: string, token: string | null): Readonly<Record<string, string>> {
  return {
    ...(token === null ? {} : { 'continuation-token': token }),
    'encoding-type': 'url',
    'list-type': '2',
    'max-keys': String(pageSize),
    ...(prefix === '' ? {} : { prefix }),
  };
}

/** What a listing says about itself. */
const facts: readonly string[] = ['EncodingType', 'KeyCount', 'IsTruncated', 'NextContinuationToken'];

/**
 * Reads one answer to ListObjectsV2, and holds what it says of itself against what it has.
 * @throws EgressFault `corrupt` where it does not end as it says, so that nothing passes for deleted
 */
export async function readPage(body: AsyncIterable<Buffer>): Promise<Page> {
  const said = new Map<string, string>();
  const listed: ListedObject[] = [];
  for await (const elements of readXml(body, ({ local }) => local === 'ListBucketResult')) {
    for (const element of elements) {
      if (element.local === 'Contents') listed.push(readObject(element));
      else if (facts.includes(element.local)) said.set(element.local, copyString(element.text.trim()));
    }
    if (listed.length > maxObjects)
      throw new EgressFault('corrupt', 'The store lists more at once than it was asked for.');
  }
  const isEncoded = said.get('EncodingType') === 'url';
  const objects = isEncoded ? listed.map((each) => ({ ...each, key: decode(each.key) })) : listed;
  const count = said.get('KeyCount');
  if (count !== undefined && Number(count) !== objects.length)
    throw new EgressFault(
      'corrupt',
      'The store lists a different number of objects than it announces. It is asked again later.',
    );
  return { objects, next: nextOf(said) };
}

function nextOf(said: ReadonlyMap<string, string>): string | null {
  const isTruncated = said.get('IsTruncated');
  const next = said.get('NextContinuationToken') ?? '';
  if (isTruncated === 'false') return null;
  if (isTruncated !== 'true') throw new EgressFault('corrupt', 'The store does not say whether its listing is whole.');
  if (next === '' || next.length > maxToken)
    throw new EgressFault('corrupt', 'The store cuts its listing and does not say how it goes on.');
  return next;
}

/** @returns the object with its key as it is written */
function readObject(contents: XmlElement): ListedObject {
  const key = copyString(contents.children.find(({ local }) => local === 'Key')?.text ?? '');
  if (key === '') throw new EgressFault('corrupt', 'The store lists an object without a key.');
  const size = textOf(contents, 'Size') ?? '';
  const time = Date.parse(textOf(contents, 'LastModified') ?? '');
  return {
    key,
    etag: copyShortString(textOf(contents, 'ETag'), maxTagLength),
    size: /^[0-9]{1,15}$/.test(size) ? Number(size) : undefined,
    modifiedAt: Number.isNaN(time) ? undefined : time,
    storageClass: copyShortString(textOf(contents, 'StorageClass'), maxClassLength),
  };
}

/** As in a form: `+` is a space. */
function decode(written: string): string {
  try {
    return decodeURIComponent(written.replaceAll('+', ' '));
  } catch {
    throw new EgressFault('corrupt', 'The store lists a key with a broken escape.');
  }
}
