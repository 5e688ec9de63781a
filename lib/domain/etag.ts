/** A version id is the SHA of its commit: forty hex digits. */
const versionIdPattern = /^[0-9a-f]{40}$/;

export function isVersionId(text: string): boolean {
  return versionIdPattern.test(text);
}

/** The strong entity-tag of a version (RFC 9110 §8.8.3). */
export function formatEtag(versionId: string): string {
  return `"${versionId}"`;
}

/** The demand of If-Match or If-None-Match: any version, or one of these version ids. */
export type Precondition = { readonly any: true } | { readonly any: false; readonly versionIds: readonly string[] };

/** Whether the precondition allows acting on the current version. */
export function preconditionHolds(precondition: Precondition, currentVersionId: string): boolean {
  return precondition.any || precondition.versionIds.includes(currentVersionId);
}
