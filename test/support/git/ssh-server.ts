import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const sshd = '/usr/sbin/sshd';
const run = promisify(execFile);

/** Whether this machine has OpenSSH's server. */
export const hasSshServer = existsSync(sshd);

/** OpenSSH's own server on loopback, with one user: whoever runs the tests. It runs one process for each connection. */
export class SshServer {
  readonly #server: Server;
  readonly #children = new Set<ChildProcess>();
  readonly #sockets = new Set<Socket>();
  /** Private keys: one that may sign in, and one that may not. */
  readonly key: string;
  readonly strangersKey: string;
  /** `type key`, as the setting has it. */
  readonly hostKey: string;
  readonly username = userInfo().username;

  private constructor(folder: string, configuration: string) {
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
    this.key = read('user');
    this.strangersKey = read('stranger');
    this.hostKey = read('host.pub');
    // sshd would look for its own host keys otherwise, and says nothing about a mistake in its configuration.
    this.#server = createServer({ pauseOnConnect: true }, (socket) => {
      const child = spawn(sshd, ['-i', '-f', configuration], { stdio: [socket, socket, 'ignore'] });
      this.#children.add(child);
      this.#sockets.add(socket);
      child.on('close', () => {
        this.#children.delete(child);
        socket.destroy();
      });
    });
  }

  /**
   * @param folder an empty one, for its keys
   * @param passesVersion whether clients may choose the version of git's protocol, as large hosts let them
   * @param command runs in place of what a client asks for
   */
  static async open(folder: string, passesVersion = true, command?: string): Promise<SshServer> {
    for (const name of ['host', 'user', 'stranger'])
      await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', join(folder, name)]);
    const configuration = join(folder, 'sshd_config');
    const lines = [
      `HostKey ${join(folder, 'host')}`,
      `AuthorizedKeysFile ${join(folder, 'user.pub')}`,
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin prohibit-password',
      'StrictModes no',
      'UsePAM no',
      'PidFile none',
      // The login of this machine's user may do anything, and take its time.
      `SetEnv HOME=${folder}`,
      ...(passesVersion ? ['AcceptEnv GIT_PROTOCOL'] : []),
      ...(command === undefined ? [] : [`ForceCommand ${command}`]),
    ];
    writeFileSync(configuration, `${lines.join('\n')}\n`);
    // As root, sshd needs this folder for its unprivileged half.
    if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
    const server = new SshServer(folder, configuration);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** `host:port`, as `connector_hosts` has it. */
  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** The address of a repository. */
  url(path: string): string {
    return `ssh://${this.username}@${this.host}${path}`;
  }

  async close(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
