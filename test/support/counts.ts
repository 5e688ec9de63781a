import assert from 'node:assert/strict';

const isCampaign = process.env['TEST_CAMPAIGN'] === '1';

/**
 * How many random cases, histories or kills a test goes through: few in `npm test`, many in `npm run test:campaign`.
 * The environment can set each count by itself: `TEST_ACCESS_HISTORIES=500 npm test --
 * dist/test/access/agreement.test.js`.
 * @param name the variable without `TEST_`
 */
export function countOf(
  name: string,
  { usual, campaign }: { readonly usual: number; readonly campaign: number },
): number {
  const set = process.env[`TEST_${name}`];
  const count = set === undefined ? (isCampaign ? campaign : usual) : Number(set);
  if (!Number.isSafeInteger(count) || count < 1) throw new Error(`TEST_${name} is no count: ${set}`);
  return count;
}

/** The seed of random cases: `TEST_SEED`, drawn and printed by a campaign, or else the usual one. */
export function seedOf(usual: number): number {
  const set = process.env['TEST_SEED'];
  const seed = set === undefined ? usual : Number(set);
  if (!Number.isSafeInteger(seed)) throw new Error(`TEST_SEED is no seed: ${set}`);
  return seed;
}

/** The least number of times for an outcome in `count` cases, where it happens `often` times in `of` cases. */
export function leastOf(count: number, often: number, of: number): number {
  return Math.max(1, Math.floor((often * count) / of));
}

/**
 * Requires that a comparison compared something: each of the `names` occurred in `enough` cases or more. Fewer cases
 * show at least half of them.
 */
export function requireSeen(
  names: readonly string[],
  seen: { has(name: string): boolean },
  { count, enough }: { readonly count: number; readonly enough: number },
): void {
  const missing = names.filter((name) => !seen.has(name));
  const allowed = count < enough ? Math.floor(names.length / 2) : 0;
  assert.ok(missing.length <= allowed, `never happened: ${missing.join(', ')}`);
}
