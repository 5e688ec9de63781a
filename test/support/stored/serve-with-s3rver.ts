import type { AddressInfo } from 'node:net';
import S3rver from 's3rver';

/** The only key that s3rver knows. It does not check signatures of version 4, so that every secret is right. */
export const s3rverKey = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

/** s3rver, which takes every request and keeps no condition. Its bucket is `team`. */
export class ServedByS3rver {
  readonly #server: S3rver;
  readonly host: string;
  #isOpen = true;

  private constructor(server: S3rver) {
    this.#server = server;
    this.host = `127.0.0.1:${(server.httpServer.address() as AddressInfo).port}`;
  }

  /** @param directory an empty folder */
  static async start(directory: string): Promise<ServedByS3rver> {
    const server = new S3rver({
      address: '127.0.0.1',
      port: 0,
      silent: true,
      directory,
      vhostBuckets: false,
      configureBuckets: [{ name: 'team' }],
    });
    await server.run();
    return new ServedByS3rver(server);
  }

  async stop(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#server.httpServer.closeAllConnections();
    await this.#server.close();
  }
}
