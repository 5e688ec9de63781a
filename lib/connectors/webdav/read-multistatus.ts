import { copyShortString, copyString } from '../../egress/copy-string.js';
import { SourceFault } from '../source.js';
import { childOf, readXml, textOf, type XmlElement } from '../../egress/read-xml.js';

const dav = 'DAV:';
const owncloud = 'http://owncloud.org/ns';
const nextcloud = 'http://nextcloud.org/ns';
/** Characters. Longer ones are none. */
const maxTagLength = 512;
const maxIdLength = 128;

/** What is asked of each resource. `oc:` and `nc:` are of ownCloud and Nextcloud; others leave them out. */
export const propertiesAsked = `<?xml version="1.0" encoding="utf-8"?>
<d:propfind xmlns:d="${dav}" xmlns:oc="${owncloud}" xmlns:nc="${nextcloud}"><d:prop><d:resourcetype/><d:getetag/><d:getcontentlength/><d:getlastmodified/><oc:fileid/><nc:is-encrypted/></d:prop></d:propfind>`;

/** One answer in a listing. */
export interface Resource {
  readonly href: string;
  /** Of the resource itself; 200 where only properties have one. */
  readonly status: number;
  readonly isFolder: boolean;
  /** As the server writes it; null without one. */
  readonly etag: string | null;
  readonly size: number | undefined;
  readonly modifiedAt: number | undefined;
  /** What Nextcloud and ownCloud call it, under every name. */
  readonly fileId: string | undefined;
  /** Only the devices of its owner can read it. */
  readonly isEncrypted: boolean;
}

/** @throws SourceFault `corrupt` for anything but a whole multistatus, `limit` for one that was cut */
export async function* readMultistatus(body: AsyncIterable<Buffer>): AsyncGenerator<Resource, void, undefined> {
  for await (const elements of readXml(body, ({ uri, local }) => uri === dav && local === 'multistatus'))
    for (const element of elements)
      if (element.uri === dav && element.local === 'response') yield readResponse(element);
}

function readResponse(response: XmlElement): Resource {
  const href = textOf(response, 'href', dav);
  if (href === undefined || href === '')
    throw new SourceFault('corrupt', 'The source lists something without an address.');
  const status = readStatus(textOf(response, 'status', dav));
  if (status === 507)
    throw new SourceFault('limit', 'The source shows only a part of a folder. Ask who runs it to raise its limit.');
  const found = response.children
    .filter(
      (child) => child.uri === dav && child.local === 'propstat' && readStatus(textOf(child, 'status', dav)) < 300,
    )
    .flatMap((child) => childOf(child, 'prop', dav) ?? []);
  const property = (local: string, uri = dav): string | undefined =>
    found.map((prop) => textOf(prop, local, uri)).find((text) => text !== undefined && text !== '');
  const time = Date.parse(property('getlastmodified') ?? '');
  return {
    href: copyString(href),
    status,
    isFolder: found.some((prop) => {
      const type = childOf(prop, 'resourcetype', dav);
      return type !== undefined && childOf(type, 'collection', dav) !== undefined;
    }),
    etag: copyShortString(property('getetag'), maxTagLength) ?? null,
    size: readSize(property('getcontentlength')),
    modifiedAt: Number.isNaN(time) ? undefined : time,
    fileId: copyShortString(property('fileid', owncloud), maxIdLength),
    isEncrypted: property('is-encrypted', nextcloud) === '1',
  };
}

/** `HTTP/1.1 200 OK` → 200, which an absent status means too. */
function readStatus(line: string | undefined): number {
  return line === undefined ? 200 : Number(/^HTTP\/[0-9.]{1,4} ([0-9]{3})/.exec(line)?.[1] ?? 500);
}

function readSize(text: string | undefined): number | undefined {
  return text !== undefined && /^[0-9]{1,15}$/.test(text) ? Number(text) : undefined;
}
