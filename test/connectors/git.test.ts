import { gitKind } from '../../lib/connectors/git/git-kind.js';
import { GitServer } from '../support/git/git-server.js';
import { makeUpstream, type UpstreamContent } from '../support/git/upstream.js';
import type { Remote } from './remote.js';
import { describeKind } from './suite.js';

const username = 'ada';
const password = 'correct horse: "battery"';

/** A repository behind git's own HTTP server, which asks for a password. */
async function makeRepository(folder: string): Promise<Remote> {
  const upstream = makeUpstream(folder, 'notes.git');
  const server = await GitServer.open(folder, { credentials: { username, password } });
  const files = new Map<string, Buffer>();
  const changes = new Map<string, UpstreamContent>();
  const put = (path: string, content: Buffer): void => {
    files.set(path, content);
    changes.set(path, content);
  };
  const remove = (path: string): void => {
    files.delete(path);
    changes.set(path, null);
  };
  return {
    settings: { url: server.url('notes.git'), username },
    secret: password,
    allowance: { hosts: [server.host] },
    put: (path, content) => Promise.resolve(put(path, content)),
    remove: (path) => Promise.resolve(remove(path)),
    move(from, to) {
      put(to, files.get(from) ?? Buffer.alloc(0));
      return Promise.resolve(remove(from));
    },
    async publish() {
      // A deleted file can make room for a folder of its name, so it goes first.
      const sorted = [...changes].sort(([, a], [, b]) => Number(a !== null) - Number(b !== null));
      await upstream.commit(Object.fromEntries(sorted));
      changes.clear();
    },
    vanish: () => server.close(),
    close: () => server.close(),
  };
}

describeKind('git', makeRepository, {
  kind: gitKind,
  probes: true,
  keepsIds: false,
  keepsVersions: true,
  wrongSecrets: [null, 'wrong horse'],
  goneAs: ['network'],
});
