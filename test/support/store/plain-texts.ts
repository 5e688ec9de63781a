import { defaultPolicy } from '../../../lib/domain/policy.js';
import { Extractor } from '../../../lib/extraction/extractor.js';
import { FileTexts } from '../../../lib/indexing/file-texts.js';
import { systemTimers } from '../../../lib/scheduling/timers.js';
import { IndexedTexts } from '../../../lib/indexing/indexed-texts.js';

/** The texts of an index without files. */
export function plainTexts(readBlob: (oid: string) => Promise<Buffer>): IndexedTexts {
  const onFault = (): void => undefined;
  const files = new FileTexts({
    folder: null,
    extractor: new Extractor({ processes: 0 }),
    workspace: 'acme',
    readBlob,
    policy: () => defaultPolicy,
    currentOf: () => undefined,
    blobOf: () => undefined,
    onMade: () => undefined,
    onFault,
    timers: systemTimers,
  });
  return new IndexedTexts({ readBlob, files, currentOf: () => undefined, onFault });
}
