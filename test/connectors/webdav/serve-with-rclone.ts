import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Remote } from '../remote.js';

const username = 'reader';
const password = 'open sésame:1';

/** A folder of this machine behind rclone's WebDAV server, which stops after the test. */
export async function serveWithRclone(folder: string): Promise<Remote> {
  const { server, url } = await start(folder);
  const at = (path: string): string => join(folder, path);
  const prepare = (path: string): Promise<unknown> => mkdir(dirname(at(path)), { recursive: true });
  const stop = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  };
  return {
    settings: { url, username },
    secret: password,
    allowance: { hosts: [new URL(url).host] },
    async put(path, content) {
      await prepare(path);
      await writeFile(at(path), content);
    },
    remove: (path) => rm(at(path)),
    async move(from, to) {
      await prepare(to);
      await rename(at(from), at(to));
    },
    publish: () => Promise.resolve(),
    vanish: stop,
    close: stop,
  };
}

async function start(folder: string): Promise<{ server: ChildProcess; url: string }> {
  const options = ['--addr', '127.0.0.1:0', '--user', username, '--pass', password, '--dir-cache-time', '0s'];
  const server = spawn('rclone', ['serve', 'webdav', folder, ...options, '--config', '/dev/null', '-v'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`rclone ended: ${said}`)));
    server.stderr.on('data', (text: Buffer) => {
      said += String(text);
      const found = /http:\/\/127\.0\.0\.1:[0-9]+\//.exec(said)?.[0];
      if (found !== undefined) resolve(found);
    });
  });
  return { server, url };
}
