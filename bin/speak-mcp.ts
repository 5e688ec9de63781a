import type { Command } from 'commander';
import { ConfigError } from '../lib/config.js';
import { findClientSettings } from '../lib/config/environment.js';
import { addCommand, readConfig, type CalledWith } from './options.js';

/** Maximum of milliseconds between a signal and the process's end. */
const stopTimeout = 9500;

/** mcp: the tools for an agent that starts programs instead of calling an address. */
export function addMcpCommand(program: Command): void {
  const speaking = addCommand(program, {
    words: 'mcp',
    description:
      'Speak MCP over standard input and output, with the key in CARTULARY_KEY. It uses the server at CARTULARY_URL, or the one that runs on the data folder. If none runs, it serves the folder itself while it lasts, also to others on this machine.',
    example: 'cartulary mcp --data /srv/cartulary',
  }).option('--url <url>', 'the address of a server (default: CARTULARY_URL, or the data folder)');
  speaking.action(() => speak(speaking.opts<CalledWith>()));
}

async function speak(options: CalledWith): Promise<void> {
  const { key, url } = findClientSettings();
  if (key === undefined) throw new ConfigError('Set the environment variable CARTULARY_KEY to a key minted for MCP.');
  const named = options['url'] ?? url;
  const config = readConfig({ ...options, url: undefined, logLevel: options['logLevel'] ?? 'error' });
  const [{ bridgeStreams }, { ClientService }] = await Promise.all([
    import('../lib/mcp/bridge.js'),
    import('./find-service.js'),
  ]);
  const service = new ClientService(config, typeof named === 'string' ? named : undefined);
  const stopping = new AbortController();
  // A client ends this process by closing its input, and sends a signal if it stays.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.once(signal, () => {
      setTimeout(() => process.exit(1), stopTimeout).unref();
      stopping.abort();
    });
  }
  await service.find();
  try {
    await bridgeStreams(process.stdin, process.stdout, service.deliverWith(key), stopping.signal);
  } finally {
    await service.close();
  }
}
