import { Buffer } from 'node:buffer';
import type { Clock } from '../../domain/clock.js';
import { HttpClient, type HttpMeans } from '../../egress/http-client.js';
import { explainAnswer, plainFiles } from './explain-answer.js';
import { answerTypes, type GitQuestion, type GitService, type GitUpstream } from './git-upstream.js';

const paths: Readonly<Record<GitService, { readonly pathname: string; readonly search: string }>> = {
  references: { pathname: '/info/refs', search: '?service=git-upload-pack' },
  objects: { pathname: '/git-upload-pack', search: '' },
};

/** What git says to a server that the server has to know. */
const forwarded = ['accept', 'content-type', 'git-protocol', 'user-agent'] as const;

/** A line of `info/refs` as git writes it for web servers that hand out files. */
const plainReference = /^[0-9a-f]{40}(?:[0-9a-f]{24})?\trefs\//;
const plainLength = 80;

/** Whether it is the file of references in place of git's answer. Reads no more than its beginning. */
async function beginsWithReference(body: AsyncIterable<Uint8Array>): Promise<boolean> {
  let text = '';
  try {
    for await (const piece of body) {
      text += Buffer.from(piece.subarray(0, plainLength)).toString('latin1');
      if (text.length >= plainLength) break;
    }
  } catch {
    // An answer that breaks off is classified by what it began with.
  }
  return plainReference.test(text);
}

/** A repository of a web server. It follows no redirect. */
export class HttpUpstream implements GitUpstream {
  readonly #url: URL;
  readonly #authorization: string | undefined;
  readonly #client: HttpClient;
  readonly #clock: Clock;

  /** @param authorization the header with the credentials */
  constructor(url: URL, authorization: string | undefined, means: HttpMeans) {
    this.#url = url;
    this.#authorization = authorization;
    this.#client = new HttpClient(url, means);
    this.#clock = means.clock;
  }

  async ask({ service, headers, body, maxBytes, signal }: GitQuestion): Promise<AsyncIterable<Uint8Array>> {
    const sent: [string, string][] = [];
    for (const name of forwarded) {
      const value = headers[name];
      if (typeof value === 'string') sent.push([name, value]);
    }
    if (this.#authorization !== undefined) sent.push(['authorization', this.#authorization]);
    const url = new URL(this.#url);
    const { pathname, search } = paths[service];
    url.pathname = `${url.pathname.replace(/\/$/, '')}${pathname}`;
    url.search = search;
    const answer = await this.#client.request({
      method: body === undefined ? 'GET' : 'POST',
      url,
      headers: Object.fromEntries(sent),
      ...(body === undefined ? {} : { body }),
      maxBytes,
      signal,
    });
    const fault = explainAnswer(answer, answerTypes[service], this.#url, this.#clock.now());
    if (fault === undefined) return answer.body;
    const isPlain = answer.status === 200 && service === 'references' && (await beginsWithReference(answer.body));
    answer.discard();
    throw isPlain ? plainFiles() : fault;
  }

  close(): void {
    this.#client.close();
  }
}
