import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tellFacts } from './event-loop.js';

/*
 * Keeps its event loop for as long as it is asked to: `/work?ms=80` by computing, of which everybody else waits for the
 * end; `/sleep?ms=80` by doing nothing, as a process does that the machine does not let run.
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
