import { connect, type Socket } from 'node:net';
import { explainUnreadable } from '../../disk/explain-obstacle.js';
import { describeError } from '../../domain/describe-error.js';
import type { CommandError, CommandLine, CommandRequest, ServerFacts } from '../command.js';
import type { HealthReport } from '../operator/report-health.js';
import type { NamesReport } from '../operator/report-names.js';
import { findSocketPath } from './socket-path.js';

/** The outcome of a command: its result, or why it was not done. */
export type CommandAnswer = { readonly result: unknown } | { readonly error: CommandError };

/**
 * Sends a command to the server that owns the data folder.
 * @param onProgress gets the server's messages before the answer
 * @param content is sent behind the request
 * @returns undefined when no server listens there
 */
export async function sendCommand(
  dataFolder: string,
  request: CommandRequest,
  onProgress: (progress: unknown) => Promise<void>,
  content?: AsyncIterable<Uint8Array>,
): Promise<CommandAnswer | undefined> {
  const socket = await open(findSocketPath(dataFolder));
  if (socket === undefined) return undefined;
  socket.write(`${JSON.stringify({ ...request, hasContent: content !== undefined })}\n`);
  // A file that cannot be read to its end ends the connection, so that no part of it is taken for the whole.
  if (content !== undefined) {
    // Few commands have content, and each loads what it needs alone.
    const { sendContent } = await import('./sent-content.js');
    sendContent(socket, content).catch((error: unknown) => socket.destroy(error as Error));
  }
  let rest = '';
  try {
    for await (const piece of socket.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      for (const text of lines) {
        const line = JSON.parse(text) as CommandLine;
        if (!('progress' in line)) return line;
        await onProgress(line.progress);
      }
    }
  } catch (error) {
    return lost(describeError(error));
  } finally {
    socket.destroy();
  }
  return lost('it closed the connection');
}

/** The running server's facts about itself; undefined where none answers. */
export async function askServer(dataFolder: string): Promise<ServerFacts | undefined> {
  const answer = await sendCommand(dataFolder, { command: 'server', fields: {} }, async () => undefined).catch(
    () => undefined,
  );
  return answer !== undefined && 'result' in answer ? (answer.result as ServerFacts) : undefined;
}

/** The running server's word on its health; undefined where none answers. */
export async function askHealth(dataFolder: string): Promise<HealthReport | undefined> {
  const request = { command: 'health.report', fields: {} };
  const answer = await sendCommand(dataFolder, request, async () => undefined).catch(() => undefined);
  return answer !== undefined && 'result' in answer ? (answer.result as HealthReport) : undefined;
}

/** What the running server says about names; nothing where it is of a release that does not look. */
export async function askNames(dataFolder: string): Promise<readonly NamesReport[]> {
  const request = { command: 'names.report', fields: {} };
  const answer = await sendCommand(dataFolder, request, async () => undefined).catch(() => undefined);
  const said = answer !== undefined && 'result' in answer ? (answer.result as readonly (NamesReport | string)[]) : [];
  return said.filter((each) => typeof each === 'object');
}

function lost(reason: string): CommandAnswer {
  const message = `The server stopped answering: ${reason}. See its log, and try again.`;
  return { error: { code: 'UNAVAILABLE', message } };
}

/** The server belongs to another account, which alone may give it commands. */
function explainSocket(path: string): string {
  const { message, remedy } = explainUnreadable(path, '…');
  return `${message} ${remedy}`;
}

function open(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED' || error.code === 'ENOTSOCK') resolve(undefined);
      else reject(error.code === 'EACCES' || error.code === 'EPERM' ? new Error(explainSocket(path)) : error);
    });
  });
}
