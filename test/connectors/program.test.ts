import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { makeProgramKind } from '../../lib/connectors/program/program-kind.js';
import { Feed } from './feed.js';
import { describeKind } from './suite.js';

/** The folder of the manual's examples. */
const examples = fileURLToPath(new URL('../../../lib/docs/examples', import.meta.url));

describeKind(
  'program, by the example for a feed',
  async () => {
    const feed = new Feed();
    const url = await feed.listen();
    let isThere = true;
    const vanish = async (): Promise<void> => {
      if (isThere) await feed.close();
      isThere = false;
    };
    return {
      settings: { program: 'feed', settings: { feed: url } },
      secret: feed.token,
      allowance: { programs: { feed: [process.execPath, join(examples, 'mirror-feed.mjs')] } },
      put: (path, content) => Promise.resolve(feed.put(path, content)),
      remove: (path) => Promise.resolve(feed.remove(path)),
      move: (from, to) => Promise.resolve(feed.move(from, to)),
      publish: () => Promise.resolve(),
      vanish,
      close: vanish,
    };
  },
  {
    kind: makeProgramKind(),
    probes: true,
    keepsIds: false,
    keepsVersions: false,
    wrongSecrets: ['another-token', null],
    goneAs: ['network'],
  },
);
