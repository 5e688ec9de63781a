import { ServerResponse } from 'node:http';
import { makeSystemRandomness } from '../../lib/app/real-world.js';
import { Service } from '../../lib/app/service.js';
import { startServer } from '../../lib/api/rest/server.js';
import { noLog } from '../support/http/log.js';
import { TestClock } from '../support/store/service.js';

/**
 * A server that does its work and dies before its answers. When that many POSTs are about to be answered, all of them
 * committed, it kills itself like `kill -9`. Usage: serve-mute.js <data folder> <POSTs>
 */
const [, , dataFolder = '', count = '1'] = process.argv;

let held = 0;
const { end } = ServerResponse.prototype;
ServerResponse.prototype.end = function (this: ServerResponse, ...rest: unknown[]) {
  if (this.req.method !== 'POST') return Reflect.apply(end, this, rest) as ServerResponse;
  held += 1;
  if (held === Number(count)) process.kill(process.pid, 'SIGKILL');
  return this;
} as typeof end;

const service = await Service.open({
  dataFolder,
  git: 'never',
  clock: new TestClock(),
  randomness: makeSystemRandomness(),
  onFault: () => undefined,
});
const { port } = await startServer(service, {
  host: '127.0.0.1',
  port: 0,
  build: { version: '0.0.0', commit: null },
  log: noLog,
  trustProxy: 0,
  corsOrigins: [],
  validateResponses: false,
});
console.log(port);
