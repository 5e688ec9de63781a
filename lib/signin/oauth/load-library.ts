import type * as library from 'oidc-provider';

/** What oidc-provider exports. */
export type OAuthLibrary = typeof library;

/**
 * Loads oidc-provider. What it prints while it is loaded is for those who develop with it (that it would like a newer
 * Node, foremost), and is told to the log instead.
 */
export async function loadLibrary(tell: (notice: string) => void): Promise<OAuthLibrary> {
  const printer = globalThis.console;
  const before = { ...printer };
  const listen = (notice: unknown): void => tell(String(notice).replace(/^oidc-provider [A-Z]+: /, ''));
  Object.assign(printer, { info: listen, warn: listen });
  try {
    return await import('oidc-provider');
  } finally {
    Object.assign(printer, before);
  }
}
