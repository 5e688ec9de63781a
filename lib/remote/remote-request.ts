import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Release } from '../limits/work-limiter.js';
import type { Caller } from '../domain/caller.js';
import type { ProtocolVersion } from '../git/serving/start-service.js';
import type { UnrelatedHistories } from '../operations/repositories/unrelated-histories.js';
import type { Workspace } from '../workspace/workspace.js';

/** A request of a recognised caller. */
export interface RemoteRequest {
  readonly workspace: Workspace;
  readonly caller: Caller;
  /** Whether the address names the workspace of the key. Where it does not, answer as without any reach. */
  readonly isHere: boolean;
  /** The version that the client asks for. */
  readonly version: ProtocolVersion;
  /** Remembers the rounds of a fetch. */
  readonly unrelated: UnrelatedHistories;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
  /** Keeps room until the answer has left, or its client has. */
  hold(this: void, release: Release): void;
}

/** An answer to be sent as it comes. */
export interface RemoteAnswer {
  readonly contentType: string;
  /** Sent in front of the content. */
  readonly head?: Buffer;
  readonly content: Buffer | Readable;
}

/** A service that git clients ask for by name. */
export interface RemoteService {
  /** Answers a client that begins: `GET info/refs?service=NAME`. @throws Refusal, recorded */
  advertise(asked: RemoteRequest): Promise<RemoteAnswer>;
  /** Answers `POST NAME`. The body is to be read by `readBody` or `openBody`. @throws Refusal, recorded */
  serve(asked: RemoteRequest): Promise<RemoteAnswer>;
}

/** What a client asks for in its header Git-Protocol, as git itself reads it; anything else is left out. */
export function readVersion(header: string | string[] | undefined): ProtocolVersion {
  if (typeof header !== 'string' || header.length > maxProtocolLength) return 0;
  const asked = header.split(':');
  return asked.includes('version=2') ? 2 : asked.includes('version=1') ? 1 : 0;
}

/** Characters of the header that are read. */
const maxProtocolLength = 200;
