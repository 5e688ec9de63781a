import type { AddressInfo } from 'node:net';
import S3rver from 's3rver';
import { s3Kind } from '../../../lib/connectors/s3/s3-kind.js';
import type { Remote } from '../remote.js';
import { describeKind } from '../suite.js';
import { BucketClient } from './bucket-client.js';

/** The only key that s3rver knows. */
const key = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

async function serveWithS3rver(directory: string): Promise<Remote> {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    vhostBuckets: false,
    configureBuckets: [{ name: 'team' }],
  });
  await server.run();
  const host = `127.0.0.1:${(server.httpServer.address() as AddressInfo).port}`;
  const client = new BucketClient(`http://${host}/team`, key);
  let isOpen = true;
  const stop = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    server.httpServer.closeAllConnections();
    await server.close();
  };
  return {
    settings: { endpoint: `http://${host}`, bucket: 'team', prefix: 'handbook', access_key_id: key.accessKeyId },
    secret: key.secretAccessKey,
    allowance: { hosts: [host] },
    put: (path, content) => client.put(`handbook/${path}`, content),
    remove: (path) => client.remove(`handbook/${path}`),
    move: (from, to) => client.move(`handbook/${from}`, `handbook/${to}`),
    publish: () => Promise.resolve(),
    vanish: stop,
    close: stop,
  };
}

/** s3rver does not check signatures of version 4, so that every secret is right. */
describeKind('s3, served by s3rver', serveWithS3rver, {
  kind: s3Kind,
  probes: false,
  keepsIds: false,
  keepsVersions: false,
  wrongSecrets: [null],
  goneAs: ['network'],
});
