import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tellFacts } from './event-loop.js';

/*
 * Keeps its event loop for as long as the request says. `/work?ms=80` computes, and all other requests wait for the
 * end. `/sleep?ms=80` does nothing, like a process that the machine does not run.
 */
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://self.invalid');
  const milliseconds = Number(searchParams.get('ms'));
  if (pathname === '/sleep') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
  else {
    const begun = process.cpuUsage();
    for (let used = 0; used < milliseconds * 1000;) {
      const { user, system } = process.cpuUsage(begun);
      used = user + system;
    }
  }
  response.end();
});
server.listen(0, '127.0.0.1', () => {
  tellFacts({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
