import { apiOf, dataOf } from '../../api/client.ts';
import type { components } from '../../api/described.d.ts';
import { asProblem, type Problem } from '../../api/problem.ts';
import { formatExact } from '../../design/time.tsx';

/** A change of one subject's access, as the service reports it. */
export type AccessChange = components['schemas']['AccessChange'];

/** A document or folder to move. */
export interface Movable {
  readonly location: string;
  readonly type: 'folder' | 'document';
}

/** A rename in place, or a move to another folder. */
export type Relocation =
  | { readonly type: 'move'; readonly location: string; readonly toFolder: string }
  | { readonly type: 'rename'; readonly location: string; readonly name: string };

/** Who gains and who loses, and the digest that acknowledges exactly this. */
export interface AccessReport {
  readonly gains: readonly AccessChange[];
  readonly losses: readonly AccessChange[];
  readonly digest: string;
  /** Whether it differs from the one that was acknowledged. */
  readonly hasChanged: boolean;
}

/** What came of one relocation. */
export type Outcome =
  | { readonly state: 'done'; readonly to: string; readonly losses: readonly AccessChange[] }
  | { readonly state: 'widens'; readonly report: AccessReport }
  | { readonly state: 'refused'; readonly problem: Problem };

/**
 * Does it, if no one gains access by it.
 * @param key the same for each try of the same thing
 * @param acknowledged the digest of the report that the person agreed to
 */
export async function relocate(
  workspace: string,
  relocation: Relocation,
  key: string,
  acknowledged?: string,
): Promise<Outcome> {
  const agreed = acknowledged === undefined ? {} : { acknowledge_access_change: true, access_report: acknowledged };
  const params = { header: { 'Idempotency-Key': key } };
  const api = apiOf(workspace);
  try {
    const { location } = relocation;
    const { to, losses } = await dataOf(
      relocation.type === 'move'
        ? api.POST('/moves', { params, body: { location, to_folder: relocation.toFolder, ...agreed } })
        : api.POST('/renames', { params, body: { location, name: relocation.name, ...agreed } }),
    );
    return { state: 'done', to, losses };
  } catch (error) {
    const problem = asProblem(error);
    const report = reportOf(problem);
    return report === undefined ? { state: 'refused', problem } : { state: 'widens', report };
  }
}

/** Why it was refused, in a sentence for a person. */
export function sentenceOf(problem: Problem): string {
  const { claim } = claimOf(problem);
  if (claim === undefined) return problem.sentence;
  return `${claim.holder.display_name} has claimed this until ${formatExact(claim.expires_at)}. Wait for that, or ask them.`;
}

function claimOf({ reason, details }: Problem): { readonly claim?: components['schemas']['ClaimedDetails'] } {
  return reason === 'claimed' ? { claim: details as unknown as components['schemas']['ClaimedDetails'] } : {};
}

function reportOf({ reason, details }: Problem): AccessReport | undefined {
  if (reason !== 'access_would_widen' && reason !== 'access_report_changed') return undefined;
  const { gains, losses, report } = details as unknown as {
    readonly gains: readonly AccessChange[];
    readonly losses: readonly AccessChange[];
    readonly report: string;
  };
  return { gains, losses, digest: report, hasChanged: reason === 'access_report_changed' };
}

/** The same report for another thing: then one agreement is enough for both. */
export function likenessOf({ gains, losses }: AccessReport): string {
  return JSON.stringify([gains, losses]);
}
