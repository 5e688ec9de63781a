import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { icon, iconPath } from '../../lib/signin/pages/icon.js';
import { pageHeaders } from '../../lib/signin/pages/render-page.js';
import { stylesheet, stylesheetPath } from '../../lib/signin/pages/stylesheet.js';
import { samplePages } from './sample-pages.js';

export interface SampleServer {
  readonly names: readonly string[];
  addressOf(name: string): string;
  close(): Promise<void>;
}

/** Serves the sample pages as the service serves its own, except that none goes on by itself. */
export async function serveSamples(): Promise<SampleServer> {
  const pages = samplePages();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const page = pages[path.slice(1)]?.replace(/<meta http-equiv="refresh"[^>]*>/, '');
    const [type, text] =
      path === stylesheetPath ? ['text/css', stylesheet] : path === iconPath ? ['image/svg+xml', icon] : ['', page];
    for (const [name, value] of Object.entries(pageHeaders())) response.setHeader(name, value);
    if (type !== undefined && type !== '') response.setHeader('Content-Type', type);
    response.statusCode = text === undefined ? 404 : 200;
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    names: Object.keys(pages),
    addressOf: (name) => `http://127.0.0.1:${port}/${name}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
