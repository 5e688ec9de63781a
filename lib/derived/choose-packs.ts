/** Packs up to which none are joined: each costs a look-up of every object. */
const many = 40;

/**
 * Chooses the packs to join when there are many. Those that stay are each twice as large as all behind them, so an
 * object is copied again only a few times, however often a repository grows.
 * @param sizes bytes, from the first pack to the last
 * @returns how many stay, from the first on; all of them when there are few
 */
export function choosePacks(sizes: readonly number[]): number {
  if (sizes.length <= many) return sizes.length;
  let kept = 0;
  let behind = sizes.reduce((sum, bytes) => sum + bytes, 0);
  for (const bytes of sizes) {
    behind -= bytes;
    if (bytes < 2 * behind) break;
    kept += 1;
  }
  // One pack alone has nothing to be joined with.
  return kept >= sizes.length - 1 ? sizes.length - 2 : kept;
}
