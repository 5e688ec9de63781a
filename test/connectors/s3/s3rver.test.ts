import { s3Kind } from '../../../lib/connectors/s3/s3-kind.js';
import { BucketClient } from '../../support/stored/bucket-client.js';
import { s3rverKey, ServedByS3rver } from '../../support/stored/serve-with-s3rver.js';
import type { Remote } from '../remote.js';
import { describeKind } from '../suite.js';

async function serveWithS3rver(directory: string): Promise<Remote> {
  const server = await ServedByS3rver.start(directory);
  const { host } = server;
  const client = new BucketClient(`http://${host}/team`, s3rverKey);
  return {
    settings: { endpoint: `http://${host}`, bucket: 'team', prefix: 'handbook', access_key_id: s3rverKey.accessKeyId },
    secret: s3rverKey.secretAccessKey,
    allowance: { hosts: [host] },
    put: (path, content) => client.put(`handbook/${path}`, content),
    remove: (path) => client.remove(`handbook/${path}`),
    move: (from, to) => client.move(`handbook/${from}`, `handbook/${to}`),
    publish: () => Promise.resolve(),
    vanish: () => server.stop(),
    close: () => server.stop(),
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
