import type { GitProgram } from '../program/git-program.js';
import { encodePacket, flushPacket } from './packets.js';
import { startService, type ProtocolVersion, type RunningService } from './start-service.js';

/**
 * Settings of every upload-pack. One process for each clone, with a bounded memory. Packs are mapped whole, as git does
 * by default: a mapped pack stays readable when maintenance removes it, and takes no memory of its own. Filters are
 * allowed that cost no more than what they leave out.
 */
const settings = [
  'transfer.hideRefs=refs/',
  'transfer.hideRefs=!refs/heads/main',
  'transfer.advertiseSID=false',
  'uploadpack.allowFilter=true',
  'uploadpackfilter.allow=false',
  'uploadpackfilter.blob:none.allow=true',
  'uploadpackfilter.blob:limit.allow=true',
  'uploadpackfilter.object:type.allow=true',
  'uploadpackfilter.tree.allow=true',
  'uploadpackfilter.tree.maxDepth=0',
  'pack.threads=1',
  'pack.windowMemory=32m',
  'pack.deltaCacheSize=16m',
  'core.deltaBaseCacheLimit=16m',
  'core.bigFileThreshold=1m',
];

export interface UploadPackRequest {
  /** The bare repository's folder. */
  readonly repository: string;
  readonly version: ProtocolVersion;
  /** Whether new deltas are sought. Without them, the same objects give the same bytes. */
  readonly seeksDeltas: boolean;
}

function start(program: GitProgram, request: UploadPackRequest, flags: readonly string[]): RunningService {
  const { repository, version, seeksDeltas } = request;
  const all = seeksDeltas ? settings : [...settings, 'pack.window=0'];
  const parameters = [...all.flatMap((each) => ['-c', each]), 'upload-pack', '--strict', '--stateless-rpc', ...flags];
  return startService(program, repository, [...parameters, repository], version);
}

/** Answers one request of a client: its standard input takes the request's body. */
export function startUploadPack(program: GitProgram, request: UploadPackRequest): RunningService {
  return start(program, request, []);
}

/** Lists the branch, or the abilities in version 2, for a client that begins. */
export function startAdvertisement(program: GitProgram, request: UploadPackRequest): RunningService {
  const service = start(program, request, ['--advertise-refs']);
  service.stdin.end();
  return service;
}

/** What stands in front of an advertisement over HTTP (gitprotocol-http). */
export function advertisementHead(service: string, version: ProtocolVersion): Buffer {
  return version === 2 ? Buffer.alloc(0) : Buffer.concat([encodePacket(`# service=${service}\n`), flushPacket]);
}
