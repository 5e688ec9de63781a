import type { SearchKeeper } from '../../lib/indexing/search-keeper.js';

/** From now on the next analysis waits until it is released. @param search a keeper, or their prototype */
export function holdFirstAnalysis(search: SearchKeeper): () => void {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const { analyze } = search;
  search.analyze = async function (this: SearchKeeper, ...given) {
    search.analyze = analyze;
    await released;
    return analyze.apply(this, given);
  };
  return release;
}
