import { chmodSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { CommandDependencies, CommandLine, CommandRequest, ServerFacts } from '../command.js';
import { runCommand } from './run-command.js';
import { readContent } from './sent-content.js';
import { prepareSocketPath, removeSocket } from './socket-path.js';

export interface ListenOptions {
  readonly dataFolder: string;
  readonly host: CommandDependencies;
  readonly server: ServerFacts;
  readonly onFault: (what: string, cause: unknown) => void;
}

export interface CommandListener {
  /** Takes no more commands, stops the running ones at their next step, and removes the socket. */
  close(): Promise<void>;
}

/** The longest request. Bytes. */
const maxRequestLength = 1024 * 1024;

/**
 * Takes commands on a Unix socket, open to the owner of the data folder only (mode 0600). A connection carries one
 * request, a line of JSON, behind which content may follow. It gets back lines of JSON: the progress, any number of
 * times, and then the result or the error.
 */
export async function listenForCommands(options: ListenOptions): Promise<CommandListener> {
  const path = prepareSocketPath(options.dataFolder);
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  const server = createServer((socket) => {
    const answered = answer(socket, options, closing.signal).catch((error: unknown) => {
      options.onFault('A command could not be answered', error);
      socket.destroy();
    });
    running.add(answered);
    void answered.finally(() => running.delete(answered));
  });
  await listenAt(server, path);
  return {
    async close() {
      closing.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      await Promise.all(running);
      await closed;
      removeSocket(options.dataFolder);
    },
  };
}

/**
 * The socket is closed to other accounts from its first moment, because binding takes the mask of that moment. Other
 * threads of this process make files meanwhile, and theirs may be closed to others, too.
 */
async function listenAt(server: Server, path: string): Promise<void> {
  const mask = process.umask(0o077);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, () => {
        server.off('error', reject);
        resolve();
      });
      process.umask(mask);
    });
  } finally {
    process.umask(mask);
  }
  chmodSync(path, 0o600);
}

async function answer(socket: Socket, options: ListenOptions, closing: AbortSignal): Promise<void> {
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  socket.on('error', () => gone.abort());
  const { request, rest } = await readRequest(socket);
  if (request === undefined) {
    socket.destroy();
    return;
  }
  const signal = AbortSignal.any([gone.signal, closing]);
  const line = await runCommand(request, {
    host: options.host,
    server: options.server,
    address: options.server.url,
    onFault: options.onFault,
    signal,
    content: request.hasContent === true ? readContent(socket, rest, gone, signal) : undefined,
    onProgress: (progress) => write(socket, { progress }),
  });
  await write(socket, line);
  // Content that was not taken is dropped. Without that, the end of the connection would never be seen.
  socket.end().resume();
}

/** Writes a line; waits while the other side does not read. */
async function write(socket: Socket, line: CommandLine): Promise<void> {
  if (socket.destroyed || socket.write(`${JSON.stringify(line)}\n`)) return;
  await new Promise<void>((resolve) => {
    const go = (): void => {
      socket.off('drain', go).off('close', go);
      resolve();
    };
    socket.once('drain', go).once('close', go);
  });
}

/** What a connection begins with. */
interface Beginning {
  /** The first line; undefined when it is no request. */
  readonly request: CommandRequest | undefined;
  /** The content that came with it. */
  readonly rest: string;
}

/** Content behind the request stays in the socket until it is asked for. */
function readRequest(socket: Socket): Promise<Beginning> {
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('utf8');
    const read = (piece: string): void => {
      text += piece;
      const end = text.indexOf('\n');
      if (end >= 0) finish(parseRequest(text.slice(0, end)), text.slice(end + 1));
      else if (text.length > maxRequestLength) finish(undefined);
    };
    const finish = (request: CommandRequest | undefined, rest = ''): void => {
      socket.off('data', read);
      if (request?.hasContent === true) socket.pause();
      else socket.resume();
      resolve({ request, rest });
    };
    socket.on('data', read);
    socket.once('end', () => finish(undefined)).once('close', () => finish(undefined));
  });
}

function parseRequest(line: string): CommandRequest | undefined {
  let request: Partial<CommandRequest> | null;
  try {
    request = JSON.parse(line) as Partial<CommandRequest> | null;
  } catch {
    return undefined;
  }
  const { command, workspace, fields, hasContent } = request ?? {};
  if (typeof command !== 'string' || typeof fields !== 'object' || fields === null) return undefined;
  if (workspace !== undefined && typeof workspace !== 'string') return undefined;
  return { command, workspace, fields, hasContent: hasContent === true };
}
