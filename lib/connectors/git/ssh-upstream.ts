import ssh2 from 'ssh2';
import type { Client, ClientChannel, ConnectConfig, ServerHostKeyAlgorithm } from 'ssh2';
import { dial, type DialMeans } from '../../egress/dial.js';
import { BodyTooLarge } from '../../egress/read-foreign-body.js';
import { SourceFault } from '../source.js';
import type { GitQuestion, GitUpstream } from './git-upstream.js';
import { readAdvertisement } from './read-advertisement.js';
import type { SshAddress } from './ssh-address.js';

/** Milliseconds for the handshake and the sign-in. */
const readyTimeout = 20_000;

const flush = '0000';
/** How an answer over HTTP begins. */
const serviceLine = Buffer.from(`001e# service=git-upload-pack\n${flush}`);

export interface SshMeans extends DialMeans {
  /** Milliseconds without a byte of the source. */
  readonly idleTime: number;
}

/**
 * A repository of an ssh server, asked as if it were one of a web server: each request is a `git-upload-pack` of its
 * own, which sees the whole conversation again, as HTTP has it. The private key stays in this process, and only a
 * server with the pinned key gets to see a signature of it.
 */
export class SshUpstream implements GitUpstream {
  readonly #address: SshAddress;
  readonly #secret: string | null;
  readonly #means: SshMeans;
  #client: Promise<Client> | undefined;
  #opened: Client | undefined;

  constructor(address: SshAddress, secret: string | null, means: SshMeans) {
    this.#address = address;
    this.#secret = secret;
    this.#means = means;
  }

  async ask(question: GitQuestion): Promise<AsyncIterable<Uint8Array>> {
    const { service, headers, body, maxBytes, greetingBytes, signal } = question;
    const version = headers['git-protocol'];
    const channel = await this.#run(typeof version === 'string' ? version : undefined, signal);
    const answer = this.#read(channel, greetingBytes + maxBytes, signal);
    const advertisement = await readAdvertisement(answer, greetingBytes);
    if (advertisement === undefined) {
      channel.destroy();
      throw new SourceFault(
        'not_found',
        'The server shows no repository at this path to this key. Check the path, and what the key may read.',
      );
    }
    if (service === 'references') {
      channel.end(flush);
      return once(Buffer.concat([serviceLine, advertisement]));
    }
    channel.end(body);
    return answer;
  }

  close(): void {
    this.#opened?.destroy();
  }

  async #run(version: string | undefined, signal: AbortSignal): Promise<ClientChannel> {
    const command = `git-upload-pack '${this.#address.path.replaceAll("'", String.raw`'\''`)}'`;
    const env = version === undefined ? {} : { env: { GIT_PROTOCOL: version } };
    this.#client ??= this.#connect(signal);
    const client = await this.#client;
    return new Promise((resolve, reject) => {
      client.exec(command, env, (error, channel) => {
        if (error === undefined) resolve(channel);
        else reject(new SourceFault('network', 'The server starts no program for git. It is asked again later.'));
      });
    });
  }

  async #connect(signal: AbortSignal): Promise<Client> {
    const { host, port, username, hostKey } = this.#address;
    const socket = await dial(host, port, { ...this.#means, signal });
    const client = new ssh2.Client();
    this.#opened = client;
    let shown: Buffer | undefined;
    const configuration: ConnectConfig = {
      sock: socket,
      username,
      readyTimeout,
      ...signInWith(this.#secret),
      ...(hostKey === undefined ? {} : { algorithms: { serverHostKey: algorithmsOf(hostKey.type) } }),
      hostVerifier: (key: Buffer) => {
        shown = key;
        return hostKey !== undefined && key.equals(hostKey.key);
      },
    };
    const abort = (): void => void client.destroy();
    signal.addEventListener('abort', abort, { once: true });
    client.once('close', () => (this.#client = undefined));
    try {
      return await new Promise<Client>((resolve, reject) => {
        client.once('ready', () => resolve(client));
        client.on('error', reject);
        client.once('close', () => reject(new Error('The connection was closed.')));
        client.connect(configuration);
      });
    } catch (error) {
      client.destroy();
      socket.destroy();
      this.#client = undefined;
      signal.throwIfAborted();
      throw this.#explain(error as Error & { readonly level?: string }, shown);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  #explain(error: Error & { readonly level?: string }, shown: Buffer | undefined): SourceFault {
    const { hostKey } = this.#address;
    if (shown !== undefined && hostKey?.key.equals(shown) !== true) {
      const remedy = 'Compare it with the one that its owner makes known, and give that one as host_key.';
      const which =
        hostKey === undefined ? 'The server shows the key' : 'The server shows another key than the given one:';
      return new SourceFault('auth', `${which} "${writeHostKey(shown)}". ${remedy}`);
    }
    if (error.level === 'client-authentication')
      return new SourceFault(
        'auth',
        'The server does not accept the user name and the key. Give a key that may read the repository.',
      );
    if (/privateKey/.test(error.message))
      return new SourceFault(
        'auth',
        'The private key is not readable. Give it in the form of OpenSSH, without a passphrase.',
      );
    if (/no matching host key/i.test(error.message))
      return new SourceFault('auth', 'The server has no key of the given type. Give another of its keys as host_key.');
    return new SourceFault('network', 'The connection to the server failed. It is tried again later.', {
      cause: error,
    });
  }

  /** What the program at the other end says, within bounds. */
  async *#read(channel: ClientChannel, maxBytes: number, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    channel.stderr.resume();
    const pieces = channel[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    let stop: (reason: unknown) => void = () => undefined;
    const stopped = new Promise<never>((_, reject) => (stop = reject));
    stopped.catch(() => undefined);
    const abort = (): void => stop(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    let bytes = 0;
    try {
      signal.throwIfAborted();
      for (;;) {
        const timer = setTimeout(() => stop(tooSlow()), this.#means.idleTime);
        const piece = await Promise.race([pieces.next(), stopped]).finally(() => clearTimeout(timer));
        if (piece.done === true) return;
        bytes += piece.value.length;
        if (bytes > maxBytes) throw new BodyTooLarge();
        yield piece.value;
      }
    } finally {
      signal.removeEventListener('abort', abort);
      channel.on('error', () => undefined).destroy();
    }
  }
}

const tooSlow = (): SourceFault =>
  new SourceFault('network', 'The source sends its answer too slowly. It is asked again later.');

function signInWith(secret: string | null): ConnectConfig {
  if (secret === null) return {};
  return secret.includes('-----BEGIN ') ? { privateKey: secret } : { password: secret };
}

function algorithmsOf(type: string): ServerHostKeyAlgorithm[] {
  return type === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [type as ServerHostKeyAlgorithm];
}

/** As it is given in the settings. */
function writeHostKey(key: Buffer): string {
  const length = key.length < 4 ? 0 : Math.min(key.readUInt32BE(0), 40);
  const type = key.toString('latin1', 4, 4 + length).replaceAll(/[^\w.@-]/g, '?');
  return `${type} ${key.subarray(0, 2000).toString('base64')}`;
}

async function* once(piece: Uint8Array): AsyncGenerator<Uint8Array> {
  yield piece;
}
