import { writeFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findFolder } from '../../lib/view/locate.js';
import { tellFacts } from '../support/processes/event-loop.js';
import { keepLog } from '../support/http/log.js';
import { openTestServer } from '../support/http/server.js';
import { TestMirror } from '../support/store/test-mirror.js';

/** The facts for the tests. */
export interface LargeFacts {
  readonly port: number;
  /** An approver of everything, who has written nothing. */
  readonly key: string;
  readonly principalId: string;
  /** Who wrote the documents, twice. */
  readonly writerId: string;
  /** When the second versions were written. RFC 3339. */
  readonly rewrittenAt: string;
}

/*
 * A service on disk with a folder of many documents, each with two versions. The source that wrote them is gone.
 * Parameters: how many, and a folder outside that connectors may read.
 */
const [count = '', outside = ''] = process.argv.slice(2);
const server = await openTestServer({
  store: 'disk-without-git',
  connectors: { allowance: { hosts: [], folders: [outside], programs: {} }, log: keepLog([]) },
  server: { validateResponses: false },
});
const { host } = server;
const mirror = await TestMirror.open(host.workspace, 'many');
const texts = (version: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: Number(count) }, (_, index) => [`${index}.md`, `${version} ${index}\n`]));
await mirror.sync({ written: texts(1) });
host.clock.advance(60_000);
const rewrittenAt = new Date(host.clock.now()).toISOString();
await mirror.sync({ written: texts(2) });
host.clock.advance(60_000);
await host.workspace.journal.write({
  run: ({ tables }) => {
    const found = findFolder(tables, mirror.folder);
    if (found !== undefined) tables.folders.setMirror(found.row.number, null);
    tables.connectors.disconnect(mirror.caller.principalId);
  },
});
await mkdir(join(outside, 'source'));
for (let index = 0; index < Number(count); index += 1) await writeFile(join(outside, 'source', `${index}.md`), 'one\n');
const { id, key } = await host.person('approver');
await host.service.startSchedules();
tellFacts({
  port: server.rest.port,
  key,
  principalId: id,
  writerId: mirror.caller.principalId,
  rewrittenAt,
} satisfies LargeFacts);
