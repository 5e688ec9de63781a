import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SourceFault } from '../../../lib/connectors/source.js';
import { describeMirror } from '../mirror-suite.js';
import type { Remote, Traits } from '../remote.js';
import { ScriptedSource } from './scripted-source.js';

for (const listsChanges of [false, true]) {
  for (const keepsIds of [false, true]) {
    const lists = listsChanges ? 'its changes' : 'everything';
    describe(`a source that lists ${lists}, with${keepsIds ? '' : 'out'} ids of files`, function () {
      this.timeout(60_000);
      let cacheFolder: string;
      let source: ScriptedSource;
      let remote: Remote;
      const traits = { probes: true, keepsIds, keepsVersions: false, goneAs: ['network'] } as const;

      beforeEach(async () => {
        cacheFolder = await mkdtemp(join(tmpdir(), 'cartulary-scripted-'));
        source = new ScriptedSource();
        source.listsChanges = listsChanges;
        remote = asRemote(source, keepsIds);
      });
      afterEach(() => rm(cacheFolder, { recursive: true, force: true }));

      describeMirror({ ...traits, kind: kindOf(() => source) }, () => ({ remote, cacheFolder }));
    });
  }
}

/** The kind is known before there is a source. */
function kindOf(source: () => ScriptedSource): Traits['kind'] {
  return { ...new ScriptedSource().kind, open: (...given) => source().kind.open(...given) };
}

function asRemote(source: ScriptedSource, keepsIds: boolean): Remote {
  let files = 0;
  return {
    settings: {},
    secret: null,
    allowance: {},
    put(path, content) {
      const id = source.files.get(path)?.id ?? `file ${(files += 1)}`;
      source.put(path, content, keepsIds ? id : undefined);
      return Promise.resolve();
    },
    remove: (path) => Promise.resolve(source.remove(path)),
    move: (from, to) => Promise.resolve(source.move(from, to)),
    publish: () => Promise.resolve(),
    vanish() {
      source.before = () => {
        throw new SourceFault('network', 'The source does not answer.');
      };
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}
