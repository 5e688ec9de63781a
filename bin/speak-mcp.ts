import type { Command } from 'commander';
import { DataFolderInUse, makeLog, openService, urlOf } from '../lib/app.js';
import { ConfigError, findClientSettings, readBuild, type Config } from '../lib/config.js';
import { bridgeStreams, type Deliver } from '../lib/mcp/bridge.js';
import { sendCommand } from '../lib/socket/send-command.js';
import { NotedLater } from '../lib/workspace/note-later.js';
import { addCommand, readConfig, type CalledWith } from './options.js';

/** mcp: the tools for an agent that starts programs instead of calling an address. */
export function addMcpCommand(program: Command): void {
  const speaking = addCommand(program, {
    words: 'mcp',
    description:
      'Speak MCP over standard input and output, as whoever the key in CARTULARY_KEY belongs to: with the server at CARTULARY_URL, with the one that runs on the data folder, or, where none runs, with the folder itself.',
    example: 'cartulary mcp --data repos',
  }).option('--url <url>', 'the address of a server (default: CARTULARY_URL, or the data folder)');
  speaking.action(() => speak(speaking.opts<CalledWith>()));
}

async function speak(options: CalledWith): Promise<void> {
  const { key, url } = findClientSettings();
  if (key === undefined) throw new ConfigError('Set the environment variable CARTULARY_KEY to a key minted for MCP.');
  const named = options['url'] ?? url;
  const address = typeof named === 'string' ? named : undefined;
  const config = readConfig({ ...options, url: undefined, logLevel: options['logLevel'] ?? 'error' });
  const running = address ?? (await findServer(config));
  if (running !== undefined) {
    await bridgeStreams(process.stdin, process.stdout, deliverTo(running, key));
    return;
  }
  const local = await open(config, key);
  try {
    await bridgeStreams(process.stdin, process.stdout, local.deliver);
  } finally {
    await local.close();
  }
}

async function open(config: Config, key: string): ReturnType<typeof openLocalMcp> {
  try {
    return await openLocalMcp(config, key);
  } catch (error) {
    if (!(error instanceof DataFolderInUse)) throw error;
    throw new Error(`${error.message} Name its server with --url.`, { cause: error });
  }
}

/** The server that owns the data folder, if one runs. */
async function findServer(config: Config): Promise<string | undefined> {
  const answer = await sendCommand(config.data, { command: 'server', fields: {} }, async () => undefined);
  return answer !== undefined && 'result' in answer ? (answer.result as { readonly url: string }).url : undefined;
}

function deliverTo(url: string, key: string): Deliver {
  const address = `${url.replace(/\/$/, '')}/mcp`;
  return async (body, headers) => {
    const response = await fetch(address, { method: 'POST', headers: { ...mcpHeaders(key), ...headers }, body });
    return { status: response.status, body: await response.text() };
  };
}

/** MCP without a server: the service opened for one client on this machine. */
interface LocalMcp {
  /** Carries one message, as HTTP would. */
  readonly deliver: Deliver;
  close(): Promise<void>;
}

/**
 * Opens the data folder for a client that speaks MCP over standard input and output.
 * @param key what it is recognised by
 * @throws DataFolderInUse; Error when a file cannot be read
 */
async function openLocalMcp(config: Config, key: string): Promise<LocalMcp> {
  const log = makeLog(config.logLevel);
  const onFault = (what: string, cause: unknown): void => log.error({ err: cause }, what);
  const service = await openService(config, onFault);
  const { McpFace } = await import('../lib/mcp/face.js');
  const later = new NotedLater({
    clock: service.clock,
    find: (name) => service.find(name),
    names: () => service.names(),
    onFault,
  });
  await later.start();
  const { version } = readBuild();
  const publicUrl = config.publicUrl ?? urlOf(config.host, config.port);
  const face = new McpFace(service, { version, log, publicUrl, corsOrigins: [], later });
  return {
    async deliver(body, headers) {
      const sent = Object.entries({ ...mcpHeaders(key), ...headers });
      const bytes = Buffer.from(body);
      const request = {
        method: 'POST',
        headers: Object.fromEntries(sent.map(([name, value]) => [name.toLowerCase(), value])),
        address: 'local',
        readBody: async (most: number) => (bytes.length > most ? undefined : bytes),
      };
      return face.answer(request, face.makeRequestId());
    },
    async close() {
      await later.close();
      await service.close();
    },
  };
}

/** What every message to /mcp is sent with. */
function mcpHeaders(key: string): Record<string, string> {
  return {
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  };
}
