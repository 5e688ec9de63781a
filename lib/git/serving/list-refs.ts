import type { Oid } from '../objects/objects.js';
import { encodePacket, flushPacket } from './packets.js';
import { mainRef } from './receive-pack.js';
import type { RefListing } from './upload-request.js';

/** What a client of protocol version 2 can ask for (gitprotocol-v2). Every git that is new enough here answers it. */
const abilities = [
  'version 2',
  'agent=cartulary',
  'ls-refs=unborn',
  'fetch=shallow wait-for-done filter',
  'server-option',
  'object-format=sha1',
];

/** What a client of version 2 reads first. It says nothing about a repository. */
export const abilityPackets = Buffer.concat([...abilities.map((each) => encodePacket(`${each}\n`)), flushPacket]);

/** What git answers for a repository with main alone. @param head what main names; null for an empty repository */
export function encodeListing(listing: RefListing, head: Oid | null): Buffer {
  const { withHead, withMain, hasTargets, hasUnborn } = listing;
  const target = hasTargets ? ` symref-target:${mainRef}` : '';
  const lines: string[] = [];
  const saysHead = head !== null || (hasUnborn && hasTargets);
  if (saysHead && withHead) lines.push(`${head ?? 'unborn'} HEAD${target}\n`);
  if (head !== null && withMain) lines.push(`${head} ${mainRef}\n`);
  return Buffer.concat([...lines.map((line) => encodePacket(line)), flushPacket]);
}
