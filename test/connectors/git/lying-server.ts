import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Intrusion } from '../../support/git/git-server.js';

/** A line of git's protocol. */
export const line = (text: string | Buffer): Buffer => {
  const bytes = Buffer.from(text as string);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
};

/** A pack with this count in its head and these objects, as git encodes them. */
export function makePack(count: number, ...objects: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(12);
  head.write('PACK');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(count, 8);
  const pack = Buffer.concat([head, ...objects]);
  return Buffer.concat([pack, createHash('sha1').update(pack).digest()]);
}

/** The start of an answer to a fetch of one commit: what follows is its pack. */
export function beginFetch(response: ServerResponse, commit: string): void {
  response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
  response.write(Buffer.concat([line('shallow-info\n'), line(`shallow ${commit}\n`), Buffer.from('0001')]));
  response.write(line('packfile\n'));
}

/** A part of a pack, in the channel of the protocol for it. */
export const packPart = (bytes: Buffer): Buffer => line(Buffer.concat([Buffer.from([1]), bytes]));

/** Answers a whole fetch with this pack. */
export function sendPack(response: ServerResponse, commit: string, pack: Buffer): void {
  beginFetch(response, commit);
  response.end(Buffer.concat([packPart(pack), Buffer.from('0000')]));
}

/** Takes the place of git where objects are asked for. Each time, another request asks for the branch before. */
export function atFetch(answer: (response: ServerResponse, request: IncomingMessage) => void): Intrusion {
  let posts = 0;
  return (request, response) => {
    if (request.method !== 'POST') return false;
    posts += 1;
    if (posts % 2 === 1) return false;
    request.resume();
    answer(response, request);
    return true;
  };
}

/** Writes without end, as fast as it is read. */
export function pour(response: ServerResponse, piece: Buffer): void {
  const more = (): void => {
    while (!response.destroyed) if (!response.write(piece)) return void response.once('drain', more);
  };
  more();
}
