import type { Connection } from './driver.js';

const connections = new WeakMap<object, Connection>();

/** For this folder alone. */
export function rememberConnection(scratch: object, connection: Connection): void {
  connections.set(scratch, connection);
}

/** For this folder alone. @throws Error when it is no scratch */
export function connectionOf(scratch: object): Connection {
  const connection = connections.get(scratch);
  if (connection === undefined) throw new Error('The scratch database was not opened by this process.');
  return connection;
}
