import type { IncomingHttpHeaders } from 'node:http';

/** One of the two requests of git's smart protocol for fetching. */
export type GitService = 'references' | 'objects';

/** What git asks of a repository. */
export interface GitQuestion {
  readonly service: GitService;
  /** Of git's request. They choose the protocol's version. */
  readonly headers: IncomingHttpHeaders;
  /** Left out for `references`. It is not compressed. */
  readonly body: Buffer | undefined;
  /** Bytes of the answer. */
  readonly maxBytes: number;
  /** Bytes of what a server says before it is asked, as one behind ssh does. */
  readonly greetingBytes: number;
  readonly signal: AbortSignal;
}

/** The one repository that a gateway asks, and the way to it. */
export interface GitUpstream {
  /** @returns the answer's body, in the form of the smart protocol over HTTP. @throws SourceFault */
  ask(question: GitQuestion): Promise<AsyncIterable<Uint8Array>>;
  close(): void;
}

/** The media type of the answer to each request. */
export const answerTypes: Readonly<Record<GitService, string>> = {
  references: 'application/x-git-upload-pack-advertisement',
  objects: 'application/x-git-upload-pack-result',
};
