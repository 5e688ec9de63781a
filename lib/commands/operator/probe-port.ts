import { createServer } from 'node:net';

/** Tries to listen on an address for a moment. @returns the system's code where that fails, such as `EADDRINUSE` */
export function probePort(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen(port, host, () => probe.close(() => resolve(undefined)));
  });
}
