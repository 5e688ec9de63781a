import type { Oid } from '../objects/objects.js';
import { encodePacket, flushPacket, MalformedPacket, readPacket, textOf } from './packets.js';
import { mainRef } from './receive-pack.js';

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

/** What a client wants to know of the refs. */
export interface RefListing {
  readonly prefixes: readonly string[];
  readonly hasTargets: boolean;
  readonly hasUnborn: boolean;
}

/**
 * Reads the command `ls-refs` of version 2.
 * @returns undefined for anything that clients do not usually send; git itself has an answer to that
 */
export function readListing(request: Buffer): RefListing | undefined {
  try {
    return sortLines(linesOf(request));
  } catch (error) {
    if (!(error instanceof MalformedPacket)) throw error;
    return undefined;
  }
}

const maxLines = 1000;

/** The lines, with a null for each mark between them. */
function linesOf(request: Buffer): (string | null)[] {
  const lines: (string | null)[] = [];
  for (let at = 0; at < request.length && lines.length < maxLines;) {
    const read = readPacket(request, at);
    if (read === undefined) throw new MalformedPacket();
    lines.push(read.packet.type === 'delimiter' ? null : (textOf(read.packet) ?? ''));
    at = read.end;
  }
  return lines;
}

function sortLines(lines: readonly (string | null)[]): RefListing | undefined {
  const [command, ...rest] = lines;
  if (command !== 'command=ls-refs' || rest.at(-1) !== '' || lines.length >= maxLines) return undefined;
  const mark = rest.indexOf(null);
  const abilitiesEnd = mark === -1 ? rest.length - 1 : mark;
  const known = (line: string | null): boolean => line === 'object-format=sha1' || line?.startsWith('agent=') === true;
  if (!rest.slice(0, abilitiesEnd).every(known)) return undefined;
  const prefixes: string[] = [];
  const flags = new Set<string>();
  for (const line of rest.slice(abilitiesEnd + 1, -1)) {
    if (line === null) return undefined;
    if (line.startsWith(prefix)) prefixes.push(line.slice(prefix.length));
    else if (line === 'peel' || line === 'symrefs' || line === 'unborn') flags.add(line);
    else return undefined;
  }
  return { prefixes, hasTargets: flags.has('symrefs'), hasUnborn: flags.has('unborn') };
}

const prefix = 'ref-prefix ';

/** What git answers for a repository with main alone. @param head what main names; null for an empty repository */
export function encodeListing({ prefixes, hasTargets, hasUnborn }: RefListing, head: Oid | null): Buffer {
  const isAsked = (ref: string): boolean => prefixes.length === 0 || prefixes.some((each) => ref.startsWith(each));
  const target = hasTargets ? ` symref-target:${mainRef}` : '';
  const lines: string[] = [];
  const saysHead = head !== null || (hasUnborn && hasTargets);
  if (saysHead && isAsked('HEAD')) lines.push(`${head ?? 'unborn'} HEAD${target}\n`);
  if (head !== null && isAsked(mainRef)) lines.push(`${head} ${mainRef}\n`);
  return Buffer.concat([...lines.map((line) => encodePacket(line)), flushPacket]);
}
