import { request, type IncomingHttpHeaders } from 'node:http';

/** The answer to one request of git's protocol, as bytes. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A packet, with its length before it. */
export function packet(text: string): string {
  return (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text;
}

export const flush = '0000';
export const delimiter = '0001';

/** Speaks git's protocol over HTTP as no git program would: any line can be sent. */
export class RawGit {
  readonly #port: number;
  readonly #place: string;
  readonly #key: string;

  constructor(port: number, workspace: string, key: string) {
    this.#port = port;
    this.#place = `/git/${workspace}`;
    this.#key = key;
  }

  #send(method: string, path: string, headers: Record<string, string>, body?: string | Buffer): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          host: '127.0.0.1',
          port: this.#port,
          method,
          path: this.#place + path,
          headers: { Authorization: `Basic ${Buffer.from(`x:${this.#key}`).toString('base64')}`, ...headers },
        },
        (answer) => {
          const pieces: Buffer[] = [];
          answer.on('data', (piece: Buffer) => pieces.push(piece));
          answer.on('error', reject);
          answer.on('end', () =>
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(pieces) }),
          );
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  /** What a client asks first. */
  advertise(version: 0 | 2, service = 'git-upload-pack'): Promise<RawAnswer> {
    const protocol: Record<string, string> = version === 2 ? { 'Git-Protocol': 'version=2' } : {};
    return this.#send('GET', `/info/refs?service=${service}`, protocol);
  }

  upload(version: 0 | 2, body: string): Promise<RawAnswer> {
    const protocol: Record<string, string> = version === 2 ? { 'Git-Protocol': 'version=2' } : {};
    return this.#send(
      'POST',
      '/git-upload-pack',
      { 'Content-Type': 'application/x-git-upload-pack-request', ...protocol },
      body,
    );
  }

  listRefs(): Promise<RawAnswer> {
    const lines = [packet('command=ls-refs\n'), delimiter, packet('peel\n'), packet('symrefs\n'), flush];
    return this.upload(2, lines.join(''));
  }

  /** One fetch of protocol 2, done at once. */
  fetch(wants: readonly string[], haves: readonly string[] = [], options: readonly string[] = []): Promise<RawAnswer> {
    const lines = [
      packet('command=fetch'),
      delimiter,
      ...[
        'no-progress',
        ...options,
        ...wants.map((oid) => `want ${oid}`),
        ...haves.map((oid) => `have ${oid}`),
        'done',
      ].map((line) => packet(`${line}\n`)),
      flush,
    ];
    return this.upload(2, lines.join(''));
  }

  /** One fetch of protocol 0, done at once. */
  fetchOld(wants: readonly string[], haves: readonly string[] = [], more: readonly string[] = []): Promise<RawAnswer> {
    const capabilities = ' side-band-64k no-progress ofs-delta allow-tip-sha1-in-want filter shallow';
    const lines = [
      ...wants.map((oid, index) => packet(`want ${oid}${index === 0 ? capabilities : ''}\n`)),
      ...more.map((line) => packet(`${line}\n`)),
      flush,
      ...haves.map((oid) => packet(`have ${oid}\n`)),
      packet('done\n'),
    ];
    return this.upload(0, lines.join(''));
  }
}

/** A pack's answer, without the accidents of its way: how git cut it into packets depends on time alone. */
export interface Unpacked {
  /** The lines before the pack: acknowledgements, names of sections, errors. */
  readonly lines: readonly string[];
  readonly pack: Buffer;
  /** What the person reads, on the second channel, and on the third one of errors. */
  readonly said: string;
}

/** Takes the channels of an answer apart. @throws Error when it is none of git's */
export function unpack({ body }: RawAnswer): Unpacked {
  const lines: string[] = [];
  const pack: Buffer[] = [];
  let said = '';
  for (let at = 0; at < body.length;) {
    const length = Number.parseInt(body.toString('latin1', at, at + 4), 16);
    if (Number.isNaN(length)) throw new Error(`No packet: ${body.toString('latin1', at, at + 40)}`);
    const content = body.subarray(at + 4, at + Math.max(4, length));
    at += Math.max(4, length);
    if (length < 5) continue;
    if (content[0] === 1) pack.push(content.subarray(1));
    else if (content[0] === 2 || content[0] === 3) said += content.toString('utf8', 1);
    else lines.push(content.toString());
  }
  return { lines, pack: Buffer.concat(pack), said };
}

/** The id that an answer to ls-refs gives to main. Null when it names none. */
export function mainOf({ body }: RawAnswer): string | null {
  return /([0-9a-f]{40}) refs\/heads\/main/.exec(body.toString('latin1'))?.[1] ?? null;
}
